package import ChatRoom
package import ChatWire
import Files
package import Tokens

/// The state of one connection: decides which requests are accepted, and returns the effects of each.
package struct SessionState: Sendable {
    private enum Phase {
        /// Nothing was said yet. → `live`, `ended`
        case greeting
        /// `hello` was said. → `ended`
        case live(Bearer)
        /// The server has said goodbye and listens to nothing more.
        case ended
    }

    package enum Effect: Equatable, Sendable {
        case answer(ServerFrame)
        case toRoom(RoomName, SessionRequest)
        case toRooms(RoomsToRead)
        /// To the shard that looks after the user's list of rooms.
        case toInbox(UserName, InboxRequest)
        /// To the shard that looks after a list of the user's whose rows are what the store keeps of people.
        case toStored(ListName, UserName, StoredListRequest)
        /// Store the user's draft in a room, or remove it. ``SessionState/answered()`` follows.
        case draft(DraftChange, ref: UInt64)
        /// Store a message or reminder of the user's for later, or remove it. ``SessionState/answered()`` follows.
        case later(LaterChange, ref: UInt64)
        /// Store that the user blocks another one, or does so no more. ``SessionState/answered()`` follows.
        case block(BlockChange, ref: UInt64)
        /// Search for the user, who follows these rooms. ``SessionState/answered()`` follows.
        case search(SearchRequest, UserName, following: [RoomName], ref: UInt64)
        /// Answer a request about files of the user's. ``SessionState/answered()`` follows.
        case files(FileRequest, UserName, ref: UInt64)
        /// Check who it is, and answer by ``SessionState/handle(_:of:as:at:)``: a signature takes a while, and this value
        /// is locked.
        case check(AuthenticationRequest)
        /// A token says what its bearer is called.
        case claim(ClaimedProfile, UserName)
        /// The sender was held to a limit.
        case held(to: HeldLimit)
        /// Say goodbye and close.
        case dismiss(code: UInt16, reason: String)
    }

    private var phase = Phase.greeting
    /// The number of the last subscribe for each.
    private var subscriptions: [ListName: UInt64] = [:]
    private var visits: UInt64 = 0
    /// Commands that rooms have not answered yet.
    private var pending = 0
    private var pace = Pace()
    /// Tokens in a row that were not taken, and how many may be.
    private var rejected = 0
    private static let mostRejected = 8
    /// The handshake's header of this name; `nil` after a `hello`.
    private var authorization: String?
    var expiry = Expiry()
    /// The user who has said hello.
    private(set) var user: UserName?
    /// Fresh tokens that rooms have yet to hear of, by `ref`: how many lists are concerned.
    private var regranting: [UInt64: Int] = [:]

    /// - Parameter authorization: the handshake's header of this name.
    package init(authorization: String? = nil) {
        self.authorization = authorization
    }

    /// True when `hello` is still to come.
    package var isGreeting: Bool {
        if case .greeting = phase { true } else { false }
    }

    /// The lists that a connection which ends must leave.
    package var lists: Set<ListName> { Set(subscriptions.keys) }

    package mutating func handle(_ frame: ClientFrame, as server: ServerIdentity, at time: Milliseconds) -> [Effect] {
        // An unsubscribe lessens the load, and there are no more of them than subscribes.
        if case .unsubscribe(let list) = frame.request, subscriptions[list] != nil {
            return dispatch(frame, as: server, at: time)
        }
        return measured(frame.request, ref: frame.ref, as: server, at: time)
            ?? dispatch(frame, as: server, at: time)
    }

    /// Returns the effects of a request that is above a rate, and `nil` for any other.
    private mutating func measured(
        _ request: ClientFrame.Request?, ref: UInt64?, as server: ServerIdentity, at time: Milliseconds
    ) -> [Effect]? {
        if case .ended = phase { return [] }
        guard let (limit, error) = pace.refusal(of: request, server.quotas.allowances, at: time) else { return nil }
        return refuse(ref, limit, error, server.limits, at: time)
    }

    private mutating func dispatch(
        _ frame: ClientFrame, as server: ServerIdentity, at time: Milliseconds
    ) -> [Effect] {
        switch (phase, frame.request) {
        case (.ended, _):
            return []
        case (.live, _) where expiry.hasCome(by: time):
            return expire()
        case (.greeting, .hello(let credential)):
            return [.check(AuthenticationRequest(credential: credential, authorization: authorization, ref: frame.ref))]
        case (.greeting, .ping), (.live, .ping):
            return [.answer(.pong(ref: frame.ref))]
        case (.greeting, _):
            return [.answer(.error(ref: frame.ref, .helloFirst))]
        case (.live, .hello):
            return [.answer(.error(ref: frame.ref, .helloTwice))]
        case (.live, .token(let token)):
            return [.check(AuthenticationRequest(credential: .token(token), authorization: nil, ref: frame.ref))]
        case (.live(let bearer), let request):
            guard pending < server.limits.pending else {
                let error = WireError.tooManyPending(server.limits.pending)
                return refuse(frame.ref, .pending, error, server.limits, at: time)
            }
            if let room = request.writtenRoom,
                let (limit, error) = server.quotas.refusal(of: bearer.user, writingIn: room, at: time)
            {
                return refuse(frame.ref, limit, error, server.limits, at: time)
            }
            if request.isStoredForUser, let (limit, error) = server.quotas.refusal(of: bearer.user, at: time) {
                return refuse(frame.ref, limit, error, server.limits, at: time)
            }
            let context = RequestContext(
                ref: frame.ref, user: bearer.user, grants: bearer.grants, time: time, tickets: server.files)
            return dispatch(request, context, limits: server.limits)
        }
    }

    /// Handles the outcome of an authentication.
    package mutating func handle(
        _ answer: Result<Bearer, WireError>, of authentication: AuthenticationRequest, as server: ServerIdentity,
        at time: Milliseconds
    ) -> [Effect] {
        switch phase {
        case .greeting: greet(answer, ref: authentication.ref, as: server, at: time)
        case .live(let bearer): renewToken(bearer, answer, ref: authentication.ref, at: time)
        case .ended: []
        }
    }

    /// No hello is longer, in bytes: a token has half of that at most.
    package static let longestHello = 16_384
    /// A longer frame is not read, in bytes, when its sender has said too much.
    package static let longestUnmeasured = 4_096

    /// Returns the effects of a frame longer than ``longestUnmeasured`` that is not to be read; none if it is to be
    /// read.
    ///
    /// It is not to be read if its sender has to wait, or if it is the first one and too long for a `hello`.
    package mutating func passOver(
        _ frame: [UInt8], as server: ServerIdentity, at time: Milliseconds
    ) -> [Effect] {
        if isGreeting, frame.count > Self.longestHello {
            return measured(nil, ref: nil, as: server, at: time) ?? [.answer(.error(ref: nil, .helloTooLong))]
        }
        guard let error = pace.refusal(at: time, server.quotas.allowances) else { return [] }
        return refuse(FrameError.ref(ofUnread: frame), .commandRate, error, server.limits, at: time)
    }

    package mutating func handle(_ error: FrameError, as server: ServerIdentity, at time: Milliseconds) -> [Effect] {
        if case .ended = phase { return [] }
        switch error {
        case .notAnObject(let reason):
            return dismiss(code: CloseCode.badFrame, reason: reason)
        case .bad(let ref, let error):
            return measured(nil, ref: ref, as: server, at: time) ?? [.answer(.error(ref: ref, error))]
        }
    }

    /// The time for `hello` is over.
    package mutating func greetingTimeout() -> [Effect] {
        guard isGreeting else { return [] }
        return dismiss(code: CloseCode.helloTimeout, reason: "no hello in time: say hello first")
    }

    mutating func dismiss(code: UInt16, reason: String) -> [Effect] {
        phase = .ended
        return [.dismiss(code: code, reason: reason)]
    }

    /// A room has answered.
    package mutating func answered() {
        pending -= 1
    }

    /// Charges the connection for an answer with so many bytes more than its request has paid for.
    mutating func charge(_ bytes: Int, _ rate: Rate, at time: Milliseconds) {
        pace.charge(bytes, rate, at: time)
    }

    /// A room has ended a subscription, or would not begin it.
    package mutating func ended(_ list: ListName, visit: UInt64) {
        if subscriptions[list] == visit { subscriptions[list] = nil }
    }

    var isLive: Bool {
        if case .live = phase { true } else { false }
    }

    mutating func activate(_ bearer: Bearer, from time: Milliseconds) {
        phase = .live(bearer)
        user = bearer.user
        expiry = Expiry(of: bearer, from: time)
        authorization = nil
        rejected = 0
    }

    /// A token costs something to check: whoever shows many that are not taken goes.
    mutating func reject(_ ref: UInt64, _ error: WireError) -> [Effect] {
        rejected += 1
        guard rejected <= Self.mostRejected else {
            return dismiss(code: CloseCode.flooding, reason: "too many refused tokens")
        }
        return [.answer(.error(ref: ref, error))]
    }

    /// Returns the user's role in a room, by the present token.
    package func role(in room: RoomName) -> Role {
        if case .live(let bearer) = phase { bearer.grants.role(in: room) } else { .none }
    }

    /// Records the number of lists that a fresh token concerns.
    mutating func expect(_ count: Int, ref: UInt64) {
        regranting[ref] = count
    }

    /// A list has heard of a fresh token.
    package mutating func regranted(_ ref: UInt64) -> [Effect] {
        guard let count = regranting.removeValue(forKey: ref) else { return [] }
        guard count > 1 else { return [.answer(.ok(ref: ref, nil))] }
        regranting[ref] = count - 1
        return []
    }
}

extension ClientFrame.Request {
    /// True when the request stores something that only its user reads.
    fileprivate var isStoredForUser: Bool {
        switch self {
        case .draft: true
        case .later(_, let plan): plan != nil
        case .block(_, let direction): direction == .on
        default: false
        }
    }

    /// The room in which the request stores texts or reactions. Moderators, and who deletes or leaves, never wait for what
    /// others have written.
    fileprivate var writtenRoom: RoomName? {
        switch self {
        case .send(let room, _, _), .edit(let room, _, _, _), .grow(let room, _, _, _), .react(let room, _, _, _, _):
            room
        case .hello, .token, .ping, .subscribe, .unsubscribe, .page, .mentionsPage, .membersPage, .audit, .search,
            .upload,
            .links, .people, .draft, .later, .block, .delete,
            .typing, .read, .readRooms, .join, .leave, .settings, .create, .moderate:
            nil
        }
    }
}

extension Bearer {
    /// The claims about the bearer.
    var claims: [SessionState.Effect] { profile.map { [.claim($0, user)] } ?? [] }
}

extension SessionState {
    private mutating func greet(
        _ answer: Result<Bearer, WireError>, ref: UInt64, as server: ServerIdentity, at time: Milliseconds
    ) -> [Effect] {
        do throws(WireError) {
            let bearer = try answer.get()
            try server.quotas.enter(bearer.user)
            activate(bearer, from: time)
            return [.answer(.welcome(ref: ref, server.welcome(bearer.user, at: time)))] + bearer.claims
        } catch {
            return (error.code == .rateLimited ? [.held(to: .connectionsPerUser)] : []) + reject(ref, error)
        }
    }

    /// Too much: this must wait its turn, and whoever does not listen to that goes.
    private mutating func refuse(
        _ ref: UInt64?, _ limit: HeldLimit, _ error: WireError, _ limits: WireLimits, at time: Milliseconds
    ) -> [Effect] {
        guard !pace.isAbusive(limits, at: time) else {
            return dismiss(code: CloseCode.flooding, reason: "commands at an abusive rate: wait for answers")
        }
        return [.held(to: limit), .answer(.error(ref: ref, error))]
    }

    /// By whom, when, and the number of the answer.
    private struct RequestContext {
        let ref: UInt64
        let user: UserName
        let grants: Grants
        let time: Milliseconds
        /// `nil` on a server that keeps no files.
        let tickets: FileTickets?

        func visitor(in room: RoomName, visit: UInt64 = 0) -> Visitor {
            Visitor(user: user, grant: grants.role(in: room), visit: visit)
        }
    }

    private mutating func dispatch(
        _ request: ClientFrame.Request, _ context: RequestContext, limits: WireLimits
    ) -> [Effect] {
        switch request {
        case .hello, .token, .ping: preconditionFailure("\(request) is answered before")
        case .subscribe(let list, let limit, let resume):
            return subscribe(to: list, limit: limit, resume, context, limits)
        case .unsubscribe(let list): return unsubscribe(from: list, context)
        case .page(let list, let place, let limit): return page(of: list, place, limit: limit, context)
        case .mentionsPage(let before, let limit):
            return query(.toInbox(context.user, .mentionsPage(before: before, ref: context.ref, limit: limit)))
        case .membersPage(let room, let search):
            return enter(room, .members(context.visitor(in: room), ref: context.ref, search))
        case .send(let room, let id, let content): return send(content, as: id, in: room, context)
        case .edit(let room, let command, let id, let edit):
            return operate(in: room, context, command, .edit(id, edit))
        case .grow(let room, let command, let id, let step):
            return operate(in: room, context, command, .grow(id, step))
        case .delete(let room, let command, let id): return operate(in: room, context, command, .delete(id))
        case .react(let room, let command, let id, let emoji, let direction):
            return operate(in: room, context, command, .react(id, emoji: emoji, direction))
        case .typing(let room, let direction): return enter(room, .typing(ref: context.ref, direction))
        case .read(let room, let revision): return read(room, upTo: revision, context)
        case .readRooms(let rooms): return read(rooms, context)
        case .join(let room, let command): return operate(in: room, context, command ?? .random(), .join)
        case .leave(let room, let command): return operate(in: room, context, command ?? .random(), .leave)
        case .settings(let room, let set, let id): return operate(in: room, context, id ?? .random(), .settings(set))
        case .create(let command, let new):
            return operate(in: RoomName(of: new, by: context.user, command), context, command, .create(new))
        case .moderate(let room, let command, let moderation):
            return operate(in: room, context, command, .moderate(moderation))
        case .audit(let room, let before, let limit):
            return enter(room, .audit(context.visitor(in: room), ref: context.ref, before: before, limit: limit))
        case .search(let query): return search(query, context)
        case .upload(let request): return query(.files(.upload(request), context.user, ref: context.ref))
        case .links(let request): return query(.files(.links(request), context.user, ref: context.ref))
        case .people(let names): return query(.toStored(.myPeople, context.user, .request(names, ref: context.ref)))
        case .draft, .later, .block: return keep(request, context)
        }
    }

    /// Handles a request that stores something for its user alone.
    private mutating func keep(_ request: ClientFrame.Request, _ context: RequestContext) -> [Effect] {
        switch request {
        case .draft(let room, let content): keep(content, in: room, context)
        case .later(let id, let plan): keep(plan, as: id, context)
        case .block(let user, let direction): block(user, direction, context)
        default: preconditionFailure("\(request) is not for its user alone")
        }
    }

    private mutating func page(
        of list: ListName, _ place: PagePlace, limit: Int, _ context: RequestContext
    ) -> [Effect] {
        guard case .messages(let room) = list else { return [.answer(.error(ref: context.ref, .noPages(list)))] }
        return enter(room, .page(context.visitor(in: room), ref: context.ref, place, limit: limit))
    }

    private mutating func keep(
        _ draft: MessageContent?, in room: RoomName, _ context: RequestContext
    ) -> [Effect] {
        let change = DraftChange(user: context.user, room: room, content: draft, time: context.time)
        return query(.draft(change, ref: context.ref))
    }

    private mutating func keep(_ plan: LaterItem.Plan?, as id: UniqueID, _ context: RequestContext) -> [Effect] {
        guard let plan else {
            return query(.later(LaterChange(user: context.user, id: id, .cancel), ref: context.ref))
        }
        guard plan.at <= context.time + LaterItem.horizon else {
            return [.answer(.error(ref: context.ref, .tooFarAhead))]
        }
        let role = context.grants.role(in: plan.room)
        return query(.later(LaterChange(user: context.user, id: id, .put(plan, role)), ref: context.ref))
    }

    private mutating func block(
        _ user: UserName, _ direction: ClientFrame.Switch, _ context: RequestContext
    ) -> [Effect] {
        guard user != context.user else { return [.answer(.error(ref: context.ref, .blocksOneself))] }
        let room = RoomName(directRoomOf: [context.user, user])
        let block = StoredBlock(user: user, room: room, time: context.time)
        let change = BlockChange(user: context.user, block, isOn: direction == .on)
        return query(.block(change, ref: context.ref))
    }

    /// Passes on a request that is answered later.
    private mutating func query(_ effect: Effect) -> [Effect] {
        pending += 1
        return [effect]
    }

    /// Sends a message, whose files must have been uploaded for it.
    private mutating func send(
        _ content: MessageContent, as message: MessageID, in room: RoomName, _ context: RequestContext
    ) -> [Effect] {
        var content = content
        do throws(WireError) {
            if let tickets = context.tickets {
                content = try tickets.checked(content, of: message, in: room, by: context.user, at: context.time)
            }
        } catch {
            return [.answer(.error(ref: context.ref, error))]
        }
        return operate(in: room, context, message, .send(content.withoutProofs))
    }

    private mutating func search(_ request: SearchRequest, _ context: RequestContext) -> [Effect] {
        let followed = subscriptions.keys.compactMap { if case .messages(let room) = $0 { room } else { nil } }
        return query(.search(request, context.user, following: followed, ref: context.ref))
    }

    private mutating func subscribe(
        to list: ListName, limit: Int, _ resume: Resume?, _ context: RequestContext, _ limits: WireLimits
    ) -> [Effect] {
        let ref = context.ref
        return subscribe(to: list, context, limits) { visit in
            if list.isStored {
                return .toStored(list, context.user, .subscribe(visit: visit, ref: ref, resume))
            }
            guard let (room, kind) = list.ofRoom else {
                return .toInbox(
                    context.user,
                    .subscribe(OwnList(list), context.grants, visit: visit, ref: ref, limit: limit, resume))
            }
            let visitor = context.visitor(in: room, visit: visit)
            return .toRoom(room, .subscribe(kind, visitor, ref: ref, limit: limit, resume))
        }
    }

    /// - Parameter revision: `nil` for all that is there.
    private mutating func read(_ room: RoomName, upTo revision: Revision?, _ context: RequestContext) -> [Effect] {
        let mark = revision.map { SessionRequest.read(ref: context.ref, $0) }
        return enter(room, mark ?? .readAll(context.visitor(in: room), ref: context.ref))
    }

    private mutating func read(_ rooms: [RoomName], _ context: RequestContext) -> [Effect] {
        pending += 1
        return [.toRooms(RoomsToRead(rooms: rooms, user: context.user, grants: context.grants, ref: context.ref))]
    }

    private mutating func unsubscribe(from list: ListName, _ context: RequestContext) -> [Effect] {
        guard subscriptions.removeValue(forKey: list) != nil else {
            return [.answer(.error(ref: context.ref, .notSubscribed(list)))]
        }
        let note =
            list.ofRoom.map { Effect.toRoom($0, .unsubscribe($1)) }
            ?? (list.isStored
                ? .toStored(list, context.user, .unsubscribe) : .toInbox(context.user, .unsubscribe(OwnList(list))))
        return [note, .answer(.ok(ref: context.ref, nil))]
    }

    private mutating func subscribe(
        to list: ListName, _ context: RequestContext, _ limits: WireLimits, _ request: (_ visit: UInt64) -> Effect
    ) -> [Effect] {
        guard subscriptions[list] != nil || subscriptions.count < limits.subscriptions else {
            let error = WireError.tooManySubscriptions(limits.subscriptions)
            return [.held(to: .subscriptions), .answer(.error(ref: context.ref, error))]
        }
        visits += 1
        subscriptions[list] = visits
        pending += 1
        return [request(visits)]
    }

    private mutating func operate(
        in room: RoomName, _ context: RequestContext, _ command: CommandID, _ action: RoomAction
    ) -> [Effect] {
        let operation = Operation(
            command: command, author: context.user, role: context.grants.role(in: room), time: context.time,
            action: action)
        return enter(room, .operate(ref: context.ref, operation))
    }

    /// Handles a request to a room. Whether its user may is decided there: a room knows of roles that tokens do not.
    private mutating func enter(_ room: RoomName, _ request: SessionRequest) -> [Effect] {
        pending += 1
        return [.toRoom(room, request)]
    }
}
