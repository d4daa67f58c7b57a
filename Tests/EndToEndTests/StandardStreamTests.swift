import Foundation
import Glibc
import TestSupport
import Testing

/// `diffroomd` without some of the standard descriptors, and with full ones.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about files"))
struct StandardStreamTests {
    private let folder = TemporaryFolder()
    private var data: String { folder.file("rooms.db") }

    /// Runs the server in a shell that leads its descriptors elsewhere.
    private func start(_ redirections: String, flags: [String] = []) throws -> RunningProgram {
        try RunningProgram(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" \(redirections)", RunningProgram.path(of: "diffroomd"), "--listen",
                "127.0.0.1:0", "--data", data,
            ] + flags)
    }

    /// A named pipe that is full.
    private func stuckPipe() throws -> (path: String, reader: FileHandle) {
        let path = folder.file("stuck")
        try #require(mkfifo(path, 0o600) == 0)
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        let page = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)
        while write(descriptor, page, page.count) > 0 {}
        return (path, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    @Test
    func standardErrorThatNobodyReadsHoldsNothingUp() async throws {
        let (path, reader) = try stuckPipe()
        let server = try start("2>'\(path)'", flags: ["--log-level", "debug"])
        #expect(await server.line(containing: "listening") != nil)

        server.kill(SIGTERM)

        #expect(await server.end() == .exit(0))
        withExtendedLifetime(reader) {}
    }

    @Test(arguments: [([], 1), (["--loops", "0"], 2)] as [([String], Int32)])
    func aComplaintThatNobodyReadsDoesNotHoldUpTheEnd(flags: [String], status: Int32) async throws {
        let (path, reader) = try stuckPipe()
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)

        let server = try start("2>'\(path)'", flags: flags)

        #expect(await server.end() == .exit(status))
        withExtendedLifetime(reader) {}
    }

    @Test
    func standardOutputThatNobodyReadsIsSaidAndItServes() async throws {
        let (path, reader) = try stuckPipe()
        let server = try start(">'\(path)'")
        #expect(await server.complaint(containing: "the server cannot report where it listens") != nil)

        server.kill(SIGTERM)

        #expect(await server.end() == .exit(0))
        withExtendedLifetime(reader) {}
    }

    @Test
    func standardOutputThatTakesNothingIsSaidAndItServes() async throws {
        let server = try start(">/dev/full")
        #expect(await server.complaint(containing: "No space left") != nil)
        #expect(await server.complaint(containing: "\"listening\"") != nil)

        server.kill(SIGTERM)

        #expect(await server.end() == .exit(0))
    }

    @Test(arguments: ["--help", "--version", "--man", "--print-config"])
    func anAnswerThatCannotBePrintedIsAFailure(flag: String) async throws {
        let server = try start(">/dev/full", flags: [flag])

        #expect(await server.complaint(containing: "standard output cannot be written") != nil)
        #expect(await server.end() == .exit(1))
    }

    @Test(arguments: ["2>&-", "<&- 2>&-"])
    func noFileTakesThePlaceOfAClosedStream(redirections: String) async throws {
        let server = try start(redirections)
        #expect(await server.line(containing: "listening") != nil)

        server.kill(SIGTERM)

        #expect(await server.end() == .exit(0))
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.file("")) {
            let bytes = try Data(contentsOf: URL(filePath: folder.file(file)))
            #expect(bytes.firstRange(of: Data("listening".utf8)) == nil, "\(file)")
        }
    }

    @Test
    func withAllOfThemClosedItServes() async throws {
        let server = try start("<&- >&- 2>&-")
        let lock = folder.file("rooms.db.lock")
        while !FileManager.default.fileExists(atPath: lock) { await Task.yield() }

        server.kill(SIGTERM)

        #expect(await server.end() == .exit(0))
    }
}
