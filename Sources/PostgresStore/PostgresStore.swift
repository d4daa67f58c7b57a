package import ChatRoom
package import ChatWire
import Dispatch
import Locking
package import RoomStore

/// The rooms in one PostgreSQL database, which any number of servers share.
///
/// A few connections write, each a batch of its own. Readers have connections of their own. While the database
/// is away, callers wait, and each role has a clock of its own. A commit with an unknown outcome is sent again with the
/// same ids, which has no effect if it was made before.
///
/// - Errors: ``RoomStoreError``.
package final class PostgresStore: RoomStore {
    let address: PostgresAddress
    let failoverCheck: FailoverCheck
    /// The latest format that this server knows.
    private let knows: Int
    private let writers: [Lane]
    private let idleWriters: Guarded<[Lane]>
    private let freeWriters = DispatchSemaphore(value: writerCount)
    private let trimmer = Guarded<StoreTrimmer?>(nil)
    private let idleReaders = Guarded<[StoreReader]>([])
    private let freeReaders = DispatchSemaphore(value: readerCount)
    private let reading: Outage
    /// The time for which a question about a person's rooms waits.
    private let listPatience: Duration
    private let trimming = Outage(patience: .zero)
    private let announcer: Announcer
    private let clock: StoreClock
    private let follower: Follower
    private let heartbeat: Heartbeat
    private let oldPrimaries: OldPrimaries
    private let damaged = Guarded(DamagedMessages())
    /// True when a commit waits for a standby.
    package let isReplicated: Bool
    /// True when the database's pages have checksums, without which it serves bytes that a disk has changed.
    private let hasChecksums: Bool

    /// The times for which the database may be away before calls fail.
    package struct Patience: Sendable {
        package var writing = Duration.seconds(60)
        package var reading = Duration.seconds(10)
        /// The time of silence after which the others may go over to a format that this server does not know.
        package var lease = Duration.seconds(10)

        package init() {}
    }

    /// A writer, and its outage.
    private final class Lane: Sendable {
        let writer: Guarded<StoreWriter>
        let outage: Outage

        init(_ writer: sending StoreWriter, _ outage: Outage) {
            self.writer = Guarded(writer)
            self.outage = outage
        }
    }

    /// The number of readers at one time. Each has a connection, which is kept for the next read.
    private static let readerCount = 8
    /// The answers of the other databases wait for one that is away.
    private static let partPatience = Duration.seconds(2)
    /// The greatest number of connections at one time. A lane, such as the heartbeat's, has a second one while a commit
    /// that was given up on the first is still under way. Listening, announcing, retention, webhooks and the search for
    /// old primaries have one each.
    package static let mostConnections = 2 * (writerCount + 1) + readerCount + 5

    /// The latest format that this version knows.
    package static let latestFormat = Schema.current.migrations.count

    /// Opens the database, makes the tables if they do not exist, and migrates them to the latest format.
    ///
    /// - Errors: `newer`, `ahead`, `damaged`, `readOnly`, `notAStore`; `unavailable` when the database cannot be
    ///   reached for as long as a read waits.
    /// - Parameters:
    ///   - limits: the limits that operations are checked against.
    ///   - knows: the latest format that this server tells the others it knows. With an earlier one, they take it for a
    ///     server of that version.
    package convenience init(
        _ address: PostgresAddress, limits: WireLimits = WireLimits(), patience: Patience = Patience(),
        knows: Int = latestFormat
    ) throws(RoomStoreError) {
        try self.init(address, limits: limits, patience: patience, knows: knows, schema: .current)
    }

    /// The databases whose rooms a server has.
    enum Share { case all, part }

    init(
        _ address: PostgresAddress, limits: WireLimits, patience: Patience, knows: Int = latestFormat, schema: Schema,
        has share: Share = .all
    ) throws(RoomStoreError) {
        listPatience = share == .all ? patience.reading : min(patience.reading, Self.partPatience)
        let lease = Lease(server: .random(), knows: knows, length: patience.lease, schema: address.schema)
        let failoverCheck = FailoverCheck(address: address, lease: lease, history: History())
        reading = Outage(patience: patience.reading)
        oldPrimaries = OldPrimaries(failoverCheck)
        oldPrimaries.search()
        let time: (clock: StoreClock, keeper: TimeKeeper)
        do throws(PostgresFailure) {
            (isReplicated, hasChecksums, time) = try reading.persist { (end) throws(PostgresFailure) in
                let connection = try Connection.open(address, seeing: failoverCheck.history, until: end)
                try connection.requireSession(to: address, seeing: failoverCheck.history, until: end)
                try schema.migrate(over: connection, address, lease, failoverCheck.history)
                let row = try connection.run([.run(Query.protection.sql)])[0].rows.first
                return (row?.bytes(0) == [1], row?.bytes(1) == [1], try Self.time(over: connection))
            }
        } catch {
            throw RoomStoreError(error, at: address.place)
        }
        (self.address, self.failoverCheck, self.knows) = (address, failoverCheck, knows)
        writers = Self.writerNumbers.map { number in
            let lane = CommitLane(number, failoverCheck, preparing: Query.committing)
            return Lane(StoreWriter(lane, limits: limits, knows: knows), Outage(patience: patience.writing))
        }
        // The first one comes first: it has a connection.
        idleWriters = Guarded(writers.reversed())
        heartbeat = Heartbeat(failoverCheck)
        announcer = Announcer(failoverCheck)
        clock = time.clock
        follower = Follower(failoverCheck, announcer: announcer, time)
    }

    /// Returns the store's time, which goes on behind the last message that has an instant.
    private static func time(
        over connection: Connection
    ) throws(PostgresFailure) -> (clock: StoreClock, keeper: TimeKeeper) {
        let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, \(Query.lead), in_force FROM store"
        guard let row = try connection.run([.run(sql)])[0].rows.first else {
            throw .senseless(column: "lead", room: nil)
        }
        let lead = try row.integer(1)
        var latest: Milliseconds = 0
        // Before this format, the clocks decided how far the order of rooms has gone.
        if try row.integer(2) >= Int64(Schema.storeTime) {
            let sql = "SELECT coalesce(max(activity), 0) / \(ActivityStamp.perMillisecond) FROM rooms"
            latest = try connection.run([.run(sql)], until: .now + .seconds(60))[0].rows.first?.integer(0) ?? 0
        }
        return (
            StoreClock(at: try row.integer(0), lead: lead, after: latest) { .timeOfDay },
            TimeKeeper(lead: lead, isLocal: connection.origin.isLocal)
        )
    }

    /// Ends the server's lease, so that clients do not wait for a server that does not serve.
    func endLease() {
        _ = try? failoverCheck.lease.end(over: Connection.open(address, seeing: failoverCheck.history))
    }

    /// Ends the server's lease, so that other servers no longer count it as running.
    package func close() throws(RoomStoreError) {
        follower.close()
    }

    deinit {
        follower.end()
        heartbeat.end()
        oldPrimaries.end()
    }

    package var epoch: Epoch { failoverCheck.history.epoch }
    package var trouble: String? { heartbeat.trouble }
    package var faults: Int { damaged.withLock(\.count) }
    package func clock(ofPart part: Int) -> StoreClock? { clock }
    package var clockOffset: Duration { follower.clockOffset }

    // MARK: - Writing

    /// The number of writers. One is mostly at work, with all that waits; the others go on while it waits for a room.
    private static let writerCount = 4
    private static let writerNumbers = Heartbeat.lane + 1...Heartbeat.lane + writerCount
    /// The lane of what is trimmed.
    static let trimmerNumber = Heartbeat.lane + writerCount + 1

    package var lanes: Int { Self.writerCount }

    /// Commits a batch. Any writer may commit any room, under the room's lock.
    ///
    /// - Errors: of a batch with one room, `damagedRoom` also when the room's rows contradict each other in a way that
    ///   only the database notices. Of a batch with several, that is `damaged`: the database does not say which room.
    package func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        guard let first = batch.first?.room else { return [] }
        return try withWriter { (writer, end) throws(PostgresFailure) in
            do throws(PostgresFailure) {
                let work = try writer.commit(batch, until: end)
                announce(work, of: batch)
                return work.outcomes
            } catch {
                throw batch.allSatisfy { $0.room == first } ? error.of(first) : error
            }
        }
    }

    /// Calls `body` with a writer that is free. Its announcements are in the order of the writer's commits.
    private func withWriter<Result: Sendable>(
        _ body: @Sendable (StoreWriter, ContinuousClock.Instant) throws(PostgresFailure) -> Result
    ) throws(RoomStoreError) -> Result {
        freeWriters.wait()
        let lane = idleWriters.withLock { $0.removeLast() }
        defer {
            idleWriters.withLock { $0.append(lane) }
            freeWriters.signal()
        }
        return try lane.writer.withLock { (writer) throws(RoomStoreError) in
            try persist(lane.outage) { (end) throws(PostgresFailure) in try body(writer, end) }
        }
    }

    // MARK: - Reading

    package func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
    ) throws(RoomStoreError) -> RoomReading {
        try withReader(of: room) { (reader) throws(PostgresFailure) in
            try reader.read(room, tail: tail, since: since, atMost: atMost, standings: standings)
        }
    }

    package func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        try withReader(of: room) { (reader) throws(PostgresFailure) in try reader.standing(of: user, in: room) }
    }

    package func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        try withReader(of: room) { (reader) throws(PostgresFailure) in
            try reader.neighbours(of: sort, in: room, before: before, after: after)
        }
    }

    package func sort(of anchor: PagePlace.Anchor, in room: RoomName) throws(RoomStoreError) -> UInt64? {
        try withReader(of: room) { (reader) throws(PostgresFailure) in try reader.sort(of: anchor, in: room) }
    }

    package func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        try withReader(of: room) { (reader) throws(PostgresFailure) in try reader.held(query, in: room) }
    }

    package func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        try withReader { (reader) throws(PostgresFailure) in try reader.rooms(after: name, limit: limit) }
    }

    package func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        try withReader(of: room) { (reader) throws(PostgresFailure) in
            try reader.operations(room, since: since, limit: limit)
        }
    }

    package func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try withReader(of: room) { (reader) throws(PostgresFailure) in
            try reader.audit(room, before: before, limit: limit)
        }
    }

    package func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        try withReader { (reader) throws(PostgresFailure) in try reader.memberships(of: user) }
    }

    package func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        try withReader { (reader) throws(PostgresFailure) in try reader.memberships(of: user, in: rooms) }
    }

    package func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        try withReader { (reader) throws(PostgresFailure) in try reader.places(of: user) }
    }

    package func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try withReader(of: room) { (reader) throws(PostgresFailure) in try reader.memberships(of: users, in: room) }
    }

    package func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        try withReader { (reader) throws(PostgresFailure) in
            try reader.mentions(of: user, in: rooms, before: place, limit: limit)
        }
    }

    package func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        try withReader { (reader) throws(PostgresFailure) in try reader.profiles(of: users) }
    }

    /// Writes, and tells the other servers.
    package func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> {
        guard !changes.isEmpty else { return [] }
        let changes = changes.map { $0.notAfter(clock.now / 1_000) }
        return try withWriter { (writer, end) throws(PostgresFailure) in
            let (written, count) = try writer.write(changes, until: end)
            announcer.announce(rewriting: written, of: count)
            return written
        }
    }

    package func drafts(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredDraft]] {
        try withReader { (reader) throws(PostgresFailure) in try reader.drafts(of: users) }
    }

    /// Writes, and tells the other servers.
    package func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError) {
        guard !changes.isEmpty else { return }
        try withWriter { (writer, end) throws(PostgresFailure) in
            let count = try writer.write(changes, keeping: most, until: end)
            announcer.announce(rewriting: Set(changes.map(\.user)), of: count)
        }
    }

    package func later(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredLater]] {
        try withReader { (reader) throws(PostgresFailure) in try reader.later(of: users) }
    }

    package func nextLater(limit: Int) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)] {
        try withReader { (reader) throws(PostgresFailure) in try reader.nextLater(limit: limit) }
    }

    /// Writes, and tells the other servers.
    package func write(
        _ changes: [LaterChange], most: Int
    ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>] {
        guard !changes.isEmpty else { return [] }
        return try withWriter { (writer, end) throws(PostgresFailure) in
            let (outcomes, count) = try writer.write(changes, most: most, until: end)
            announcer.announce(rewriting: Set(changes.map(\.user)), of: count)
            return outcomes
        }
    }

    package func blocks(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredBlock]] {
        try withReader { (reader) throws(PostgresFailure) in try reader.blocks(of: users) }
    }

    package func blockers(of user: UserName) throws(RoomStoreError) -> [UserName] {
        try withReader { (reader) throws(PostgresFailure) in try reader.blockers(of: user) }
    }

    /// Writes, and tells the other servers, also that the people's rooms may have come or gone.
    package func write(_ changes: [BlockChange], most: Int) throws(RoomStoreError) -> [Bool] {
        guard !changes.isEmpty else { return [] }
        return try withWriter { (writer, end) throws(PostgresFailure) in
            let (accepted, count) = try writer.write(changes, most: most, until: end)
            let users = Set(changes.map(\.user))
            announcer.announce(rewriting: users, of: count)
            announcer.announce([:], membershipsOf: users, of: count)
            return accepted
        }
    }

    package func members(
        of room: RoomName, after user: UserName?, limit: Int
    ) throws(RoomStoreError) -> [RoomMember] {
        try withReader(of: room) { (reader) throws(PostgresFailure) in
            try reader.members(of: room, after: user, limit: limit)
        }
    }

    package func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading {
        try withReader(of: room) { (reader) throws(PostgresFailure) in try reader.members(query, of: room) }
    }

    /// Trims, and notifies the other servers, if none of them does. They then find nothing to do.
    package func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming {
        try trimmer.withLock { (trimmer) throws(RoomStoreError) in
            try persist(trimming) { (_) throws(PostgresFailure) in
                let current =
                    if let trimmer { trimmer } else {
                        try StoreTrimmer(failoverCheck, announcer, knows: knows)
                    }
                trimmer = nil
                let step = try current.step(retention, after: room, at: now)
                if step.next != .done { trimmer = current }
                return step
            }
        }
    }

    package func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? {
        do throws(PostgresFailure) {
            return try PostgresDeliveries(failoverCheck)
        } catch {
            throw RoomStoreError(error, at: address.place)
        }
    }

    private func withReader<Result>(
        of room: RoomName? = nil, _ body: (StoreReader) throws(PostgresFailure) -> Result
    ) throws(RoomStoreError) -> Result {
        freeReaders.wait()
        defer { freeReaders.signal() }
        return try persist(reading, for: room == nil ? listPatience : nil) { (end) throws(PostgresFailure) in
            let reader =
                if let idle = idleReader() { idle } else {
                    try StoreReader(address, failoverCheck.history, provenBy: heartbeat, knows: knows, until: end)
                }
            reader.end = end
            do throws(PostgresFailure) {
                let result = try body(reader)
                let found = reader.reader.removeDamaged()
                if !found.isEmpty { damaged.withLock { $0.note(found) } }
                idleReaders.withLock { $0.append(reader) }
                return result
            } catch {
                throw room.map(error.of) ?? error
            }
        }
    }

    /// Returns an idle reader that may be used; `nil` if there is none. The others are closed.
    private func idleReader() -> StoreReader? {
        while let reader = idleReaders.withLock({ $0.popLast() }) {
            if reader.isCurrent { return reader }
        }
        return nil
    }

    private func persist<Result>(
        _ outage: Outage, for patience: Duration? = nil,
        _ attempt: (ContinuousClock.Instant) throws(PostgresFailure) -> Result
    ) throws(RoomStoreError) -> Result {
        do throws(PostgresFailure) {
            return try outage.persist(for: patience, attempt)
        } catch {
            throw RoomStoreError(reason(for: error), at: address.place)
        }
    }

    /// Returns the real reason of a failure: the tables of a later version may look damaged.
    private func reason(for failure: PostgresFailure) -> PostgresFailure {
        guard failure.mayBeOutgrown,
            let answers = try? Connection.open(address, seeing: failoverCheck.history).run([.run(Query.line.sql)]),
            let format = try? answers.first?.rows.first?.integer(0), format > knows
        else { return failure }
        return .outgrown(inForce: Int(clamping: format), known: knows)
    }
}

// MARK: - Other servers

extension PostgresStore: OtherServers {
    package var others: (any OtherServers)? { self }

    package func listen(_ handler: @escaping @Sendable (News) -> Void) {
        // Weak: the follower has the history.
        failoverCheck.history.listen { [weak follower] news in
            if case .renewed = news { follower?.forgetHeads() }
            handler(news)
        }
        if !isReplicated {
            handler(
                .warned(
                    "commits wait for no standby: what was acknowledged is lost with the primary",
                    why: "synchronous_standby_names is empty, or synchronous_commit is off or local"))
        }
        if !hasChecksums {
            handler(
                .warned(
                    "the database has no checksums: bytes that a disk has changed are served",
                    why: "data_checksums is off: stop PostgreSQL and run pg_checksums --enable"))
        }
        follower.listen(handler)
        heartbeat.start(follower) { [writers, reading] in
            for lane in writers { lane.outage.clear() }
            reading.clear()
        }
        oldPrimaries.start()
    }

    package func follow(_ room: RoomName, withPeople: Bool) {
        follower.follow(room, withPeople: withPeople)
    }

    package func leave(_ room: RoomName) {
        follower.leave(room)
    }

    package func announce(_ people: [Presence], in room: RoomName) {
        announcer.announce(people, in: room)
    }

    package var detectsLostNews: Bool { true }

    package func agree(
        on fingerprint: UInt64, at revision: Revision, of room: RoomName
    ) throws(RoomStoreError) -> Bool {
        try withReader(of: room) { (reader) throws(PostgresFailure) in
            try reader.agree(on: fingerprint, at: revision, of: room)
        }
    }

    package func cancelWaiting() {
        reading.cancelWaiting()
        for lane in writers { lane.outage.cancelWaiting() }
    }

    private func announce(_ work: CommittedWork, of batch: [BatchEntry]) {
        var revisions: [RoomName: Revision] = [:]
        var messages = SentMessages()
        var users: Set<UserName> = []
        var affiliates: [RoomName: Set<UserName>] = [:]
        for (entry, outcome) in zip(batch.compactMap(\.operation), work.outcomes) {
            guard case .committed(let revision, let change) = outcome else { continue }
            revisions[entry.room] = revision
            if case .inserted(let row, let instant, _) = change {
                messages.add(InsertedMessage(row, at: instant), to: entry.room, of: work.epoch)
            }
            users.formUnion(change.comers.map(\.user))
            // An edit may name a person who has read the message. A piece of a text names the same people as before.
            if case (.edit, .reloaded(let row)) = (entry.operation.action, change) {
                users.formUnion(row.mentions.people)
            }
            let changed = change.affiliates
            if !changed.isEmpty { affiliates[entry.room, default: []].formUnion(changed) }
        }
        for case .mark(let mark) in batch { users.insert(mark.user) }
        announcer.announce(revisions, messages, membershipsOf: users, affiliates, of: work.count)
    }
}
