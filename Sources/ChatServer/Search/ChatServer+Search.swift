import ChatRoom
import ChatWire
import RoomStore
import Tokens
import WebSocketTransport

extension ChatServer {
    /// Searches for a connection, away from its event loop.
    func search(
        _ request: SearchRequest, for user: UserName, following followed: [RoomName], ref: UInt64,
        _ connection: ConnectionID
    ) {
        let arrival = ContinuousClock.now
        let searcher = Searcher(user: user, followed: followed) { [sessions] in sessions.role(of: connection, in: $0) }
        storeReads.search(for: connection) {
            [sessions] (store) throws(RoomStoreError) -> Result<SearchReading, WireError> in
            // Nothing is read for one that has gone.
            guard sessions.has(connection) else { return .failure(.connectionClosed) }
            return try searcher.search(request, in: store)
        } then: { [self] (answer: Result<Result<SearchReading, WireError>, WireError>) in
            switch answer.flatMap({ $0 }) {
            case .success(let reading):
                let frame = ServerFrame.found(ref: ref, reading.page)
                send(frame, asAnswerTo: connection) { reading.cost(ofAnswer: $0) }
            case .failure(let error):
                refuse(request, since: arrival) { [self] in
                    send(.error(ref: ref, error), asAnswerTo: connection) { _ in 0 }
                }
            }
        }
    }

    /// Sends the answer to a request that no room has handled. Any thread.
    ///
    /// - Parameter cost: returns the bytes that an answer of so many bytes costs.
    func send(
        _ frame: ServerFrame, asAnswerTo connection: ConnectionID, _ cost: (Int) -> Int = { _ in 0 }
    ) {
        let text = frame.json
        let bytes = max(0, cost(text.count) - Allowances.pageBytes)
        metrics.answered(frame)
        // The session first: the client's next request is checked against it.
        sessions.deliver([.answered(connection, costing: bytes)], onLoop: connection.loop)
        transport.send(Frame(text: text), to: connection)
    }

    /// Refuses, on a refusal tick if the request names a private or direct room.
    private func refuse(
        _ request: SearchRequest, since arrival: ContinuousClock.Instant, _ answer: @escaping @Sendable () -> Void
    ) {
        guard request.rooms.contains(where: { $0.kind != .open }) else { return answer() }
        onRefusalTick(since: arrival, answer)
    }

    /// Answers `GET /api/search`.
    func answer(_ request: HTTPRequest, toSearch _: SearchEndpoint, _ reply: Reply) throws(WireError) {
        switch request.method {
        case .options:
            let isPreflight = request.askedMethod != nil
            return reply(
                isPreflight
                    ? reply.crossOrigin.preflight(allowing: SearchEndpoint.methods) : .allowing(SearchEndpoint.methods))
        case .post, .put, .delete: return reply(.wrongMethod(at: request.path, allowed: SearchEndpoint.methods))
        case .get, .head: break
        }
        let search = try SearchRequest(query: request.query)
        let bearer = try identity.authenticator.bearer(request.headers["authorization"], at: .now)
        let grants = bearer?.grants ?? .open
        let (requester, arrival) = (requester(of: request, bearer), ContinuousClock.now)
        if let requester { try quotas.consumePage(of: requester, at: .now) }
        let searcher = Searcher(user: bearer?.user) { grants.role(in: $0) }
        storeReads.search(for: request.address) { (store) throws(RoomStoreError) -> Result<SearchReading, WireError> in
            try searcher.search(search, in: store)
        } then: { [self] (answer: Result<Result<SearchReading, WireError>, WireError>) in
            switch answer.flatMap({ $0 }) {
            case .success(let reading):
                let response = HTTPResponse.frame(200, .found(ref: 0, reading.page))
                if let requester { quotas.charge(reading.cost(ofAnswer: response.body.count), to: requester, at: .now) }
                reply(response)
            case .failure(let error): refuse(search, since: arrival) { reply(.error(error)) }
            }
        }
    }
}

/// The search by plain HTTP: `/api/search?query=&room=&before=&limit=`.
struct SearchEndpoint: Equatable {
    static let path = "/api/search"
    static let methods = "GET, HEAD, OPTIONS"

    /// `nil` for another path.
    init?(_ request: HTTPRequest) {
        guard request.path == Self.path else { return nil }
    }
}

extension SearchRequest {
    init(query text: String?) throws(WireError) {
        let query = try HTTPQuery(text, parameters: ["query", "room", "before", "limit"])
        guard let words = try query.text("query") else {
            throw WireError(.missing, "query: missing, must be what to search for, percent-encoded", field: "query")
        }
        try self.init(
            words, room: try query.room("room"), before: try query.searchPlace("before"),
            limit: try query.limit(in: 1...UInt64(Self.mostResults), default: UInt64(Self.usualResults)))
    }
}
