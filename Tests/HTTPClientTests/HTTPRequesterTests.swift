import Foundation
import HTTPClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct HTTPRequesterTests {
    /// Runs a request on a thread of its own, while `serve` is done on this one.
    private func outcome(
        _ method: HTTPRequester.Method, body: String = "", seconds: Int = Deadline.eventSeconds, longest: Int = 100,
        while serve: (MuteServer) -> Void
    ) async throws -> HTTPRequester.Outcome {
        let server = try MuteServer()
        let request = HTTPRequester.Request(
            method, "http://127.0.0.1:\(server.port)/x", headers: [("x-a", "b")], body: Array(body.utf8))
        let (outcomes, found) = AsyncStream<HTTPRequester.Outcome>.makeStream()
        Thread.detachNewThread {
            found.yield(HTTPRequester(seconds: seconds, longestBody: longest).perform(request))
        }
        serve(server)
        let outcome = try #require(await outcomes.first { _ in true })
        _ = server.port  // the connection stays open until here
        return outcome
    }

    @Test(arguments: [HTTPRequester.Method.get, .put, .post, .delete])
    func anAnswerHasItsHeadersAndItsBody(method: HTTPRequester.Method) async throws {
        let outcome = try await outcome(method, body: method == .put ? "body" : "") {
            $0.answer("HTTP/1.1 404 Not Found", "X-Meta:  a: b ", "Empty:", "Content-Length: 4", "", "text")
        }

        let headers = ["x-meta": "a: b", "empty": "", "content-length": "4"]
        #expect(outcome == .answered(.init(status: 404, headers: headers, body: Array("text".utf8))))
    }

    @Test
    func theAnswerToAHeadHasNoBody() async throws {
        let outcome = try await outcome(.head) { $0.answer("HTTP/1.1 200 OK", "Content-Length: 999") }

        #expect(outcome == .answered(.init(status: 200, headers: ["content-length": "999"])))
    }

    @Test
    func anAnswerThatIsTooLongIsNone() async throws {
        let outcome = try await outcome(.get, longest: 3) {
            $0.answer("HTTP/1.1 200 OK", "Content-Length: 4", "", "text")
        }

        #expect(outcome == .failed("the answer has more than 3 bytes"))
    }

    @Test
    func aRequestEndsWithItsTime() async throws {
        #expect(try await outcome(.get, seconds: 1) { $0.greet("") } == .failed("Timeout was reached"))
    }

    @Test
    func aRedirectIsNotFollowed() async throws {
        let outcome = try await outcome(.get) {
            $0.answer("HTTP/1.1 301 Moved Permanently", "Location: http://127.0.0.1:1/", "Content-Length: 0")
        }

        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(answer.status == 301 && answer.headers["location"] == "http://127.0.0.1:1/")
    }
}
