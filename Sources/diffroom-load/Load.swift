import ChatClient
import ChatWire
import WebSocketTransport

/// The load of one process: the state of every client. One thread at a time passes it events and the time.
///
/// - Units: times are microseconds of a clock that does not go back.
struct Load {
    enum Phase: Equatable {
        /// All clients connect. Next: `running`.
        case joining(since: Int64)
        /// Publishers write. Next: `settling`.
        case running(since: Int64)
        /// The writers have stopped; answers and changes arrive. Next: `over`.
        case settling(since: Int64)
        case over
    }

    let options: Options
    /// This process's part of the run.
    let part: Part
    /// Set before the first event.
    var transport: WebSocketClient?
    var phase: Phase
    var now: Int64
    var clients: [Client] = []
    var clientOf: [ConnectionID: Int] = [:]
    var cache = FrameCache()
    var report = Report()
    var random: SeededGenerator

    var unanswered: [CommandID: Unanswered] = [:]
    var expected: [Int: [MessageID: Expectation]] = [:]
    /// The rooms in which a reader lost a message that no user had deleted.
    var trimmed: Set<Int> = []
    /// Commands that were refused because their message is not there. At the end it must turn out that it was trimmed.
    var missed: [(room: Int, message: MessageID, why: String)] = []
    var spans = SendSpans()
    var scheduled = 0
    var nextToConnect = 0
    var connecting = 0
    /// The connections that are not open yet, and the clients that wait to open one.
    ///
    /// libwebsockets keeps a list of connections that are not open, and searches it for each of them.
    var opening: Set<ConnectionID> = []
    var waitingToOpen: [Int] = []
    private var nextToTick = 0
    /// The first sort key that any reader holds, by room, once the writing is over.
    var earliestKnown: [Int: UInt64] = [:]
    /// The time of the next check whether all clients have everything.
    var nextLook: Int64 = 0
    /// The first revision that a command of this load made, by room.
    var firstWritten: [Int: Revision] = [:]
    /// The last such revision. A client that has everything has reached it.
    var lastWritten: [Int: Revision] = [:]
    /// The readers that were cut all at once and are not back yet.
    var herd: Set<Int> = []
    /// The time at which they were cut.
    var herdCut: Int64?
    var subscribers: Range<Int> = 0..<0
    var publishers: Range<Int> = 0..<0

    struct Part: Equatable, Sendable {
        let index: Int
        let count: Int

        /// Returns this part's share of `total` things.
        func share(of total: Int) -> Range<Int> {
            total * index / count..<total * (index + 1) / count
        }
    }

    init(_ options: Options, part: Part, now: Int64) {
        self.options = options
        self.part = part
        self.now = now
        phase = .joining(since: now)
        random = SeededGenerator(seed: options.seed &+ UInt64(part.index) &* 0x9E37)
        addClients()
    }

    private mutating func addClients() {
        for index in part.share(of: options.rooms * options.subscribers) {
            let room = index / options.subscribers
            add(.subscriber, rooms: room..<room + 1, reader(index))
            if isMember(index) { clients[clients.count - 1].memberships = memberships(from: room) }
        }
        subscribers = 0..<clients.count
        for index in part.share(of: options.rooms * options.publishers) {
            let room = index / options.publishers
            add(.publisher, rooms: room..<room + 1, user("writer-\(index)"))
        }
        publishers = subscribers.upperBound..<clients.count
        report.connections = clients.count
        for index in subscribers where random.chance(options.stall) { clients[index].nextStall = 0 }
    }

    func reader(_ index: Int) -> UserName { user("reader-\(index)") }

    func user(_ name: String) -> UserName {
        guard let user = UserName(name) else { preconditionFailure("user \(name)") }
        return user
    }

    mutating func add(_ role: Client.Role, rooms: Range<Int>, _ user: UserName) {
        var backoff = Backoff(seed: random.next())
        backoff.cap = 2_000
        let session = ClientSession(credential: options.tokens == nil ? .user(user) : nil, backoff: backoff)
        clients.append(Client(role: role, user: user, rooms: rooms, session: session))
    }

    // MARK: - Events

    mutating func handle(_ event: WebSocketClient.Event, at time: Int64) {
        now = time
        switch event {
        case .opened(let id):
            handle(id, .connected)
            opened(id)
        case .received(let id, let bytes):
            do throws(FrameError) {
                handle(id, .received(try cache.frame(bytes)))
            } catch {
                report.torn += 1
                report.recordFailure("unreadable frame: \(error)")
                handle(id, .unreadable(error))
            }
        case .closed(let id, let code, let reason): ended(id, .closed(code: code, reason: reason))
        case .failed(let id, let why): ended(id, .failed(why))
        }
    }

    private mutating func ended(_ id: ConnectionID, _ loss: ConnectionLoss) {
        opened(id)
        guard let index = clientOf.removeValue(forKey: id) else { return }
        clients[index].connection = nil
        handle(index, .disconnected(loss))
    }

    private mutating func handle(_ id: ConnectionID, _ input: SessionInput) {
        if let index = clientOf[id] { handle(index, input) }
    }

    mutating func handle(_ index: Int, _ input: SessionInput) {
        for effect in clients[index].session.handle(input, at: now / 1_000) { perform(effect, for: index) }
    }

    // MARK: - Time

    /// Lets time pass. Call it every few milliseconds.
    mutating func tick(at time: Int64) {
        now = time
        switch phase {
        case .joining(let since): join(since)
        case .running(let since): run(since)
        case .settling(let since): awaitConvergence(since)
        case .over: return
        }
        // Tick a slice of the clients, so that each has a turn about every tenth of a second.
        for _ in 0..<(clients.count / 50 + 1) where !clients.isEmpty {
            nextToTick = (nextToTick + 1) % clients.count
            if let deadline = clients[nextToTick].session.deadline, deadline <= now / 1_000 {
                handle(nextToTick, .tick)
            }
        }
    }
}
