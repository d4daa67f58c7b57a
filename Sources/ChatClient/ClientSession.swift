package import ChatWire
import Replicas

/// The client's side of the protocol as a pure state: inputs come in, effects go out.
///
/// It has no clock and no socket, and its only randomness comes from a seed.
///
/// - Shape: one connection at a time. After ``SessionEffect/disconnect(code:reason:)`` the session hears nothing more
///   of it.
/// - Units: times are milliseconds of any clock that does not go back.
package struct ClientSession: Sendable {
    enum Phase: Equatable, Sendable {
        /// Not begun, or stopped. Next: `connecting`.
        case idle
        /// The connection was asked for. Next: `greeting`, `waiting`, `ended`, `idle`.
        case connecting
        /// Connected, and `hello` was sent. Next: `ready`, `waiting`, `ended`, `idle`.
        case greeting(since: Milliseconds)
        /// The server has accepted the identity. Next: `waiting`, `ended`, `idle`.
        case ready(Welcome, since: Milliseconds)
        /// The connection was lost. Next: `connecting`, `idle`.
        case waiting(until: Milliseconds)
        /// The connection was lost, and another attempt would fail too. Next: `connecting`, on `start`.
        case ended
    }

    /// The purpose of a request whose answer is awaited.
    enum Awaited: Equatable, Sendable {
        case hello
        case subscribe(ListName)
        case unsubscribe
        case page(ListName)
        case mentionsPage(MentionPlace)
        case question(Question)
        case command
        case ping
        case token
        case read(RoomName)
        case readAll(RoomName)
        case readRooms([RoomName])
        case people([UserName])
        case draft(RoomName, number: UInt64)
        case later(UniqueID, LaterItem.Plan?, number: UInt64)
        case block(UserName, ClientFrame.Switch, number: UInt64)
        /// A request whose answer is ignored.
        case passing

        /// True when the server counts the request among those that wait for their answers.
        var isPending: Bool {
            switch self {
            case .hello, .token, .ping, .unsubscribe: false
            case .subscribe, .page, .mentionsPage, .question, .command, .read, .readAll, .readRooms, .people, .draft,
                .later, .block, .passing:
                true
            }
        }

        /// True when the request waits for those before it.
        var keepsOrder: Bool { isPending || self == .unsubscribe }
    }

    /// The reason for a close that the server announced.
    struct AnnouncedClose: Equatable, Sendable {
        let loss: ConnectionLoss
        let retryAfter: Milliseconds
    }

    /// The time beyond the heartbeat after which a silent server counts as dead; also the time for its `welcome`.
    static let grace: Milliseconds = 10_000

    /// `nil` if each connection needs a token from the provider.
    let credential: ClientFrame.Credential?
    var phase = Phase.idle
    /// The lists that are followed.
    var lists: [ListName: ListSession] = [:]
    /// The number of lists that were ever opened.
    var listsOpened = 0
    var olderMentions = OlderMentions()
    var wanted = PeopleWanted()
    var unstoredDrafts = Unstored<RoomName, MessageContent>()
    var unstoredLater = Unstored<UniqueID, LaterItem.Plan>()
    var unstoredBlocks = Unstored<UserName, ClientFrame.Switch>()
    var outbox = Outbox()
    /// The rooms to mark as read that the server had no time for, each with the time at which to ask again.
    var unread: [RoomName: Milliseconds] = [:]
    /// Questions that wait for a connection, in order.
    var questions: [Question] = []
    var backoff: Backoff
    var awaited: [UInt64: Awaited] = [:]
    /// The number of requests that were sent and that the server counts as pending.
    private var pending = 0
    /// Requests for which there is no room among the pending ones, in order. Commands wait in the outbox.
    private var waiting: [(frame: ClientFrame, purpose: Awaited)] = []
    var announcedClose: AnnouncedClose?
    /// True when the server has accepted the identity at least once.
    var wasWelcome = false
    var lastHeard: Milliseconds = 0
    var lastSaid: Milliseconds = 0
    var lastPing: Milliseconds = 0
    var now: Milliseconds = 0
    var effects: [SessionEffect] = []
    private var lastRef: UInt64 = 0

    /// - Parameter credential: the identity to log in with; `nil` to ask for a token each time.
    package init(credential: ClientFrame.Credential?, backoff: Backoff) {
        self.credential = credential
        self.backoff = backoff
    }

    /// The number of commands without a final answer.
    package var unanswered: Int { outbox.count }

    /// Returns the messages held of a room; `nil` before its first snapshot.
    package func view(of room: RoomName) -> RoomView? {
        rows(of: .messages(room)).map(RoomView.init)
    }

    /// The user's rooms; `nil` before their first snapshot.
    package var ownRooms: RoomsView? {
        rows(of: .myRooms).map(RoomsView.init)
    }

    /// The threads that the user follows; `nil` before their first snapshot.
    package var ownThreads: RoomsView? {
        rows(of: .myThreads).map(RoomsView.init)
    }

    /// The messages that mention the user; `nil` before their first snapshot.
    package var ownMentions: MentionsView? {
        rows(of: .myMentions).map { MentionsView($0, olderMentions) }
    }

    /// The user's drafts; `nil` before the first snapshot.
    package var ownDrafts: DraftsView? {
        rows(of: .myDrafts).map(DraftsView.init)
    }

    /// The user's messages and reminders for later; `nil` before the first snapshot.
    package var ownLater: LaterItemsView? {
        rows(of: .myLater).map(LaterItemsView.init)
    }

    /// The users whom the user has blocked; `nil` before the first snapshot.
    package var ownBlocked: BlockedView? {
        rows(of: .myBlocked).map(BlockedView.init)
    }

    /// Returns the rows held of a list; `nil` before its first snapshot.
    func rows<Row: FollowedRow>(of list: ListName) -> Replica<Row>? { lists[list]?.replica as? Replica<Row> }

    /// Handles one input and returns the effects to perform in order.
    ///
    /// - Complexity: O(1), and the cost of the input itself.
    package mutating func handle(_ input: SessionInput, at time: Milliseconds) -> [SessionEffect] {
        now = max(now, time)
        switch input {
        case .start: start()
        case .stop: stop()
        case .connected: connected()
        case .received(let frame): handle(frame)
        case .unreadable(let error): unreadable(error)
        case .token(let result): tokenCame(result)
        case .disconnected(let loss): handleLoss(loss)
        case .tick: tick()
        case .open(let room, let limit): open(.messages(room), limit: limit)
        case .follow(let list): open(list, limit: ListDigest.window)
        case .openRooms(let limit): open(.myRooms, orMoreOf: limit)
        case .openThreads(let limit): open(.myThreads, orMoreOf: limit)
        case .closeMentions: closeMentions()
        case .olderMentions(let limit): requestOlderMentions(limit: limit)
        case .keep(let draft, let room): keep(draft, in: room)
        case .later(let id, let plan): keep(plan, as: id)
        case .block(let user, let direction): block(user, direction)
        case .people(let names): want(names)
        case .typing(let room, let direction): typing(direction, in: room)
        case .read(let room, let revision): read(upTo: revision, in: room)
        case .readAll(let room): readAll(room)
        case .readRooms(let rooms): readAll(rooms)
        case .audit(let room, let limit): enqueue(.audit(room, limit: limit))
        case .search(let request, let id): enqueue(.search(request, id: id))
        case .upload(let request, let id): enqueue(.upload(request, id: id))
        case .links(let request, let id): enqueue(.links(request, id: id))
        case .members(let room, let search, let id): enqueue(.members(room, search, id: id))
        case .close(let room): close(room)
        case .page(let room, let page, let limit): turn(to: page, of: .messages(room), limit: limit)
        case .look(let room, let id): look(at: id, in: room)
        case .command(let command): enqueue(command)
        }
        defer { effects = [] }
        return effects
    }

    /// Sends a request, or lets it wait until the server takes one more.
    mutating func request(_ request: ClientFrame.Request, _ purpose: Awaited) -> UInt64 {
        lastRef += 1
        awaited[lastRef] = purpose
        let frame = ClientFrame(ref: lastRef, request: request)
        if purpose.keepsOrder, !waiting.isEmpty || purpose.isPending && isFull {
            waiting.append((frame, purpose))
        } else {
            send(frame, purpose)
        }
        return lastRef
    }

    private mutating func send(_ frame: ClientFrame, _ purpose: Awaited) {
        if purpose.isPending { pending += 1 }
        lastSaid = now
        effects.append(.send(frame))
    }

    private var isFull: Bool { welcome.map { pending >= max(1, $0.limits.pending) } ?? false }

    /// True when a request would be sent at once.
    var hasRoom: Bool { waiting.isEmpty && !isFull }

    /// A request was answered: those that wait may go.
    mutating func makeRoom(after purpose: Awaited) {
        if purpose.isPending { pending = max(0, pending - 1) }
        var sent = 0
        while sent < waiting.count, !(waiting[sent].purpose.isPending && isFull) {
            send(waiting[sent].frame, waiting[sent].purpose)
            sent += 1
        }
        waiting.removeFirst(sent)
        pump()
    }

    /// No answer will come.
    mutating func forgetRequests() {
        (awaited, pending, waiting) = ([:], 0, [])
    }

    /// The number of the next request.
    var nextRef: UInt64 { lastRef + 1 }

    var welcome: Welcome? {
        if case .ready(let welcome, _) = phase { welcome } else { nil }
    }

    mutating func notify(_ notice: SessionNotice) {
        effects.append(.notice(notice))
    }
}
