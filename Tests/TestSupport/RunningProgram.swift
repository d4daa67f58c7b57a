import Dispatch
import Foundation
import Glibc
import Locking

/// A program of this package, run as its user runs it. It ends with the tests, however they end.
package final class RunningProgram: Sendable {
    package typealias Ending = ChildProcess.Ending

    private let process: ChildProcess
    private let input: FileHandle
    private let output: LineReader
    private let complaints: LineReader
    private let ending: AsyncStream<Ending>

    /// Starts it.
    ///
    /// - Parameter name: an executable product, which stands beside the tests, or the path of another program.
    package init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        // A write to an ended program must be an error that is thrown, not the end of the tests.
        signal(SIGPIPE, SIG_IGN)
        let (input, output, complaints) = (try ChildPipe(), try ChildPipe(), try ChildPipe())
        let program = Self.path(of: name)
        guard access(program, X_OK) == 0 else { throw ChildProcess.Failed(program: program, code: errno) }
        let (ending, end) = AsyncStream<Ending>.makeStream()
        process = try Self.started(andWaitedFor: end) {
            try ChildProcess(
                "setpriv", ["--pdeathsig", "KILL", program] + arguments, environment: environment,
                input: input.reading.fileDescriptor, output: output.writing.fileDescriptor,
                complaints: complaints.writing.fileDescriptor)
        }
        // Otherwise their end would never be seen here.
        for end in [input.reading, output.writing, complaints.writing] { try end.close() }
        self.input = input.writing
        self.output = LineReader(output.reading)
        self.complaints = LineReader(complaints.reading)
        self.ending = ending
    }

    deinit {
        process.kill(SIGKILL)
    }

    /// Starts it on a thread that waits for it: the kernel ends it with that thread, and so with the tests.
    private static func started(
        andWaitedFor end: AsyncStream<Ending>.Continuation, by start: @escaping @Sendable () throws -> ChildProcess
    ) throws -> ChildProcess {
        let isStarted = DispatchSemaphore(value: 0)
        let started = Guarded<Result<ChildProcess, any Error>>(.failure(ChildProcess.Failed(program: "", code: 0)))
        Thread.detachNewThread {
            let result = Result { try start() }
            started.withLock { $0 = result }
            isStarted.signal()
            if case .success(let process) = result { end.yield(process.wait()) }
            end.finish()
        }
        isStarted.wait()
        return try started.withLock { $0 }.get()
    }

    /// Returns the path of a product.
    package static func path(of name: String) -> String {
        name.hasPrefix("/") ? name : folder.appending(path: name).path(percentEncoded: false)
    }

    private static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

    package var identifier: Int32 { process.identifier }

    /// Every line of standard output so far.
    package var lines: [String] { output.lines }

    /// Writes bytes to its input, which need not be text.
    package func type(bytes: [UInt8]) throws {
        try input.write(contentsOf: Data(bytes))
    }

    /// Types a line.
    package func type(_ line: String) throws {
        try input.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Types the end of input.
    package func endInput() throws {
        try input.close()
    }

    package func kill(_ signal: Int32) {
        process.kill(signal)
    }

    /// Waits for the end. Call it once.
    package func end() async -> Ending? {
        for await ending in ending { return ending }
        return nil
    }

    /// Returns the next line of standard output that contains `text`, skipping others; `nil` when it ends first.
    package func line(containing text: String = "") async -> String? {
        await output.line(containing: text)
    }

    /// Returns the next such line of standard error.
    package func complaint(containing text: String = "") async -> String? {
        await complaints.line(containing: text)
    }
}
