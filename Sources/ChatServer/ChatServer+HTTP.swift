import ChatWire
import Synchronization
import WebPage
import WebSocketTransport

extension ChatServer {
    /// What is to be had by plain HTTP on the same port.
    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard request.method != .post else {
            return .text(405, "\(request.path) takes GET and HEAD only", headers: [("allow", "GET, HEAD")])
        }
        switch request.path {
        case "/healthz": return .text(200, "alive")
        case "/readyz": return isDraining.load(ordering: .relaxed) ? .text(503, "draining") : .text(200, "ready")
        case "/metrics": return .text(200, metricsText, type: "text/plain; version=0.0.4; charset=utf-8")
        case let path:
            guard let file = WebPage.file(at: path) else {
                return .text(404, "nothing at \(path): there is /, /healthz, /readyz and /metrics")
            }
            return HTTPResponse(
                status: 200, headers: [("content-type", file.contentType)] + WebPage.headers, body: file.bytes)
        }
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
