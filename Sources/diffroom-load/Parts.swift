import CommandLineFlags
import Foundation

/// Runs the load as several processes, each with its part of the clients, and adds up their reports.
///
/// A part is this program again. Its environment has its number, and it prints its whole report.
enum Parts {
    static let variable = "DIFFROOM_LOAD_PART_OF_RUN"

    enum Failure: Error, CustomStringConvertible {
        case noReport(part: Int, status: Int32)

        var description: String {
            switch self {
            case .noReport(let part, let status): "part \(part) of the run ended with status \(status) and no report"
            }
        }
    }

    /// The part that this process is; `nil` if it is the whole.
    static var own: Load.Part? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        let numbers = text.split(separator: "/").compactMap { Int($0) }
        return numbers.count == 2 ? Load.Part(index: numbers[0], count: numbers[1]) : nil
    }

    /// - Throws: ``Failure``, or the system's error if a process cannot be started.
    static func run(_ options: Options) throws -> Report {
        let running = try (0..<options.processes).map { index in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = Array(ProcessArguments.all.dropFirst())
            process.environment = ProcessInfo.processInfo.environment.merging(
                [variable: "\(index)/\(options.processes)", "DIFFROOM_LOAD_SEED": "\(options.seed)"]) { $1 }
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            return (process, output)
        }
        var whole = Report()
        for (index, (process, output)) in running.enumerated() {
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard let report = try? JSONDecoder().decode(Report.self, from: data) else {
                throw Failure.noReport(part: index, status: process.terminationStatus)
            }
            whole.merge(report)
            if index == 0 {
                (whole.serverCPU, whole.serverMemory) = (report.serverCPU, report.serverMemory)
                whole.serverJoinCPU = report.serverJoinCPU
            }
        }
        return whole
    }
}
