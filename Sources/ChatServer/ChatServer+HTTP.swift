import ChatRoom
import ChatWire
import RoomStore
import Synchronization
import WebPage
import WebSocketTransport

extension ChatServer {
    /// Answers plain HTTP on the same port: at once, or when the store has answered.
    func answer(_ request: HTTPRequest, _ id: RequestID) {
        if let admin = configuration.admin, request.path.hasPrefix(AdminRequest.prefix) {
            return administer(request, id, admin)
        }
        guard request.method != .post else {
            let allow = [("allow", "GET, HEAD")]
            return transport.respond(
                to: id, .text(405, "\(request.path) takes GET and HEAD only", headers: allow))
        }
        do throws(WireError) {
            guard let history = try HistoryRequest(request, limits: configuration.limits) else {
                return transport.respond(to: id, file(at: request.path))
            }
            let role = try identity.gate.role(in: history.room, request.headers["authorization"], at: .now)
            guard role >= .read else { throw .notGranted(.read, in: history.room, role) }
            let known = request.headers["if-none-match"]
            shard(of: history.room).async { [self] in
                readings.ask(about: history.room) { (store) throws(RoomStoreError) in
                    try store.page(history.room, before: history.before, limit: history.limit)
                } then: { [self] page in
                    transport.respond(to: id, answer(page, of: history.room, known: known))
                }
            }
        } catch {
            transport.respond(to: id, .error(error))
        }
    }

    private func answer(
        _ page: Result<ListPage<Message>, RoomStoreError>, of room: RoomName, known: String?
    ) -> HTTPResponse {
        do throws(RoomStoreError) {
            let page = try page.get()
            let tag = page.entityTag(store.epoch)
            let headers = [("content-type", "application/json"), ("etag", tag), ("cache-control", "private, no-cache")]
            if known?.contains(tag) == true { return HTTPResponse(status: 304, headers: headers) }
            let frame = ServerFrame.encoded(.messages(room), store.epoch, page)
            return HTTPResponse(status: 200, headers: headers, body: frame.bytes)
        } catch {
            metrics.storeErrors.add(1)
            return .error(WireError(error))
        }
    }

    private func file(at path: String) -> HTTPResponse {
        switch path {
        case "/healthz": return .text(200, "alive")
        case "/readyz": return isDraining.load(ordering: .relaxed) ? .text(503, "draining") : .text(200, "ready")
        case "/metrics": return .text(200, metricsText, type: "text/plain; version=0.0.4; charset=utf-8")
        case let path:
            guard let file = WebPage.file(at: path) else {
                let there = "/, /api/rooms/NAME/messages, /healthz, /readyz and /metrics"
                return .text(404, "nothing at \(path): there is \(there)")
            }
            return HTTPResponse(
                status: 200, headers: [("content-type", file.contentType)] + WebPage.headers, body: file.bytes)
        }
    }
}

extension HTTPResponse {
    /// As the wire's error frame.
    static func error(_ error: WireError) -> HTTPResponse {
        let status =
            switch error.code {
            case .badRequest: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .notFound: 404
            case .conflict: 409
            case .tooLarge: 413
            case .rateLimited: 429
            case .unavailable: 503
            case .internal: 500
            }
        let asks = error.code == .unauthorized ? [("www-authenticate", "Bearer")] : []
        return HTTPResponse(
            status: status, headers: [("content-type", "application/json"), ("cache-control", "no-store")] + asks,
            body: ServerFrame.error(ref: nil, error).json)
    }

    static func text(
        _ status: Int, _ text: String, type: String = "text/plain; charset=utf-8",
        headers: [(String, String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("content-type", type), ("cache-control", "no-store")] + headers,
            body: Array((text + "\n").utf8))
    }
}
