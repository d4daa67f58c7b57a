import Foundation
import Glibc

/// A program of this package, run as its user runs it.
package final class RunningProgram: @unchecked Sendable {
    // @unchecked: `process` is set up before it is run, and asked afterwards only for what it lets any thread ask.
    private let process = Process()
    private let input = Pipe()
    private let output = LineReader()
    private let complaints = LineReader()
    private let ending: AsyncStream<Ending>

    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    /// Starts it.
    ///
    /// - Parameter name: an executable product, which stands beside the tests, or the path of another program.
    package init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let (ending, end) = AsyncStream<Ending>.makeStream()
        self.ending = ending
        process.executableURL = URL(filePath: Self.path(of: name))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output.pipe
        process.standardError = complaints.pipe
        process.terminationHandler = { process in
            let status = process.terminationStatus
            end.yield(process.terminationReason == .exit ? .exit(status) : .signal(status))
            end.finish()
        }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(SIGKILL) }
    }

    /// Where the products are.
    /// Where a product is.
    package static func path(of name: String) -> String {
        name.hasPrefix("/") ? name : folder.appending(path: name).path(percentEncoded: false)
    }

    private static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

    package var identifier: Int32 { process.processIdentifier }

    /// Every line of standard output so far.
    package var lines: [String] { output.lines }

    /// Types a line.
    package func type(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Types the end of input.
    package func endInput() throws {
        try input.fileHandleForWriting.close()
    }

    package func kill(_ signal: Int32) {
        Glibc.kill(process.processIdentifier, signal)
    }

    /// Waits for it to end. Once.
    package func end() async -> Ending? {
        for await ending in ending { return ending }
        return nil
    }

    /// The next line of standard output that contains `text`, passing over others; `nil` when it ends without.
    package func line(containing text: String = "") async -> String? {
        await output.line(containing: text)
    }

    /// The same for standard error.
    package func complaint(containing text: String = "") async -> String? {
        await complaints.line(containing: text)
    }
}
