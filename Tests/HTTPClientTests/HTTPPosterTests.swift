import Foundation
import HTTPClient
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct HTTPPosterTests {
    @Test
    func aRedirectIsNotFollowed() async throws {
        let server = try MuteServer()

        let outcome = try await post(to: "http://127.0.0.1:\(server.port)/") {
            server.answer("HTTP/1.1 302 Found", "Location: http://127.0.0.1:1/", "Content-Length: 0")
        }

        #expect(outcome == .answered(status: 302))
    }

    @Test(arguments: [
        ("https://chat.example/hook?a=1", true), ("http://127.0.0.1:8080", true), ("http://[::1]:9/", true),
        ("https://a:x/", false), ("https://a:99999/", false), ("https:///hook", false), ("https://[::1/", false),
        ("http://a b/", false), ("http://a/b c", false), ("ftp://a/", false), ("a.example", false), ("", false),
    ])
    func anAddressWithoutAHostOrWithAnotherPortIsNotTaken(url: String, isTaken: Bool) {
        #expect(HTTPPoster.accepts(url) == isTaken)
    }

    @Test
    func noMoreTimeIsTakenThanIsGiven() async throws {
        let server = try MuteServer()

        let outcome = try await post(to: "http://127.0.0.1:\(server.port)/", seconds: 1)

        #expect(outcome == .failed("Timeout was reached"))
    }

    @Test
    func aCertificateThatNobodyTrustsIsRefused() async throws {
        let authority = try TestAuthority()
        var configuration = WebSocketServerConfiguration()
        configuration.certificate = try authority.certificate("stranger")
        let server = try WebSocketServer(configuration: configuration) { _ in }

        let outcome = try await post(to: "https://127.0.0.1:\(server.port)/")

        guard case .failed(let why) = outcome else { throw Answered(outcome: outcome) }
        #expect(why.contains("certificate"))
    }

    private struct Answered: Error {
        let outcome: HTTPPoster.Outcome
    }

    /// Posts on a thread of its own, while `serve` is done on this one.
    private func post(to url: String, seconds: Int = 20, _ serve: () -> Void = {}) async throws -> HTTPPoster.Outcome {
        let (outcomes, found) = AsyncStream<HTTPPoster.Outcome>.makeStream()
        Thread.detachNewThread {
            found.yield(HTTPPoster(url: url, seconds: seconds).post(Array("{}".utf8), headers: []))
        }
        serve()
        return try #require(await outcomes.first { _ in true })
    }
}
