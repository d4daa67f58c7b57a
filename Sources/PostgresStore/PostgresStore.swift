package import ChatRoom
package import ChatWire
import Locking
package import RoomStore

/// The rooms in one PostgreSQL database, which any number of servers share.
///
/// One connection writes, for one committer at a time; readers have connections of their own. While the database is away
/// callers wait: a commit whose outcome is not known is sent again with the same ids, which does nothing if it had been
/// done.
///
/// - Errors: ``RoomStoreError``.
package final class PostgresStore: RoomStore {
    package let epoch: Epoch
    private let address: PostgresAddress
    private let limits: WireLimits
    /// Up to which format.
    private let knows: Int
    private let patience: Patience
    private let outage = Outage()
    private let writer = Guarded<StoreWriter?>(nil)
    private let trimmer = Guarded<StoreTrimmer?>(nil)
    private let idleReaders = Guarded<[StoreReader]>([])
    private let announcer: Announcer
    private let follower: Follower

    /// How long the database may be away before callers are told.
    package struct Patience: Sendable {
        package var writing = Duration.seconds(60)
        package var reading = Duration.seconds(10)
        /// How long this server may be silent before the others go over to a format that it does not know.
        package var lease = Duration.seconds(10)

        package init() {}
    }

    /// How many connections are kept for the next reads. There are never more than callers at one time.
    private static let keptReaders = 8

    /// The latest format that this version knows.
    package static let latestFormat = Schema.current.migrations.count

    /// Opens the database, making the tables if they are not there, and brings them to the latest format.
    ///
    /// - Errors: `newer`, `ahead`, `damaged`, `readOnly`; `unavailable` when it cannot be reached for as long as a read
    ///   waits.
    /// - Parameters:
    ///   - limits: what the fold holds operations to.
    ///   - knows: up to which format, as far as the others are told: an earlier one makes this server one of that version
    ///     to them.
    package convenience init(
        _ address: PostgresAddress, limits: WireLimits = WireLimits(), patience: Patience = Patience(),
        knows: Int = latestFormat
    ) throws(RoomStoreError) {
        try self.init(address, limits: limits, patience: patience, knows: knows, schema: .current)
    }

    init(
        _ address: PostgresAddress, limits: WireLimits, patience: Patience, knows: Int, schema: Schema
    ) throws(RoomStoreError) {
        let lease = Lease(server: .random(), knows: knows, length: patience.lease, schema: address.schema)
        do throws(PostgresFailure) {
            epoch = try outage.persist(for: patience.reading) { () throws(PostgresFailure) in
                try schema.migrate(over: Connection(address, preparing: []), address, lease)
            }
        } catch {
            throw RoomStoreError(error, at: address.place)
        }
        self.address = address
        self.limits = limits
        self.knows = knows
        self.patience = patience
        announcer = Announcer(address, server: lease.server)
        follower = Follower(address, lease: lease, announcer: announcer)
    }

    deinit {
        follower.end()
    }

    package func commit(_ batch: [RoomOperation]) throws(RoomStoreError) -> [CommitOutcome] {
        guard !batch.isEmpty else { return [] }
        let outcomes = try writer.withLock { (writer) throws(RoomStoreError) in
            try persist(for: patience.writing) { () throws(PostgresFailure) in try commit(batch, over: &writer) }
        }
        announce(outcomes, of: batch)
        return outcomes
    }

    private func commit(
        _ batch: [RoomOperation], over writer: inout StoreWriter?
    ) throws(PostgresFailure) -> [CommitOutcome] {
        // After an error it goes, with whatever state it is in.
        let current = if let writer { writer } else { try StoreWriter(address, limits: limits, knows: knows) }
        writer = nil
        let outcomes = try current.commit(batch)
        writer = current
        return outcomes
    }

    package func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int
    ) throws(RoomStoreError) -> RoomReading {
        try withReader { (reader) throws(PostgresFailure) in
            try reader.read(room, tail: tail, since: since, atMost: atMost)
        }
    }

    package func page(_ room: RoomName, before: UInt64, limit: Int) throws(RoomStoreError) -> ListPage<Message> {
        try withReader { (reader) throws(PostgresFailure) in try reader.page(room, before: before, limit: limit) }
    }

    package func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        try withReader { (reader) throws(PostgresFailure) in try reader.rooms(after: name, limit: limit) }
    }

    package func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        try withReader { (reader) throws(PostgresFailure) in
            try reader.operations(room, since: since, limit: limit)
        }
    }

    package func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try withReader { (reader) throws(PostgresFailure) in try reader.audit(room, before: before, limit: limit) }
    }

    /// One server at a time makes a pass; the others find nothing to do meanwhile.
    package func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: Milliseconds
    ) throws(RoomStoreError) -> Trimming {
        let step = try trimmer.withLock { (trimmer) throws(RoomStoreError) in
            try persist(for: .zero) { () throws(PostgresFailure) in
                let current = if let trimmer { trimmer } else { try StoreTrimmer(address, knows: knows) }
                trimmer = nil
                let step = try current.step(retention, after: room, at: now)
                if step.next != .done { trimmer = current }
                return step
            }
        }
        if !step.shortened.isEmpty { announcer.announce(step.shortened) }
        return step
    }

    package func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? {
        do throws(PostgresFailure) {
            return try PostgresDeliveries(address)
        } catch {
            throw RoomStoreError(error, at: address.place)
        }
    }

    private func withReader<Result>(
        _ body: (StoreReader) throws(PostgresFailure) -> Result
    ) throws(RoomStoreError) -> Result {
        try persist(for: patience.reading) { () throws(PostgresFailure) in
            let idle = idleReaders.withLock { $0.popLast() }
            let reader = if let idle { idle } else { try StoreReader(address, knows: knows) }
            let result = try body(reader)
            idleReaders.withLock { if $0.count < Self.keptReaders { $0.append(reader) } }
            return result
        }
    }

    private func persist<Result>(
        for patience: Duration, _ attempt: () throws(PostgresFailure) -> Result
    ) throws(RoomStoreError) -> Result {
        do throws(PostgresFailure) {
            return try outage.persist(for: patience, attempt)
        } catch {
            throw RoomStoreError(reason(for: error), at: address.place)
        }
    }

    /// To a server that the others have outgrown the tables may look damaged.
    private func reason(for failure: PostgresFailure) -> PostgresFailure {
        guard failure.mayBeOutgrown,
            let answers = try? Connection(address, preparing: []).run([.run(Query.formatInForce.rawValue)]),
            let format = try? answers.first?.rows.first?.integer(0), format > knows
        else { return failure }
        return .outgrown(inForce: Int(format), known: knows)
    }
}

// MARK: - Other servers

extension PostgresStore: OtherServers {
    package var others: (any OtherServers)? { self }

    package func listen(_ receive: @escaping @Sendable (News) -> Void) {
        follower.listen(receive)
    }

    package func follow(_ room: RoomName) {
        follower.follow(room)
    }

    package func leave(_ room: RoomName) {
        follower.leave(room)
    }

    package func tell(_ people: [Presence], in room: RoomName) {
        announcer.tell(people, in: room)
    }

    package func agree(
        on fingerprint: UInt64, at revision: Revision, of room: RoomName
    ) throws(RoomStoreError) -> Bool {
        try withReader { (reader) throws(PostgresFailure) in
            try reader.agree(on: fingerprint, at: revision, of: room)
        }
    }

    package func hurry() {
        outage.hurry()
    }

    private func announce(_ outcomes: [CommitOutcome], of batch: [RoomOperation]) {
        var revisions: [RoomName: Revision] = [:]
        for (entry, outcome) in zip(batch, outcomes) {
            if case .committed(let revision, _) = outcome { revisions[entry.room] = revision }
        }
        if !revisions.isEmpty { announcer.announce(revisions) }
    }
}
