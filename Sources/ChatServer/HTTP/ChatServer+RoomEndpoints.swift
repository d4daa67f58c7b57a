import ChatRoom
import ChatWire
import Dispatch
import RoomStore
import Tokens
import WebSocketTransport

/// Reads a room's past and posts a message by plain HTTP.
extension ChatServer {
    func answer(_ request: HTTPRequest, about wanted: RoomEndpoint, _ reply: Reply) throws(WireError) {
        switch (wanted.what, request.method) {
        case (_, .options):
            let isPreflight = request.askedMethod != nil
            reply(isPreflight ? reply.crossOrigin.preflight(allowing: wanted.methods) : .allowing(wanted.methods))
        case (.messages, .post):
            try post(request, to: wanted.room, reply)
        case (_, .put), (_, .delete), (.audit, .post):
            reply(.wrongMethod(at: request.path, allowed: wanted.methods))
        case (.messages, .get), (.messages, .head):
            let query = try PastQuery(request.query, limits: configuration.limits)
            let known = request.headers["if-none-match"]
            try read(request, of: wanted.room, .read, reply) { [self] (store) throws(RoomStoreError) in
                let (page, epoch) = try store.ofOneEpoch { () throws(RoomStoreError) in
                    try store.page(wanted.room, query.place, limit: query.limit)
                }
                guard let page else { return .error(.noSuchPlace(query.place, in: wanted.room)) }
                return response(page, of: wanted.room, epoch, known: known)
            }
        case (.audit, .get), (.audit, .head):
            let query = try AuditParameters(request.query, limits: configuration.limits)
            try read(request, of: wanted.room, .moderate, reply) { (store) throws(RoomStoreError) in
                let page = try store.audit(wanted.room, before: query.before, limit: query.limit)
                return .frame(200, ServerFrame.audit(ref: 0, wanted.room, page))
            }
        }
    }

    // MARK: - Reading

    /// Answers with data of the store, if the room's rules allow the client to read it.
    ///
    /// A client without the right gets the same error whether or not the room exists, and no data is read for it. The
    /// standing is read again after the data, so a client that was banned before then gets nothing. A private or direct room
    /// refuses on a refusal tick.
    private func read(
        _ request: HTTPRequest, of room: RoomName, _ least: Role, _ reply: Reply,
        _ question: @escaping StoreReads.Question<HTTPResponse>
    ) throws(WireError) {
        let bearer = try identity.authenticator.bearer(request.headers["authorization"], at: .now)
        let grant = (bearer?.grants ?? .open).role(in: room)
        let (requester, arrival) = (requester(of: request, bearer), ContinuousClock.now)
        if let requester { try quotas.consumePage(of: requester, at: .now) }
        storeReads.load(about: room) { (store) throws(RoomStoreError) in
            func refusal() throws(RoomStoreError) -> WireError? {
                let standing = try bearer.map { (bearer) throws(RoomStoreError) in
                    try store.standing(of: bearer.user, in: room)
                }
                return (standing ?? Standing()).refusal(least, in: room, granted: grant)
            }
            if let refusal = try refusal() { return .failure(refusal) }
            let response = try question(store)
            return try refusal().map { .failure($0) } ?? .success(response)
        } then: { [self] (answer: Result<Result<HTTPResponse, WireError>, WireError>) in
            switch answer {
            case .success(.failure(let refusal)):
                refuse(reply, refusal, about: room, since: arrival)
            case .success(.success(let response)):
                if let requester { quotas.charge(response.body.count, to: requester, at: .now) }
                reply(response)
            case .failure(let error):
                reply(.error(error))
            }
        }
    }

    private func refuse(
        _ reply: Reply, _ error: WireError, about room: RoomName, since arrival: ContinuousClock.Instant
    ) {
        guard room.kind != .open else { return reply(.error(error)) }
        onRefusalTick(since: arrival) { reply(.error(error)) }
    }

    /// Runs `answer` on a refusal tick, which tells nothing of how long the decision took.
    func onRefusalTick(since arrival: ContinuousClock.Instant, _ answer: @escaping @Sendable () -> Void) {
        let wait = configuration.refusalTimer.refusal(
            ofRequestAt: origin.duration(to: arrival), by: origin.duration(to: .now))
        let nanoseconds = Int((wait / .nanoseconds(1)).rounded(.up))
        clock.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: answer)
    }

    /// Returns the client whose pages are counted; `nil` for one on this machine, where proxies and tests run, unless
    /// the limits include its addresses.
    func requester(of request: HTTPRequest, _ bearer: Bearer?) -> Quotas.Requester? {
        if let bearer { return .user(bearer.user) }
        let isOwn = request.address.hasPrefix("127.") || request.address == "::1"
        return isOwn && !configuration.transport.limitsLoopback ? nil : .address(request.address)
    }

    private func response(
        _ page: ListPage<Message>, of room: RoomName, _ epoch: Epoch, known: String?
    ) -> HTTPResponse {
        let tag = page.entityTag(epoch)
        let headers = [("content-type", "application/json"), ("etag", tag), ("cache-control", "private, no-cache")]
        if EntityTags(known)?.contain(tag) == true { return HTTPResponse(status: 304, headers: headers) }
        let frame = page.encoded(.messages(room), epoch)
        return HTTPResponse(status: 200, headers: headers, body: frame.bytes)
    }

    // MARK: - Posting

    /// Posts a message. It takes the same way as a WebSocket's `send`, with the same limits, rights and answers.
    private func post(_ request: HTTPRequest, to room: RoomName, _ reply: Reply) throws(WireError) {
        // A page of another site can post other types without a preflight.
        guard MediaType(request.headers["content-type"])?.isJSON == true else {
            return reply(.wrongType)
        }
        _ = try HTTPQuery(request.query, parameters: [])
        let bearer = try identity.authenticator.bearer(request.headers["authorization"], at: .now)
        let posting = try Posting(json: request.body, limits: configuration.limits)
        let author = try author(of: posting, bearer)
        if let (limit, error) = quotas.refusal(of: author.user, writingIn: room, at: .now) {
            quotas.hit(limit)
            throw error
        }
        let operation = Operation(
            command: posting.id, author: author.user, role: author.grants.role(in: room), time: .now,
            action: .send(try identity.checked(posting.content, of: posting.id, in: room, by: author.user)))
        let reader = gateway.services.reader { frame in
            if case .error(_, let error) = frame { return reply(.error(error)) }
            reply(.frame(200, frame))
        }
        shard(of: room).enqueue([.request(.operate(ref: 0, operation), reader, room)])
    }

    /// - Parameter bearer: of the request's token; `nil` on a server without keys.
    private func author(of posting: Posting, _ bearer: Bearer?) throws(WireError) -> Bearer {
        if let bearer, posting.user == nil { return bearer }
        return try identity.authenticator.authenticate(posting.user.map { .user($0) } ?? .handshake, nil, at: .now)
    }
}

extension HTTPResponse {
    /// Returns an error as the wire's error frame.
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
        var more = error.code == .unauthorized ? [("www-authenticate", "Bearer")] : []
        if let wait = error.retryAfter { more.append(("retry-after", "\((wait + 999) / 1_000)")) }
        return .frame(status, .error(ref: nil, error), headers: more)
    }

    /// Returns the wire's error frame, with the allowed methods.
    static func wrongMethod(at path: String, allowed: String) -> HTTPResponse {
        var response = HTTPResponse.error(WireError(.method, "\(path) takes \(allowed)"))
        response.status = 405
        response.headers.append(("allow", allowed))
        return response
    }

    /// Returns the error of a body that is not JSON.
    static var wrongType: HTTPResponse {
        .error(WireError(.contentType, "content-type: must be application/json, with charset=utf-8 or none"))
    }

    /// Returns the answer to a question for the methods of a resource.
    static func allowing(_ methods: String) -> HTTPResponse {
        HTTPResponse(status: 204, headers: [("allow", methods)])
    }

    /// Returns a frame of the wire, without `ref`.
    static func frame(_ status: Int, _ frame: ServerFrame, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("content-type", "application/json"), ("cache-control", "no-store")] + headers,
            body: frame.encoded.bytes)
    }
}
