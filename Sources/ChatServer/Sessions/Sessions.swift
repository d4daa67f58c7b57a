import ChatRoom
import ChatWire
import Locking
import WebSocketTransport

/// Every connection's session, and how its effects are carried out.
final class Sessions: Sendable {
    /// The sessions of one event loop. Only that loop opens, feeds and ends them, so the lock is hardly ever contended.
    fileprivate struct Loop: Sendable {
        var sessions: [ConnectionID: SessionState] = [:]
        var arrivals: [ConnectionID: Arrival] = [:]
        /// Connections that have yet to say hello, oldest first.
        var greeting: [(deadline: ContinuousClock.Instant, connection: ConnectionID)] = []
        /// The live sessions by ``SessionState/nextExpiry``.
        var expiries = ExpiryQueue()
    }

    private final class Slot: Sendable {
        let loop = Guarded(Loop())
    }

    private let slots: [Slot]
    private let helloTime: Duration
    private let clock = Guarded(HelloClock())
    private let quotas: Quotas

    init(loops: Int, helloTime: Duration, quotas: Quotas) {
        self.quotas = quotas
        slots = (0..<loops).map { _ in Slot() }
        self.helloTime = helloTime
    }

    /// The number of open sessions.
    var count: Int {
        slots.reduce(0) { $0 + $1.loop.withLock { $0.sessions.count } }
    }

    var connections: [ConnectionID] {
        slots.flatMap { $0.loop.withLock { Array($0.sessions.keys) } }
    }

    /// The connections that a proxy has sent here by their rooms.
    ///
    /// - Complexity: O(connections).
    var routed: [(connection: ConnectionID, room: String)] {
        slots.flatMap { slot in
            slot.loop.withLock { loop in
                loop.arrivals.compactMap { connection, arrival in arrival.route.map { (connection, $0) } }
            }
        }
    }

    func has(_ connection: ConnectionID) -> Bool {
        slots.indices.contains(connection.loop)
            && slots[connection.loop].loop.withLock { $0.sessions[connection] != nil }
    }

    /// Returns the connections of one user.
    ///
    /// - Complexity: O(connections).
    func connections(of user: UserName) -> [ConnectionID] {
        slots.flatMap { $0.loop.withLock { $0.sessions.filter { $0.value.user == user }.map(\.key) } }
    }

    /// The first `limit` connections after one, in the order of their numbers.
    ///
    /// - Complexity: O(connections).
    func summaries(after: ConnectionID?, limit: Int) -> [SessionSummary] {
        let later = connections.filter { $0.rawValue > after?.rawValue ?? 0 }
        return later.sorted { $0.rawValue < $1.rawValue }.prefix(limit).compactMap { connection in
            slots[connection.loop].loop.withLock { $0.summary(of: connection) }
        }
    }

    func opened(
        _ connection: ConnectionID, _ arrival: Arrival, authorization: String?, at now: ContinuousClock.Instant
    ) {
        let deadline = clock.withLock { $0.time(at: now) } + helloTime
        slots[connection.loop].loop.withLock { loop in
            loop.sessions[connection] = SessionState(authorization: authorization)
            loop.arrivals[connection] = arrival
            loop.greeting.append((deadline, connection))
        }
    }

    /// Feeds the session. An unknown connection has no effects.
    func feed(
        _ input: SessionInput, to connection: ConnectionID, of server: ServerIdentity
    ) -> [SessionState.Effect] {
        let now = Milliseconds.now
        return slots[connection.loop].loop.withLock { loop in
            loop.change(connection) { $0.handle(input, as: server, at: now) }
        }
    }

    /// Returns the connections whose token ends, or ends soon, and the effects of that.
    ///
    /// - Complexity: O(log connections) for each of them, and the move of those behind.
    func expire(at now: Milliseconds) -> [(ConnectionID, [SessionState.Effect])] {
        slots.flatMap { $0.loop.withLock { $0.expire(at: now) } }
    }

    /// Returns the role of a connection's user in a room, by the present token.
    func role(of connection: ConnectionID, in room: RoomName) -> Role {
        slots[connection.loop].loop.withLock { $0.sessions[connection]?.role(in: room) ?? .none }
    }

    /// A list has heard of the fresh token that came with the request `ref`.
    func regranted(_ connection: ConnectionID, ref: UInt64) -> [SessionState.Effect] {
        slots[connection.loop].loop.withLock { $0.sessions[connection]?.regranted(ref) ?? [] }
    }

    /// Delivers the notes of rooms to sessions of one event loop, in order.
    func deliver(_ notes: [ShardDecision.SessionNote], onLoop loop: Int) {
        let (rate, now) = (quotas.allowances.pages, Milliseconds.now)
        slots[loop].loop.withLock { loop in
            for note in notes {
                switch note {
                case .answered(let connection, let bytes):
                    loop.update(connection) { session in
                        session.answered()
                        if let rate, bytes != 0 { session.charge(bytes, rate, at: now) }
                    }
                case .ended(let connection, let list, let visit):
                    loop.update(connection) { $0.ended(list, visit: visit) }
                }
            }
        }
    }

    /// - Returns: the lists that it was subscribed to, and its user.
    func closed(_ connection: ConnectionID) -> (lists: Set<ListName>, user: UserName?) {
        let session = slots[connection.loop].loop.withLock { loop in
            loop.arrivals[connection] = nil
            let session = loop.sessions.removeValue(forKey: connection)
            loop.expiries.move(connection, from: session?.nextExpiry, to: nil)
            return session
        }
        if let user = session?.user { quotas.leave(user) }
        return (session?.lists ?? [], session?.user)
    }

    /// The connections whose time for hello is over, each once. To be called a few times a second.
    ///
    /// - Parameter silence: the longest time for which an event loop has stood still.
    /// - Complexity: O(those returned).
    func overdue(at now: ContinuousClock.Instant, silence: Duration = .zero) -> [ConnectionID] {
        let now = clock.withLock { $0.update(at: now, silence: silence) }
        return slots.flatMap { slot in
            slot.loop.withLock { loop in
                let due = loop.greeting.prefix { $0.deadline <= now }.map(\.connection)
                loop.greeting.removeFirst(due.count)
                return due.filter { loop.sessions[$0]?.isGreeting == true }
            }
        }
    }
}

extension Sessions.Loop {
    fileprivate func summary(of connection: ConnectionID) -> SessionSummary? {
        guard let session = sessions[connection], let arrival = arrivals[connection] else { return nil }
        return SessionSummary(
            connection: connection, address: arrival.address, since: arrival.time, user: session.user,
            lists: session.lists)
    }

    /// Changes a session in its place, because a copy of one is large. An unknown connection has none.
    fileprivate mutating func update(_ connection: ConnectionID, _ change: (inout SessionState) -> Void) {
        if let place = sessions.index(forKey: connection) { change(&sessions.values[place]) }
    }

    /// Changes a session, and notes when its token needs attention next. An unknown connection has no effects.
    fileprivate mutating func change(
        _ connection: ConnectionID, _ change: (inout SessionState) -> [SessionState.Effect]
    ) -> [SessionState.Effect] {
        guard let place = sessions.index(forKey: connection) else { return [] }
        let before = sessions.values[place].nextExpiry
        let effects = change(&sessions.values[place])
        expiries.move(connection, from: before, to: sessions.values[place].nextExpiry)
        return effects
    }

    fileprivate mutating func expire(at now: Milliseconds) -> [(ConnectionID, [SessionState.Effect])] {
        expiries.due(by: now).map { connection in (connection, change(connection) { $0.expire(at: now) }) }
    }
}
