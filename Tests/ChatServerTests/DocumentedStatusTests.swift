import ChatWire
import TestSupport
import Testing
import WebSocketTransport

@testable import ChatServer

/// The statuses of HTTP in docs/protocol-reference.md.
struct DocumentedStatusTests {
    @Test
    func everyStatusOfAnErrorIsInTheDocumentation() throws {
        let errors = WireError.Code.allCases.map { HTTPResponse.error(WireError(code: $0, "why")).status }

        let all = errors + [HTTPResponse.wrongMethod(at: "/", allowed: "GET").status]

        #expect(try ProtocolDocuments.statuses(after: "The status (") == Set(all))
    }
}
