import ChatWire
import Synchronization
import WebSocketTransport

extension ChatServer {
    /// What is to be had by plain HTTP on the same port.
    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard request.method != .post else {
            return .text(405, "\(request.path) takes GET and HEAD only", headers: [("allow", "GET, HEAD")])
        }
        switch request.path {
        case "/": return .text(200, welcomeText)
        case "/healthz": return .text(200, "alive")
        case "/readyz": return isDraining.load(ordering: .relaxed) ? .text(503, "draining") : .text(200, "ready")
        case "/metrics": return .text(200, metricsText, type: "text/plain; version=0.0.4; charset=utf-8")
        default: return .text(404, "nothing at \(request.path): there is /, /healthz, /readyz and /metrics")
        }
    }

    private var welcomeText: String {
        """
        \(identity.name)

        This is a chat server. Talk to it over a WebSocket at this address, with subprotocol diffroom.v1.json:

            diffroom ws://127.0.0.1:\(port) --room lobby --user ann
        """
    }
}

extension HTTPResponse {
    static func text(
        _ status: Int, _ text: String, type: String = "text/plain; charset=utf-8",
        headers: [(String, String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("content-type", type), ("cache-control", "no-store")] + headers,
            body: Array((text + "\n").utf8))
    }
}
