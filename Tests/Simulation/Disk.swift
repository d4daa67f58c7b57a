import ChatRoom
import ChatWire
import RoomStore

/// What survives the server: what was done, in an ``InMemoryStore`` of the rows that it leads to.
///
/// A restart does it anew, so that nothing survives in another way.
final class Disk {
    /// Each is of a later history than those with lower numbers.
    let number: Int
    let epoch: Epoch
    private let limits: WireLimits
    private var store: InMemoryStore
    private(set) var log: [Deed] = []
    /// What the world may know.
    private var truths: [RoomName: Truth] = [:]

    enum Deed {
        case operation(RoomOperation)
        /// Each list was trimmed to so many rows.
        case trimming(Int)
        case marks([ReadMark])

        var operation: RoomOperation? {
            if case .operation(let operation) = self { operation } else { nil }
        }
    }

    init(_ number: Int, limits: WireLimits) {
        self.number = number
        epoch = Epoch("disk \(number)")!
        self.limits = limits
        store = InMemoryStore(limits: limits)
    }

    func truth(of room: RoomName) -> Truth { truths[room] ?? Truth() }

    /// Carries out a batch; it is durable when ``confirm(_:)`` has been told.
    func commit(_ batch: [RoomOperation]) throws(RoomStoreError) -> [CommitOutcome] {
        let outcomes = try store.commit(batch)
        for (operation, outcome) in zip(batch, outcomes) {
            if case .committed = outcome { log.append(.operation(operation)) }
        }
        return outcomes
    }

    func mark(_ marks: [ReadMark]) throws(RoomStoreError) {
        _ = try store.commit([], marking: marks)
        log.append(.marks(marks))
    }

    /// - Returns: what should have come out.
    func confirm(_ batch: [RoomOperation]) -> [CommitOutcome] {
        batch.map { truths[$0.room, default: Truth()].commit($0.operation, limits: limits) }
    }

    func read(_ room: RoomName, _ query: RoomState.Query) throws(RoomStoreError) -> RoomReading {
        try store.soundReading(of: room, tail: query.tail, since: query.since, atMost: query.atMost)
    }

    func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        try store.memberships(of: user)
    }

    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try store.memberships(of: users, in: room)
    }

    func page(_ room: RoomName, _ place: PagePlace, limit: Int) throws(RoomStoreError) -> ListPage<Message>? {
        try store.page(room, place, limit: limit)
    }

    func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        try store.soundHeld(query, in: room)
    }

    /// How far a room has got.
    func head(of room: RoomName) throws(RoomStoreError) -> Revision {
        try store.read(room, tail: 0, since: nil, atMost: 0).revision
    }

    /// In what the store differs from what it should hold of a room.
    func deviation(of room: RoomName) -> String? {
        guard let held = try? store.read(room, tail: .max, since: nil, atMost: 0) else { return "the disk is dead" }
        let truth = truth(of: room)
        return held.revision == truth.revision && held.tail == truth.rows
            ? nil : "the disk is at \(held.revision) of room \(room), must be at \(truth.revision)"
    }

    /// Lets go of the lists' first rows; returns the revisions at which they begin later, of those that do.
    func trim(to count: Int) throws(RoomStoreError) -> [RoomName: Revision] {
        let shortened = try shorten(to: count)
        guard !shortened.isEmpty else { return [:] }
        log.append(.trimming(count))
        for room in shortened.keys { truths[room, default: Truth()].trim(to: count) }
        return shortened
    }

    /// Nothing is forgotten: the clocks here jump.
    private func shorten(to count: Int) throws(RoomStoreError) -> [RoomName: Revision] {
        let retention = Retention(.init(messages: count))
        return try store.trim(retention, part: 0, after: nil, at: 0).shortened
    }
}

// MARK: - Restarts, and lost histories

extension Disk {
    /// Reads everything again, as a server that starts does.
    ///
    /// - Parameter lost: how many of the last operations, and what was trimmed since them, are not there any more. What
    ///   is trimmed without them would be trimmed again.
    func restart(losing lost: Int = 0) throws(RoomStoreError) {
        log.removeSubrange(end(losing: lost)...)
        store = InMemoryStore(limits: limits)
        for deed in log {
            switch deed {
            case .operation(let operation): _ = try store.commit([operation])
            case .trimming(let count): _ = try shorten(to: count)
            case .marks(let marks): _ = try store.commit([], marking: marks)
            }
        }
    }

    /// A standby takes over, which lacks the last operations: that is another history.
    func fork(_ number: Int, losing lost: Int) throws(RoomStoreError) -> Disk {
        let fork = Disk(number, limits: limits)
        for deed in log[..<end(losing: lost)] {
            switch deed {
            case .operation(let operation):
                _ = try fork.commit([operation])
                _ = fork.confirm([operation])
            case .trimming(let count):
                _ = try fork.trim(to: count)
            case .marks(let marks): try fork.mark(marks)
            }
        }
        return fork
    }

    /// The operations that a later history does not have.
    func operations(notIn later: Disk) -> [RoomOperation] {
        log.dropFirst(later.log.count).compactMap(\.operation)
    }

    /// Where the log ends without so many of its last operations.
    private func end(losing lost: Int) -> Int {
        let operations = log.indices.filter { log[$0].operation != nil }
        return lost == 0 ? log.count : operations.suffix(lost).first ?? log.count
    }
}
