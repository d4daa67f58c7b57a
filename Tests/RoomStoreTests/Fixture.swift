import Foundation

/// A run of the fixture program, which was built beside the tests.
final class Fixture {
    private let process = Process()
    private let pipe = Pipe()
    private var rest: [UInt8] = []

    /// - Parameter before: a command that runs it, such as `unshare -m`.
    init(before: [String] = [], _ arguments: String...) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(filePath: tests).deletingLastPathComponent().appending(path: "StoreFixture").path
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = before + [program] + arguments
        process.standardOutput = pipe
        try process.run()
    }

    /// The next line, `nil` at the end of what it said; a line that it had no time to end is none.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            rest += more
        }
    }

    /// All that it says from now to its end.
    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        process.waitUntilExit()
        return lines
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// `nil` when the program is there and works for who runs the tests.
    static func failure(of command: String...) -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return "\(command) does not start" }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "\(command) exits \(process.terminationStatus)"
    }
}
