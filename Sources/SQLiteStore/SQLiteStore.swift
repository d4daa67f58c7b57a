package import ChatRoom
package import ChatWire
import Dispatch
import Locking
package import RoomStore

/// The rooms in one SQLite file.
///
/// One connection writes, for one committer at a time. Each reader has a connection of its own and sees the last
/// commit, so that reads never wait for a commit. A returned commit survives a killed process and a power loss.
///
/// - Errors: ``RoomStoreError``.
package final class SQLiteStore: RoomStore {
    package let epoch: Epoch
    private let path: String
    /// `nil` once the store is closed.
    private let writer: Guarded<StoreWriter?>
    private let notes: DeliveryNotes
    private let notices: StoreNotices
    private let writing = Guarded(Writing())
    /// `nil` once the store is closed.
    private let idleReaders = Guarded<[StoreReader]?>([])
    private let clock: StoreClock
    private let repairs = RoomRepairs()
    private let watch: DataWatch
    /// `nil` until it is opened.
    private let index = Guarded<SearchIndex?>(nil)
    // Declared last, so that it is released after the connections.
    private let lock: DataLock

    /// The most idle connections kept for later reads. There are never more than concurrent callers.
    private static let keptReaders = 8

    /// Opens the data at `path`, creates it if it does not exist, and migrates it to the latest format.
    ///
    /// - Errors: `inUse` while another store has it open, in this process or another; `readOnly`, `full`; `notAStore`,
    ///   `newer`, `damaged` for a file that this version cannot serve, which is left unchanged; `unavailable`.
    /// - Parameters:
    ///   - limits: the limits that operations are checked against.
    ///   - pages: the growth of the log after which it is copied into the file.
    ///   - report: called with notices for the operator: data that was missing, and failures besides those of commits.
    package convenience init(
        path: String, limits: WireLimits = WireLimits(), copyingLogAfter pages: Int = WriteAheadLog.long,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(RoomStoreError) {
        try self.init(path: path, limits: limits, copyingLogAfter: pages, schema: .current, report: report)
    }

    init(
        path: String, limits: WireLimits, copyingLogAfter pages: Int = WriteAheadLog.long, schema: Schema,
        watching watch: DataWatch.Limits = DataWatch.Limits(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(RoomStoreError) {
        let path = try dataPath(path)
        let notices = StoreNotices(report)
        let lock = try DataLock(for: path)
        if let notice = lock.notice { notices.add(notice) }
        let presence = LogPresence(of: path)
        var connection = try Connection.open(path, gathersLog: true)
        let format = try schema.format(of: connection)
        if format == 0 { try connection.keepTrackOfFreePages() }
        try connection.requireWriteAheadLog()
        let control = try ControlFile(for: path)
        try schema.migrate(connection, from: format)
        try connection.requireSums()
        let history = try History.begin(connection, control, log: presence)
        for notice in history.notices { notices.add("\(path): \(notice)") }
        epoch = history.epoch
        let checkpointer = try Checkpointer(path: path, lock: lock, control: control, notices: notices)
        let log = WriteAheadLog(
            of: connection, checkpointer: checkpointer, control: control, notices: notices, long: pages)
        let notes = DeliveryNotes()
        let noted = try connection.timeNote()
        clock = StoreClock(lead: noted.lead, after: noted.latest) { .timeOfDay }
        writer = Guarded(
            try StoreWriter(connection, limits: limits, log: log, control: control, notes: notes, noted: noted))
        self.watch = DataWatch(path, watch, notices)
        self.notes = notes
        self.notices = notices
        self.path = path
        self.lock = lock
        notices.deliver()
    }

    deinit {
        try? close()
    }

    /// Moves all data into its file, so that a copy of the file is a copy of the data, and removes the log.
    ///
    /// - Errors: the reason why that failed. The log then stays, and the data is the file and the log together.
    package func close() throws(RoomStoreError) {
        defer { notices.deliver() }
        watch.end()
        index.withLock { $0 }?.close()
        idleReaders.withLock { $0 = nil }
        try writer.withLock { (writer) throws(RoomStoreError) in
            defer { writer = nil }
            do throws(RoomStoreError) {
                try watch.requirePlace()
            } catch {
                writer?.keepLog()
                throw error
            }
            try writer?.end()
        }
    }

    package func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        var repaired: Set<RoomName> = []
        while true {
            do throws(RoomStoreError) {
                return try write(batch, .refused)
            } catch {
                guard case .damagedRoom(let room, _) = error else { throw error }
                guard repaired.insert(room).inserted, repair(room) == .changed else { break }
            }
        }
        return try write(batch, .served)
    }

    private func write(_ batch: [BatchEntry], _ damagedRows: DamagedRows) throws(RoomStoreError) -> [CommitOutcome] {
        let outcomes = try withWriter { [clock] (writer) throws(RoomStoreError) in
            try writer.commit(batch, lead: clock.lead, damagedRows)
        }
        index.withLock { $0 }?.touch(batch.lazy.filter { $0.operation != nil }.map(\.room), of: self)
        return outcomes
    }

    /// Opens the search index beside the data, and makes or continues it. Searches are slow without it, and right.
    package func openSearchIndex() throws(RoomStoreError) {
        let file = path + "-search"
        let opened: SearchIndex
        do throws(RoomStoreError) {
            opened = try SearchIndex(file, of: epoch)
        } catch {
            SearchIndexFile.remove(file)
            opened = try SearchIndex(file, of: epoch)
        }
        index.withLock { $0 = opened }
        opened.start(self)
    }

    /// Waits until the index has found out what it lacks, and has indexed it.
    func waitForSearchIndex() { index.withLock { $0 }?.wait() }

    /// The number of searches that the index has answered.
    var searchesByIndex: Int { index.withLock { $0 }?.answers ?? 0 }

    package func search(
        _ query: SearchQuery, in rooms: [RoomName], before place: SearchPlace?, limit: Int
    ) throws(RoomStoreError) -> SearchReading {
        if let index = index.withLock({ $0 }),
            let found = try? index.search(query, in: Set(rooms), before: place, limit: limit, self)
        {
            return found
        }
        return try scan(query, in: rooms, before: place, limit: limit)
    }

    private func withWriter<Result: Sendable>(
        _ body: @Sendable (inout StoreWriter) throws(RoomStoreError) -> Result
    ) throws(RoomStoreError) -> Result {
        defer { notices.deliver() }
        let result: Result?
        do throws(RoomStoreError) {
            try watch.requirePlace()
            try watch.requireSpace()
            result = try writer.withLock { (writer) throws(RoomStoreError) in try writer.with(body) }
            // The file may have gone meanwhile, and the commit with it.
            try watch.requirePlace()
        } catch {
            fail(error)
            throw error
        }
        guard let result else { throw .unavailable("\(path) is closed") }
        writing.withLock { $0.trouble = nil }
        return result
    }

    /// The last known answer to the question if the file can be written.
    private struct Writing {
        /// The last write's failure; `nil` if it succeeded.
        var trouble: String?
        /// A small write will tell whether the next ones succeed.
        var isTried = false
    }

    package func clock(ofPart part: Int) -> StoreClock? { clock }
    package var trouble: String? { writing.withLock(\.trouble) ?? watch.trouble }
    package var diskUse: DiskUse? { watch.use }
    package var faults: Int { repairs.faults }

    private func fail(_ error: RoomStoreError) {
        if case .damagedRoom = error { return }  // the others can be written
        let isTried = writing.withLock { writing in
            defer { writing.isTried = true }
            writing.trouble = error.description
            return writing.isTried
        }
        if !isTried { DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in self?.tryToWrite() } }
    }

    /// Writes a little, so that it is known when writes succeed again, also without other writes meanwhile.
    private func tryToWrite() {
        writing.withLock { $0.isTried = false }
        guard trouble != nil else { return }
        try? withWriter { (writer) throws(RoomStoreError) in try writer.tryToWrite() }
    }

    package func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
    ) throws(RoomStoreError) -> RoomReading {
        try withReader(of: room) { (reader) throws(RoomStoreError) in
            try reader.read(room, tail: tail, since: since, atMost: atMost, standings: standings)
        }
    }

    package func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        try withReader(of: room) { (reader) throws(RoomStoreError) in try reader.standing(of: user, in: room) }
    }

    package func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        try withReader(of: room) { (reader) throws(RoomStoreError) in
            try reader.neighbours(of: sort, in: room, before: before, after: after)
        }
    }

    package func sort(of anchor: PagePlace.Anchor, in room: RoomName) throws(RoomStoreError) -> UInt64? {
        try withReader(of: room) { (reader) throws(RoomStoreError) in try reader.sort(of: anchor, in: room) }
    }

    package func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        try withReader(of: room) { (reader) throws(RoomStoreError) in try reader.held(query, in: room) }
    }

    package func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        try withReader { (reader) throws(RoomStoreError) in try reader.rooms(after: name, limit: limit) }
    }

    package func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        try withReader(of: room) { (reader) throws(RoomStoreError) in
            try reader.operations(room, since: since, limit: limit)
        }
    }

    package func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try withReader(of: room) { (reader) throws(RoomStoreError) in
            try reader.audit(room, before: before, limit: limit)
        }
    }

    package func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        try withReader { (reader) throws(RoomStoreError) in try reader.memberships(of: user) }
    }

    package func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        try withReader { (reader) throws(RoomStoreError) in try reader.memberships(of: user, in: rooms) }
    }

    package func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        try withReader { (reader) throws(RoomStoreError) in try reader.places(of: user) }
    }

    package func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try withReader(of: room) { (reader) throws(RoomStoreError) in try reader.memberships(of: users, in: room) }
    }

    package func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        try withReader { (reader) throws(RoomStoreError) in
            try reader.mentions(of: user, in: rooms, before: place, limit: limit)
        }
    }

    package func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        try withReader { (reader) throws(RoomStoreError) in try reader.profiles(of: users) }
    }

    package func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> {
        let changes = changes.map { $0.notAfter(clock.now / 1_000) }
        return try withWriter { (writer) throws(RoomStoreError) in try writer.write(changes) }
    }

    package func drafts(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredDraft]] {
        try withReader { (reader) throws(RoomStoreError) in try reader.drafts(of: users) }
    }

    package func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError) {
        guard !changes.isEmpty else { return }
        try withWriter { (writer) throws(RoomStoreError) in try writer.write(changes, keeping: most) }
    }

    package func later(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredLater]] {
        try withReader { (reader) throws(RoomStoreError) in try reader.later(of: users) }
    }

    package func nextLater(limit: Int) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)] {
        try withReader { (reader) throws(RoomStoreError) in try reader.nextLater(limit: limit) }
    }

    package func write(
        _ changes: [LaterChange], most: Int
    ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>] {
        guard !changes.isEmpty else { return [] }
        return try withWriter { (writer) throws(RoomStoreError) in try writer.write(changes, most: most) }
    }

    package func blocks(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredBlock]] {
        try withReader { (reader) throws(RoomStoreError) in try reader.blocks(of: users) }
    }

    package func blockers(of user: UserName) throws(RoomStoreError) -> [UserName] {
        try withReader { (reader) throws(RoomStoreError) in try reader.blockers(of: user) }
    }

    package func write(_ changes: [BlockChange], most: Int) throws(RoomStoreError) -> [Bool] {
        guard !changes.isEmpty else { return [] }
        return try withWriter { (writer) throws(RoomStoreError) in try writer.write(changes, most: most) }
    }

    package func members(
        of room: RoomName, after user: UserName?, limit: Int
    ) throws(RoomStoreError) -> [RoomMember] {
        try withReader(of: room) { (reader) throws(RoomStoreError) in
            try reader.members(of: room, after: user, limit: limit)
        }
    }

    package func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading {
        try withReader(of: room) { (reader) throws(RoomStoreError) in try reader.members(query, of: room) }
    }

    /// Trims in one transaction. Commits wait for that transaction and for nothing else.
    package func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming {
        let rooms = try withReader { (reader) throws(RoomStoreError) in
            try reader.rooms(after: room, retention, at: now)
        }
        let due = rooms.filter(\.isDue).map(\.name)
        var step = Trimming(after: room)
        if !due.isEmpty {
            step = try withWriter { [step] (writer) throws(RoomStoreError) in
                try writer.trim(due, retention, at: now, from: step)
            }
            index.withLock { $0 }?.touch(due, of: self)
        }
        step.finish(visited: rooms.last?.name, of: rooms.count)
        step.free(try withWriter { (writer) throws(RoomStoreError) in try writer.releaseFreePages() })
        return step
    }

    package func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? {
        try SQLiteDeliveries(of: self)
    }

    // MARK: - Deliveries

    /// Begins deliveries, once for ever. Operations before this moment count as delivered.
    func beginDeliveries() throws(RoomStoreError) {
        try withWriter { (writer) throws(RoomStoreError) in try writer.beginDeliveries() }
    }

    func deliveryStates(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        try withReader { (reader) throws(RoomStoreError) in try reader.deliveryStates(after: name, limit: limit) }
    }

    func deliveryState(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        try withReader(of: room) { (reader) throws(RoomStoreError) in try reader.deliveryState(of: room) }
    }

    var deliveryNotes: [RoomName: Revision] { notes.revisions }

    func noteDelivery(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {
        guard notes.add(room, upTo: revision) == .due else { return }
        try withWriter { (writer) throws(RoomStoreError) in try writer.writeNotes() }
    }

    /// Runs a read of one room. Damage that it finds is that room's.
    private func withReader<Result>(
        of room: RoomName, _ body: (StoreReader) throws(RoomStoreError) -> Result
    ) throws(RoomStoreError) -> Result {
        do throws(RoomStoreError) {
            return try withReader(body)
        } catch {
            guard case .damaged = error, repair(room) == .changed else { throw error.of(room) }
        }
        do throws(RoomStoreError) {
            return try withReader(body)
        } catch {
            throw error.of(room)
        }
    }

    /// Repairs a damaged room from its operations, unless that was tried a short while ago.
    private func repair(_ room: RoomName) -> RoomRepairs.Result {
        let result = try? withWriter { [repairs, notices] (writer) throws(RoomStoreError) in
            if let result = repairs.recent(room) { return result }
            let outcome = try writer.repair(room)
            for notice in outcome.notices(of: room) { notices.add(notice) }
            return repairs.note(outcome, of: room)
        }
        if result == .changed { index.withLock { $0 }?.rebuild(room, of: self) }
        return result ?? .unchanged
    }

    /// Runs a read. If it meets damaged messages, those are repaired where that is possible, and the read runs again.
    private func withReader<Result>(
        _ body: (StoreReader) throws(RoomStoreError) -> Result
    ) throws(RoomStoreError) -> Result {
        var (result, damaged) = try runReader(body)
        let due = damaged.filter { repairs.isDue($0.key, for: $0.value) }.map(\.key)
        guard !due.isEmpty else { return result }
        let isChanged = due.map { repair($0) == .changed }
        if isChanged.contains(true) { (result, damaged) = try runReader(body) }
        for room in due { repairs.noteIrreparable(damaged[room] ?? [], of: room) }
        return result
    }

    private func runReader<Result>(
        _ body: (StoreReader) throws(RoomStoreError) -> Result
    ) throws(RoomStoreError) -> (Result, damaged: [RoomName: Set<UInt64>]) {
        let (isOpen, idle) = idleReaders.withLock { ($0 != nil, $0?.popLast()) }
        guard isOpen else { throw .unavailable("\(path) is closed") }
        let reader: StoreReader
        if let idle {
            reader = idle
        } else {
            // A new connection would read another file.
            try watch.requirePlace()
            reader = try StoreReader(path: path)
        }
        // After an error the reader is dropped, whatever state it is in.
        let result = try body(reader)
        let damaged = reader.removeDamaged()
        idleReaders.withLock { idle in
            if let count = idle?.count, count < Self.keptReaders { idle?.append(reader) }
        }
        return (result, damaged)
    }
}

extension RoomStoreError {
    /// Returns the error as one room's, if it is damage.
    func of(_ room: RoomName) -> RoomStoreError {
        if case .damaged(let text) = self { .damagedRoom(room, text) } else { self }
    }
}

extension StoreWriter? {
    /// Runs `body` on the writer; `nil` if there is none.
    fileprivate mutating func with<Result>(
        _ body: (inout StoreWriter) throws(RoomStoreError) -> Result
    ) throws(RoomStoreError) -> Result? {
        guard var writer = take() else { return nil }
        do throws(RoomStoreError) {
            let result = try body(&writer)
            self = consume writer
            return result
        } catch {
            self = consume writer
            throw error
        }
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
