import Foundation
import HTTPClient
import Locking
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct HTTPUploaderTests {
    private let folder = TemporaryFolder()

    /// A file of `count` bytes.
    private func file(_ count: Int) throws -> FileHandle {
        let url = URL(filePath: folder.file("file"))
        try Data(repeating: 7, count: count).write(to: url)
        return try FileHandle(forReadingFrom: url)
    }

    /// Runs a request on a thread of its own, while `serve` is done on this one.
    private func outcome(
        of request: @escaping @Sendable (HTTPUploader) -> HTTPUploader.Outcome, while serve: (MuteServer) -> Void
    ) async throws -> HTTPUploader.Outcome {
        let server = try MuteServer()
        let uploader = HTTPUploader(url: "http://127.0.0.1:\(server.port)/x")
        let (outcomes, found) = AsyncStream<HTTPUploader.Outcome>.makeStream()
        Thread.detachNewThread { found.yield(request(uploader)) }
        serve(server)
        let outcome = try #require(await outcomes.first { _ in true })
        _ = server.port  // the connection stays open until here
        return outcome
    }

    @Test
    func theOffsetIsThatOfTheHeader() async throws {
        let outcome = try await outcome(
            of: { $0.head() },
            while: {
                $0.answer("HTTP/1.1 200 OK", "Upload-Offset: 1234", "Content-Length: 9")
            })

        #expect(outcome == .answered(.init(status: 200, offset: 1_234)))
    }

    @Test
    func theAnswerComesWithItsBodyAlsoBeforeTheFileIsSent() async throws {
        let file = try file(5_000_000)
        let reached = Guarded(0)

        let outcome = try await outcome(
            of: { uploader in
                uploader.put(file.fileDescriptor, from: 0, of: 5_000_000) { count in reached.withLock { $0 = count } }
            },
            while: {
                $0.answer("HTTP/1.1 403 Forbidden", "Content-Length: 2", "Connection: close", "", "{}")
            })

        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(answer.status == 403 && answer.body.starts(with: Array("{}".utf8)) && reached.withLock { $0 } == 0)
    }

    @Test
    func theProgressEndsWithTheSize() async throws {
        let file = try file(3_000)
        let reached = Guarded(0)

        let outcome = try await outcome(
            of: { uploader in
                uploader.put(file.fileDescriptor, from: 1_000, of: 3_000) { count in reached.withLock { $0 = count } }
            },
            while: {
                $0.answer("HTTP/1.1 100 Continue", "", "HTTP/1.1 201 Created", "Content-Length: 0")
            })

        #expect(outcome == .answered(.init(status: 201)))
        #expect(reached.withLock { $0 } == 3_000)
    }

    @Test
    func aBrokenConnectionIsAFailure() async throws {
        let file = try file(1_000)

        let outcome = try await outcome(
            of: { $0.put(file.fileDescriptor, from: 0, of: 1_000) { _ in } },
            while: {
                $0.hangUp()
            })

        guard case .failed(let why) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(!why.isEmpty)
    }

    @Test
    func aFileThatIsShorterIsUnreadable() async throws {
        let file = try file(1_000)

        let outcome = try await outcome(
            of: { $0.put(file.fileDescriptor, from: 0, of: 2_000) { _ in } },
            while: {
                $0.answer("HTTP/1.1 100 Continue")
            })

        #expect(outcome == .unreadable)
    }

    @Test
    func aCancelledRequestEndsThoughTheServerIsSilent() async throws {
        let uploaders = AsyncStream<HTTPUploader>.makeStream()
        let outcome = try await outcome(
            of: { uploader in
                uploaders.continuation.yield(uploader)
                return uploader.head()
            },
            while: { server in
                server.greet("")
                Task {
                    for await uploader in uploaders.stream { uploader.cancel() }
                }
            })

        #expect(outcome == .cancelled)
    }
}
