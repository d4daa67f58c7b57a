import Foundation
import TestSupport

/// A run of the fixture program, which was built beside the tests.
final class Fixture {
    private let process: ChildProcess
    private let output: FileHandle
    private var rest: [UInt8] = []

    /// - Parameter before: a command that runs it, such as `unshare -m`.
    init(before: [String] = [], _ arguments: String...) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(filePath: tests).deletingLastPathComponent().appending(path: "StoreFixture").path
        let pipe = try ChildPipe()
        process = try ChildProcess("env", before + [program] + arguments, output: pipe.writing.fileDescriptor)
        try pipe.writing.close()
        output = pipe.reading
    }

    /// Returns the next line; `nil` at the end of the output. An incomplete line does not count.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.availableData
            guard !more.isEmpty else { return nil }
            rest += more
        }
    }

    /// Returns all lines from now to its end.
    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        process.wait()
        return lines
    }

    func kill() {
        process.kill(SIGKILL)
    }

    /// Returns why the program cannot run for the user of the tests; `nil` if it can.
    static func failure(of command: String...) throws -> String? {
        let ending = try ChildProcess("env", command).wait()
        return ending == .exit(0) ? nil : "\(command) ends with \(ending)"
    }
}
