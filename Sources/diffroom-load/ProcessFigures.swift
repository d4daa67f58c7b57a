import ChatWire
import Foundation

/// The resources that a process has used so far, as Linux accounts for them.
struct ProcessFigures: Sendable {
    /// User and system time, in seconds.
    let cpu: Double
    /// Resident memory, in bytes.
    let memory: Int

    /// `nil` if there is no such process, or if this is not Linux.
    init?(pid: Int32) {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let statm = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8),
            let name = stat.lastIndex(of: ")")
        else { return nil }
        // The program's name may hold anything, and ends with the last parenthesis; utime is the 12th field after it.
        let fields = stat[name...].split(separator: " ")
        let pages = statm.split(separator: " ")
        guard fields.count > 13, pages.count > 1, let user = Double(fields[12]), let system = Double(fields[13]),
            let resident = Int(pages[1])
        else { return nil }
        cpu = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        memory = resident * sysconf(Int32(_SC_PAGESIZE))
    }
}

/// Raises this process's limit of open files as far as allowed.
func raiseDescriptorLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
