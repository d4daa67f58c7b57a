package import ChatWire

/// One client's side of the protocol: what it is told goes in, what is to be done comes out. It has no clock, no socket and no
/// randomness but a seed.
///
/// - Shape: one connection at a time; after ``SessionEffect/disconnect(code:reason:)`` nothing of the old one is told.
/// - Units: times are milliseconds of any clock that does not go back.
package struct ClientSession: Sendable {
    enum Phase: Equatable, Sendable {
        /// Not begun, or stopped. Then `connecting`.
        case idle
        /// The connection was asked for. Then `greeting`, `waiting`, `ended`, `idle`.
        case connecting
        /// Connected, and `hello` was said. Then `ready`, `waiting`, `ended`, `idle`.
        case greeting(since: Milliseconds)
        /// The server knows us. Then `waiting`, `ended`, `idle`.
        case ready(Welcome, since: Milliseconds)
        /// The connection was lost. Then `connecting`, `idle`.
        case waiting(until: Milliseconds)
        /// The connection was lost, and trying again would be in vain. Then `connecting`, if told to start.
        case ended
    }

    /// What an answer will be to.
    enum Awaited: Equatable, Sendable {
        case hello
        case subscribe(ListName)
        case unsubscribe
        case page(RoomName)
        case audit(RoomName, limit: Int)
        case command
        case ping
        case token
        /// What nobody waits for.
        case passing
    }

    /// What the server said before it closed.
    struct Farewell: Equatable, Sendable {
        let loss: ConnectionLoss
        let retryAfter: Milliseconds
    }

    /// Beyond the server's heartbeat, after which it is taken for dead; and for its `welcome`.
    static let grace: Milliseconds = 10_000

    /// `nil` if it is a token, to be found anew for each connection.
    let credential: ClientFrame.Credential?
    var phase = Phase.idle
    var rooms: [RoomName: ListSession<Message>] = [:]
    var people: [RoomName: ListSession<Member>] = [:]
    var outbox = Outbox()
    /// Audit logs to be asked for when there is a connection, in order.
    var audits: [(room: RoomName, limit: Int)] = []
    var backoff: Backoff
    var awaited: [UInt64: Awaited] = [:]
    var farewell: Farewell?
    /// The server has taken who we are, at least once.
    var wasWelcome = false
    var lastHeard: Milliseconds = 0
    var lastSaid: Milliseconds = 0
    var lastPing: Milliseconds = 0
    var now: Milliseconds = 0
    var effects: [SessionEffect] = []
    private var lastRef: UInt64 = 0

    /// - Parameter credential: who to say that we are; `nil` to ask for a token each time.
    package init(credential: ClientFrame.Credential?, backoff: Backoff) {
        self.credential = credential
        self.backoff = backoff
    }

    /// Commands that have no final answer yet.
    package var unanswered: Int { outbox.count }

    /// What is held of a room; `nil` before its first snapshot.
    package func view(of room: RoomName) -> RoomView? {
        rooms[room]?.replica.map(RoomView.init)
    }

    /// Takes one input.
    ///
    /// - Complexity: O(1) and what the input itself brings.
    package mutating func receive(_ input: SessionInput, at time: Milliseconds) -> [SessionEffect] {
        now = max(now, time)
        switch input {
        case .start: start()
        case .stop: stop()
        case .connected: connected()
        case .received(let frame): received(frame)
        case .unreadable(let error): unreadable(error)
        case .token(let result): tokenCame(result)
        case .disconnected(let loss): lose(loss)
        case .tick: tick()
        case .open(let room, let limit): open(Message.self, of: room, limit: limit)
        case .openMembers(let room): open(Member.self, of: room, limit: ListDigest.window)
        case .typing(let room, let direction): typing(direction, in: room)
        case .read(let room, let revision): read(upTo: revision, in: room)
        case .audit(let room, let limit): audit(room, limit: limit)
        case .leave(let room): leave(room)
        case .older(let room, let limit): older(room, limit: limit)
        case .command(let command): take(command)
        }
        defer { effects = [] }
        return effects
    }

    mutating func ask(_ request: ClientFrame.Request, _ purpose: Awaited) -> UInt64 {
        lastRef += 1
        awaited[lastRef] = purpose
        lastSaid = now
        effects.append(.send(ClientFrame(ref: lastRef, request: request)))
        return lastRef
    }

    /// The number that the next request will have.
    var nextRef: UInt64 { lastRef + 1 }

    var welcome: Welcome? {
        if case .ready(let welcome, _) = phase { welcome } else { nil }
    }

    mutating func notice(_ notice: SessionNotice) {
        effects.append(.notice(notice))
    }
}
