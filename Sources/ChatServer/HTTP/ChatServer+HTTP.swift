import ChatWire
import Files
import Locking
import RoomStore
import Synchronization
import WebPage
import WebSocketTransport

extension ChatServer {
    /// The paths that report the server's health. They work even at the connection limit, because a full server is
    /// alive.
    static let vitalPaths = ["/healthz", "/readyz", "/metrics"]

    /// Answers plain HTTP on the same port, at once or when the store has answered.
    func answer(_ request: HTTPRequest, _ id: RequestID) {
        if let admin = configuration.admin, request.path.hasPrefix(AdminRequest.prefix) {
            return report(to: id) { $0.administer(request, id, admin) }
        }
        let crossOrigin = CrossOrigin(request, allowed: configuration.transport.allowedOrigins)
        let reply = Reply(transport: transport, id: id, crossOrigin: crossOrigin)
        do throws(WireError) {
            if try files?.answer(request, reply) == true { return }
            if let search = SearchEndpoint(request) { return try answer(request, toSearch: search, reply) }
            if let wanted = try RoomEndpoint(request) { return try answer(request, about: wanted, reply) }
        } catch {
            return reply(.error(error))
        }
        if request.method == .options {
            return transport.respond(to: id, HTTPResponse(status: 204, headers: [("allow", "GET, HEAD, OPTIONS")]))
        }
        guard [.get, .head].contains(request.method) else {
            let allow = [("allow", "GET, HEAD, OPTIONS")]
            return transport.respond(
                to: id, .text(405, "\(request.path) takes GET and HEAD only", headers: allow))
        }
        guard request.path == "/metrics" else { return transport.respond(to: id, file(for: request)) }
        report(to: id) { server in
            let type = "text/plain; version=0.0.4; charset=utf-8"
            server.transport.respond(to: id, .text(200, server.metricsText, type: type))
        }
    }

    /// Runs an operator's request away from the event loop.
    private func report(to id: RequestID, _ work: @escaping @Sendable (ChatServer) -> Void) {
        let isTaken = reports.offer { [self] in work(self) }
        if !isTaken { transport.respond(to: id, .error(.tooManyReports)) }
    }

    private var readiness: HTTPResponse {
        readinessAsked.withLock { $0 = .now }
        if isDraining.load(ordering: .relaxed) { return .text(503, "draining") }
        guard store.trouble == nil else { return .text(503, "nothing can be written at present") }
        let troubles = store.troubles.count
        return .text(
            200, troubles == 0 ? "ready" : "ready, but \(troubles) of \(store.parts) databases cannot be written")
    }

    private func file(for request: HTTPRequest) -> HTTPResponse {
        switch request.path {
        case "/healthz": return .text(200, "alive")
        case "/readyz": return readiness
        case let path:
            let sources = WebPage.Sources(
                pictures: configuration.showsPictures ? .anywhere : .none, store: configuration.files?.origin)
            guard let file = WebPage.file(at: path, sources) else {
                let there = "/, /api/rooms/NAME/messages and audit, /api/search, /healthz, /readyz and /metrics"
                return .text(404, "nothing at \(path): there is \(there)")
            }
            return .file(file, for: request, WebPage.headers(of: file, sources))
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

extension HTTPResponse {
    /// Returns a file of the page: in the form that the client can read, or without its bytes if the client has them.
    fileprivate static func file(
        _ file: WebPage.File, for request: HTTPRequest, _ headers: [(String, String)]
    ) -> HTTPResponse {
        if EntityTags(request.headers["if-none-match"])?.contain(file.tag) == true {
            return HTTPResponse(status: 304, headers: headers)
        }
        guard let packed = file.packed, AcceptedCodings(request.headers["accept-encoding"]).containGzip else {
            return HTTPResponse(status: 200, headers: headers, body: file.bytes)
        }
        return HTTPResponse(status: 200, headers: headers + [("content-encoding", "gzip")], body: packed)
    }
}

extension WireError {
    fileprivate static let tooManyReports = WireError(
        .overloaded, "too many requests for metrics and reports at once: send it again", retryAfter: 1_000)
}
