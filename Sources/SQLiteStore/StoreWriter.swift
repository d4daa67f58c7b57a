import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// Commits batches over the one connection that writes.
struct StoreWriter: ~Copyable {
    private let connection: Connection
    private let limits: WireLimits
    private let rooms: RoomStatements
    private let rows: RowStatements
    private let ruling: RuleStatements
    private let memberships: MembershipStatements
    private let sizes: SizeStatements
    private let trimming: TrimStatements
    private let profiles: ProfileStatements
    private let drafts: DraftStatements
    private let later: LaterStatements
    private let blocks: BlockStatements
    private let setDelivery: Statement
    private let noteTime: Statement
    private let notes: DeliveryNotes
    private let control: ControlFile
    private var log: WriteAheadLog
    /// The file's note of the store's time.
    private var noted: TimeNote
    private var damagedRows = DamagedRows.refused

    /// The largest cache of pages, in KiB. A batch over many rooms writes to some pages of each, and pages outside the
    /// cache are read again.
    private static let cache = 32_768

    /// - Parameters:
    ///   - connection: to a file in the latest format.
    ///   - noted: the file's note of the store's time.
    init(
        _ connection: consuming Connection, limits: WireLimits, log: consuming WriteAheadLog, control: ControlFile,
        notes: DeliveryNotes, noted: TimeNote
    ) throws(RoomStoreError) {
        try connection.execute("PRAGMA cache_size = -\(Self.cache)")
        let rooms = try RoomStatements(connection)
        let rows = try RowStatements(connection)
        let ruling = try RuleStatements(connection)
        let memberships = try MembershipStatements(connection, limits: limits)
        let sizes = try SizeStatements(connection, limits: limits)
        let trimming = try TrimStatements(connection)
        let profiles = try ProfileStatements(connection)
        let drafts = try DraftStatements(connection)
        let later = try LaterStatements(connection)
        let blocks = try BlockStatements(connection)
        let setDelivery = try Statement(.setDelivery, on: connection)
        let noteTime = try Statement(TimeNote.sql, on: connection)
        self.rooms = rooms
        self.rows = rows
        self.ruling = ruling
        self.memberships = memberships
        self.sizes = sizes
        self.trimming = trimming
        self.profiles = profiles
        self.drafts = drafts
        self.later = later
        self.blocks = blocks
        self.setDelivery = setDelivery
        self.noteTime = noteTime
        self.notes = notes
        self.noted = noted
        self.log = log
        self.control = control
        self.connection = connection
        self.limits = limits
    }

    /// See ``RoomStore/commit(inOrder:)``.
    ///
    /// - Parameter lead: the time by which the store's time is ahead of the time of day.
    mutating func commit(
        _ batch: [BatchEntry], lead: Milliseconds, _ damagedRows: DamagedRows = .refused
    ) throws(RoomStoreError) -> [CommitOutcome] {
        self.damagedRows = damagedRows
        let delivered = notes.revisions
        let time = noted.following(batch, lead: lead)
        let (outcomes, reached) = try execute(batch, with: delivered, time)
        notes.remove(delivered)
        if let time { noted = time }
        log.committed(over: connection, reached: reached)
        return outcomes
    }

    /// See ``RoomStore/write(_:)``.
    mutating func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> {
        let written = try connection.transaction(.writing) { () throws(RoomStoreError) in try profiles.write(changes) }
        if !written.isEmpty { log.committed(over: connection) }
        return written
    }

    /// See ``RoomStore/write(_:keeping:)``.
    mutating func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError) {
        try connection.transaction(.writing) { () throws(RoomStoreError) in try drafts.write(changes, keeping: most) }
        log.committed(over: connection)
    }

    /// See ``RoomStore/write(_:most:)``.
    mutating func write(
        _ changes: [LaterChange], most: Int
    ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>] {
        let outcomes = try connection.transaction(.writing) { () throws(RoomStoreError) in
            try later.write(changes, most: most)
        }
        log.committed(over: connection)
        return outcomes
    }

    /// See ``RoomStore/write(_:most:)-([BlockChange],_)``.
    mutating func write(_ changes: [BlockChange], most: Int) throws(RoomStoreError) -> [Bool] {
        let accepted = try connection.transaction(.writing) { () throws(RoomStoreError) in
            try blocks.write(changes, most: most)
        }
        log.committed(over: connection)
        return accepted
    }

    /// See ``SQLiteStore/beginDeliveries()``.
    mutating func beginDeliveries() throws(RoomStoreError) {
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            guard try connection.number("SELECT count(*) FROM deliveries WHERE room = 0") == 0 else { return }
            try connection.execute(
                "INSERT INTO deliveries(room, revision) SELECT id, revision FROM rooms UNION ALL SELECT 0, 0")
        }
        log.committed(over: connection)
    }

    /// Commits a transaction that changes nothing.
    mutating func tryToWrite() throws(RoomStoreError) {
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            try connection.execute("UPDATE store SET session = session")
        }
        log.committed(over: connection)
    }

    /// Writes the delivery notes in a transaction of its own.
    mutating func writeNotes() throws(RoomStoreError) {
        if !notes.revisions.isEmpty { _ = try commit([], lead: noted.lead) }
    }

    /// Moves everything into the file. Nothing may be committed afterwards.
    mutating func end() throws(RoomStoreError) {
        try writeNotes()
        // This may have begun a copy, and of two at a time SQLite refuses the second without waiting.
        log.waitUntilIdle()
        try History.end(connection, control)
    }

    /// Leaves the log where it is when this value goes.
    borrowing func keepLog() {
        connection.keepLog()
        log.keep()
    }

    /// Trims these rooms by one step.
    mutating func trim(
        _ names: [RoomName], _ retention: Retention, at now: StoreMoment, from before: Trimming
    ) throws(RoomStoreError) -> Trimming {
        var reached: Reached?
        let step = try connection.transaction(.writing) { () throws(RoomStoreError) in
            var step = before
            for name in names where !step.isEnough {
                do throws(RoomStoreError) {
                    let room = try rooms.find(name)
                    guard let id = room.id else { continue }
                    let trimmed = try trimming.trim(room, id, retention.rule(for: name), retention, at: now)
                    if let revision = trimmed.revision { reached = (id, revision) }
                    step.add(trimmed, of: name)
                } catch {
                    throw error.of(name)
                }
            }
            return step
        }
        log.committed(over: connection, reached: reached)
        return step
    }

    /// Repairs a room as far as its operations decide it.
    mutating func repair(_ name: RoomName) throws(RoomStoreError) -> LiveRepair.Outcome {
        do throws(RoomStoreError) {
            let outcome = try connection.transaction(.writing) { () throws(RoomStoreError) in
                try LiveRepair.perform(in: name, over: connection)
            }
            if !outcome.repaired.isEmpty { log.committed(over: connection) }
            return outcome
        } catch {
            throw error.of(name)
        }
    }

    /// Returns a little of the file's free space to the disk, and its size in bytes.
    mutating func releaseFreePages() throws(RoomStoreError) -> Int {
        let bytes = try connection.releaseFreePages()
        if bytes > 0 { log.committed(over: connection) }
        return bytes
    }

    private typealias Reached = (room: Int64, revision: Revision)

    private borrowing func execute(
        _ batch: [BatchEntry], with noted: [RoomName: Revision], _ time: TimeNote?
    ) throws(RoomStoreError) -> (outcomes: [CommitOutcome], reached: Reached?) {
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            var touched: [RoomName: StoredRoom] = [:]
            var outcomes: [CommitOutcome] = []
            outcomes.reserveCapacity(batch.count)
            for entry in batch {
                do throws(RoomStoreError) {
                    var room = try find(entry.room, among: touched)
                    switch entry {
                    case .operation(let entry):
                        outcomes.append(try apply(entry.operation, to: &room, named: entry.room, among: touched))
                    case .mark(let mark): try memberships.write(mark, in: room)
                    }
                    touched[entry.room] = room
                } catch {
                    throw error.of(entry.room)
                }
            }
            var reached: Reached?
            for room in touched.values where room.isChanged {
                try rooms.update(room)
                if let id = room.id { reached = (id, room.revision) }
            }
            for (room, revision) in noted { try write(revision, ofDeliveryIn: room) }
            if let time { try write(time) }
            return (outcomes, reached)
        }
    }

    private borrowing func write(_ time: TimeNote) throws(RoomStoreError) {
        noteTime.bind(1, time.latest)
        noteTime.bind(2, time.lead)
        try noteTime.run()
    }

    private borrowing func write(_ revision: Revision, ofDeliveryIn room: RoomName) throws(RoomStoreError) {
        setDelivery.bind(1, room.description)
        setDelivery.bind(2, revision)
        try setDelivery.run()
    }

    /// - Parameter touched: the rooms of the batch so far.
    private borrowing func apply(
        _ operation: Operation, to room: inout StoredRoom, named name: RoomName, among touched: [RoomName: StoredRoom]
    ) throws(RoomStoreError) -> CommitOutcome {
        let parent = try name.parent.map { (parent) throws(RoomStoreError) in
            try find(parent, among: touched)
        }
        var fold = FoldBase(
            operation.readSet(in: room.kind, isThread: name.isThread),
            of: parent?.configuration.inThreads ?? room.configuration)
        let row = try fold.loadMessage { (id) throws(RoomStoreError) in try find(id, in: room, named: name) }
        try fold.loadThread { (id) throws(RoomStoreError) in
            try rows.summary(of: find(name.thread(of: id), among: touched))
        }
        try fold.loadRoot { () throws(RoomStoreError) in try firstFollowers(of: name, room, in: parent) }
        try fold.loadSizes { (tables) throws(RoomStoreError) in
            try sizes.find(tables, in: room, at: operation.instant)
        }
        try fold.loadStandings { (user) throws(RoomStoreError) in try ruling.standing(of: user, in: parent ?? room) }
        try fold.loadMemberships { (user) throws(RoomStoreError) in try memberships.find(user, in: room, named: name) }
        try fold.loadLastSend { (user) throws(RoomStoreError) in try ruling.lastSend(of: user, in: room) }
        let base = CommitBase(
            revision: room.revision,
            earlier: try rooms.operation(of: operation.command, in: room.id, named: name), fold: fold)
        let outcome = operation.outcome(onto: base, limits: limits)
        if case .committed(let next, let change) = outcome {
            let id = if let id = room.id { id } else { try rooms.add(name) }
            try write(change, of: operation, about: row, at: next, to: &room, id, named: name)
            try sizes.write(growth: fold.growth(by: change), of: id)
        }
        return outcome
    }

    private borrowing func write(
        _ change: RowChange, of operation: Operation, about row: Message?, at next: Revision, to room: inout StoredRoom,
        _ id: Int64, named name: RoomName
    ) throws(RoomStoreError) {
        try rooms.record(
            CommittedOperation(revision: next, operation: operation.whole(about: row, change), change: change),
            about: row,
            in: id)
        try rows.write(change, at: next, replacing: row, after: room.inserted, in: id)
        try ruling.write(change, to: &room, of: id)
        try memberships.write(change, of: operation, at: next, in: id, named: name)
        room.id = id
        room.revision = next
        room.count += change.growth
        guard room.count >= 0 else { throw .damaged("more rows are deleted than are counted") }
        if case .inserted = change { room.inserted += 1 }
        room.activity = change.activity(after: room.activity)
        room.isChanged = true
    }

    private borrowing func find(
        _ name: RoomName, among touched: [RoomName: StoredRoom]
    ) throws(RoomStoreError) -> StoredRoom {
        if let room = touched[name] { return room }
        return try rooms.find(name)
    }

    /// See ``ChatRoom/FoldBase/loadRoot(_:)``.
    private borrowing func firstFollowers(
        of thread: RoomName, _ room: StoredRoom, in parent: StoredRoom?
    ) throws(RoomStoreError) -> [UserName]? {
        guard let root = thread.root, let parent, let id = parent.id, let sort = try rooms.revision(of: root, in: id),
            let author = try rows.author(of: sort, in: id)
        else { return nil }
        guard room.inserted == 0 else { return [] }
        return parent.kind == .direct ? try ruling.people(of: id) : UserName(known: author).map { [$0] } ?? []
    }

    /// Returns a message as it stands.
    private borrowing func find(
        _ message: MessageID, in room: StoredRoom, named name: RoomName
    ) throws(RoomStoreError) -> Message? {
        guard let id = room.id, let sort = try rooms.revision(of: message, in: id) else { return nil }
        return try rows.find(message, at: sort, in: id, named: name, damagedRows)
    }
}

extension RowChange {
    /// The number of rows that the list gains.
    fileprivate var growth: Int {
        switch self {
        case .inserted: 1
        case .deleted: -1
        case .reloaded, .reconfigured, .ruled, .joined, .left, .settings, .affiliated, .created, .nothing: 0
        }
    }
}
