package import ChatRoom
package import ChatWire
import Locking
package import RoomStore

/// The rooms in one SQLite file.
///
/// One connection writes, for one committer at a time; each reader has a connection of its own and sees the last
/// commit, so that reads never wait for a commit. What a commit returned survives a killed process and a power loss.
///
/// - Errors: ``RoomStoreError``.
package final class SQLiteStore: RoomStore {
    package let epoch: Epoch
    private let path: String
    private let writer: Guarded<StoreWriter>
    private let notes: DeliveryNotes
    private let idleReaders = Guarded<[StoreReader]>([])
    // Declared last, so that it goes after the connections.
    private let lock: DataLock

    /// How many connections are kept for the next reads. There are never more than callers at one time.
    private static let keptReaders = 8

    /// Opens the data at `path`, making it if it is not there, and brings it to the latest format.
    ///
    /// - Errors: `inUse` while another store has it open, in this process or another; `readOnly`, `full`; `notAStore`,
    ///   `newer`, `damaged` for a file that this version cannot serve, which is left as it is; `unavailable`.
    /// - Parameter limits: what the fold holds operations to.
    package convenience init(path: String, limits: WireLimits = WireLimits()) throws(RoomStoreError) {
        try self.init(path: path, limits: limits, schema: .current)
    }

    init(path: String, limits: WireLimits, schema: Schema) throws(RoomStoreError) {
        let path = try dataPath(path)
        let lock = try DataLock(for: path)
        let connection = try Connection.open(path, gathersLog: true)
        let format = try schema.format(of: connection)
        if format == 0 { try connection.keepTrackOfFreePages() }
        try connection.requireWriteAheadLog()
        try schema.migrate(connection, from: format)
        epoch = try connection.epoch()
        let checkpointer = try Checkpointer(path: path, lock: lock)
        let notes = DeliveryNotes()
        writer = Guarded(
            try StoreWriter(connection, limits: limits, checkpointer: checkpointer, notes: notes))
        self.notes = notes
        self.path = path
        self.lock = lock
    }

    package func commit(_ batch: [RoomOperation]) throws(RoomStoreError) -> [CommitOutcome] {
        try writer.withLock { (writer) throws(RoomStoreError) in try writer.commit(batch) }
    }

    package func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int
    ) throws(RoomStoreError) -> RoomReading {
        try withReader { (reader) throws(RoomStoreError) in
            try reader.read(room, tail: tail, since: since, atMost: atMost)
        }
    }

    package func page(_ room: RoomName, before: UInt64, limit: Int) throws(RoomStoreError) -> ListPage<Message> {
        try withReader { (reader) throws(RoomStoreError) in try reader.page(room, before: before, limit: limit) }
    }

    package func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        try withReader { (reader) throws(RoomStoreError) in try reader.rooms(after: name, limit: limit) }
    }

    package func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        try withReader { (reader) throws(RoomStoreError) in try reader.operations(room, since: since, limit: limit) }
    }

    package func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try withReader { (reader) throws(RoomStoreError) in try reader.audit(room, before: before, limit: limit) }
    }

    /// Commits wait for what is due, one transaction of it, and for nothing else.
    package func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: Milliseconds
    ) throws(RoomStoreError) -> Trimming {
        let rooms = try withReader { (reader) throws(RoomStoreError) in
            try reader.rooms(after: room, retention, at: now)
        }
        let due = rooms.filter(\.isDue).map(\.name)
        var step = Trimming(after: room)
        if !due.isEmpty {
            try writer.withLock { (writer) throws(RoomStoreError) in
                try writer.trim(due, retention, at: now, into: &step)
            }
        }
        step.finish(visited: rooms.last?.name, of: rooms.count)
        step.free(try writer.withLock { (writer) throws(RoomStoreError) in try writer.giveBack() })
        return step
    }

    package func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? {
        try SQLiteDeliveries(of: self)
    }

    // MARK: - Deliveries

    /// Once for good: what is there before anybody is to be told counts as told.
    func beginDeliveries() throws(RoomStoreError) {
        try writer.withLock { (writer) throws(RoomStoreError) in try writer.beginDeliveries() }
    }

    func deliveryStates(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        try withReader { (reader) throws(RoomStoreError) in try reader.deliveryStates(after: name, limit: limit) }
    }

    func deliveryState(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        try withReader { (reader) throws(RoomStoreError) in try reader.deliveryState(of: room) }
    }

    var deliveryNotes: [RoomName: Revision] { notes.revisions }

    func noteDelivery(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {
        guard notes.add(room, upTo: revision) == .due else { return }
        try writer.withLock { (writer) throws(RoomStoreError) in try writer.writeNotes() }
    }

    private func withReader<Result>(
        _ body: (StoreReader) throws(RoomStoreError) -> Result
    ) throws(RoomStoreError) -> Result {
        let idle = idleReaders.withLock { $0.popLast() }
        let reader = if let idle { idle } else { try StoreReader(path: path) }
        // After an error it goes, with whatever state it is in.
        let result = try body(reader)
        idleReaders.withLock { if $0.count < Self.keptReaders { $0.append(reader) } }
        return result
    }
}

extension Connection {
    borrowing func epoch() throws(RoomStoreError) -> Epoch {
        let text = try Statement("SELECT epoch FROM store", on: self).first { (row) throws(RoomStoreError) in
            try row.text(0)
        }
        guard let epoch = text.flatMap(Epoch.init) else {
            throw .damaged(path: RoomStoreError.path(of: handle), "it has no epoch")
        }
        return epoch
    }
}
