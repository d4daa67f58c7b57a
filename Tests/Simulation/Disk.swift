import ChatRoom
import ChatWire
import RoomStore

/// What survives the server: what was done, in an ``InMemoryStore`` of the rows that it leads to.
///
/// A restart does it anew, so that nothing survives in another way.
final class Disk {
    let epoch: Epoch
    private let limits: WireLimits
    private let room: RoomName
    private var store: InMemoryStore
    private(set) var log: [Deed] = []
    /// What the world may know.
    private(set) var truth = Truth()

    enum Deed {
        case operation(RoomOperation)
        /// The list was trimmed to so many rows.
        case trimming(Int)

        var isOperation: Bool {
            if case .operation = self { true } else { false }
        }
    }

    init(_ number: Int, room: RoomName, limits: WireLimits) {
        epoch = Epoch("disk \(number)")!
        self.room = room
        self.limits = limits
        store = InMemoryStore(limits: limits)
    }

    /// Carries out a batch; it is durable when ``confirm(_:)`` has been told.
    func commit(_ operations: [Operation]) throws(RoomStoreError) -> [CommitOutcome] {
        let batch = operations.map { RoomOperation(room: room, operation: $0) }
        let outcomes = try store.commit(batch)
        for (operation, outcome) in zip(batch, outcomes) {
            if case .committed = outcome { log.append(.operation(operation)) }
        }
        return outcomes
    }

    /// - Returns: what should have come out.
    func confirm(_ operations: [Operation]) -> [CommitOutcome] {
        operations.map { truth.commit($0, limits: limits) }
    }

    func read(_ query: RoomState.Query) throws(RoomStoreError) -> RoomReading {
        try store.read(room, tail: query.tail, since: query.since, atMost: query.atMost)
    }

    func page(before: UInt64, limit: Int) throws(RoomStoreError) -> ListPage<Message> {
        try store.page(room, before: before, limit: limit)
    }

    /// In what the store differs from what it should hold.
    var deviation: String? {
        guard let held = try? store.read(room, tail: .max, since: nil, atMost: 0) else { return "the disk is dead" }
        return held.revision == truth.revision && held.tail == truth.rows
            ? nil : "the disk is at \(held.revision), must be at \(truth.revision)"
    }

    /// Reads everything again, as a server that starts does.
    ///
    /// - Parameter lost: how many of the last operations, and what was trimmed since them, are not there any more. What
    ///   is trimmed without them would be trimmed again.
    func restart(losing lost: Int = 0) throws(RoomStoreError) {
        for _ in 0..<lost {
            if let last = log.lastIndex(where: \.isOperation) { log.removeSubrange(last...) }
        }
        store = InMemoryStore(limits: limits)
        for deed in log {
            switch deed {
            case .operation(let operation): _ = try store.commit([operation])
            case .trimming(let count): _ = try shorten(to: count)
            }
        }
    }

    /// Lets go of the list's first rows; returns the revision at which it begins later, if it does.
    func trim(to count: Int) throws(RoomStoreError) -> Revision? {
        guard let revision = try shorten(to: count) else { return nil }
        log.append(.trimming(count))
        truth.trim(to: count)
        return revision
    }

    /// Nothing is forgotten: the clocks here jump.
    private func shorten(to count: Int) throws(RoomStoreError) -> Revision? {
        let retention = Retention(.init(messages: count))
        return try store.trim(retention, part: 0, after: nil, at: 0).shortened[room]
    }
}
