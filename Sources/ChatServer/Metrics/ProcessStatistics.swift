import Foundation

/// The system's figures of this process.
///
/// - Source: proc(5); names as in Prometheus' client libraries.
struct ProcessStatistics {
    let cpuSeconds: Double
    let startTimeSeconds: Double
    let virtualBytes: Int
    let residentBytes: Int
    let threads: Int
    let openDescriptors: Int
    let descriptorLimit: UInt64

    /// The current figures; `nil` where there is no /proc.
    static var now: ProcessStatistics? {
        assertMayWait()
        guard let line = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let boot = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
                .split(separator: "\n").first(where: { $0.hasPrefix("btime ") }).flatMap({ Double($0.dropFirst(6)) }),
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"),
            let nameEnd = line.lastIndex(of: ")")
        else { return nil }
        // From the third field on, the state.
        let fields = line[line.index(after: nameEnd)...].split(separator: " ").map { Double($0) ?? 0 }
        guard fields.count > 21 else { return nil }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return ProcessStatistics(
            cpuSeconds: (fields[11] + fields[12]) / ticks, startTimeSeconds: boot + fields[19] / ticks,
            virtualBytes: Int(fields[20]), residentBytes: Int(fields[21]) * Int(sysconf(Int32(_SC_PAGESIZE))),
            threads: Int(fields[17]), openDescriptors: descriptors.count, descriptorLimit: UInt64(limit.rlim_cur))
    }
}

extension PrometheusText {
    mutating func process(_ now: ProcessStatistics) {
        counter("process_cpu_seconds_total", "User and system CPU time.", now.cpuSeconds)
        gauge("process_start_time_seconds", "When it started, since 1970.", now.startTimeSeconds)
        gauge("process_virtual_memory_bytes", "Address space.", now.virtualBytes)
        gauge("process_resident_memory_bytes", "Memory in use.", now.residentBytes)
        gauge("process_open_fds", "Open descriptors.", now.openDescriptors)
        gauge("process_max_fds", "The limit of open descriptors.", now.descriptorLimit)
        gauge("process_threads", "Threads.", now.threads)
    }
}
