import ChatRoom
import ChatWire
import Dispatch
import Locking
import RoomStore
import WebSocketTransport

/// Group commit: while one transaction is being made durable, the next batch gathers.
///
/// Nothing waits for a timer: alone, an operation is committed at once; under load, a batch is whatever came while the
/// disk was busy. The order in which operations of a room were submitted is the order in which they are committed.
final class Committer: Sendable {
    /// An operation to commit. Its outcome goes back to its shard.
    struct Submission: Sendable {
        let shard: RoomShard
        let room: RoomName
        let ticket: Ticket
        let operation: Operation

        init(_ commit: ShardDecision.Commit, of shard: RoomShard, _ quotas: Quotas) {
            self.shard = shard
            (room, ticket) = (commit.room, commit.ticket)
            operation = commit.mayFound ? quotas.founding(commit.operation, of: commit.room) : commit.operation
        }
    }

    /// An operation or a read mark that waits for the disk, in order: settings may take a mark back.
    fileprivate enum Entry: Sendable {
        case operation(Submission)
        case mark(ReadMark, Epoch)
    }

    private struct Gathering: Sendable {
        private(set) var entries: [Entry] = []
        /// The number of operations among them.
        private(set) var operations = 0
        /// The bytes of the operations that have no outcome yet.
        private(set) var bytes = 0
        /// The places of read marks that the persons' next ones may take, counted from the first entry ever.
        private var places: [Reading: Int] = [:]
        /// The number of entries that went.
        private var gone = 0
        /// All that came with some of the operations is there.
        var isReady = false
        var isCommitting = false
        /// True when the last transaction said that another one follows.
        var isAnnounced = false
        /// True when a transaction for the marks alone is planned.
        var isMarking = false
        /// True when a start is planned.
        var isStarting = false

        /// Adds operations until there are as many as may wait.
        ///
        /// - Returns: the number of those that were added, and their bytes.
        mutating func add(_ submissions: [Submission], upTo limits: CommitLimits) -> (count: Int, bytes: Int) {
            let before = bytes
            for (index, submission) in submissions.enumerated() {
                let size = submission.operation.bytes
                guard operations < limits.operations, bytes == 0 || bytes + size <= limits.bytes else {
                    return (index, bytes - before)
                }
                let people = submission.operation.members(in: submission.room.kind)
                for user in people { places[Reading(room: submission.room, user: user)] = nil }
                entries.append(.operation(submission))
                operations += 1
                bytes += size
            }
            return (submissions.count, bytes - before)
        }

        /// Some operations have their outcomes.
        mutating func release(_ bytes: Int) {
            self.bytes -= bytes
        }

        /// - Parameter limit: the number of entries at which marks are dropped.
        mutating func add(_ mark: ReadMark, _ epoch: Epoch, limit: Int) {
            let reading = Reading(room: mark.room, user: mark.user)
            if let place = places[reading], case .mark(let earlier, epoch) = entries[place - gone] {
                if earlier.revision < mark.revision { entries[place - gone] = .mark(mark, epoch) }
            } else if entries.count - operations < limit {
                places[reading] = gone + entries.count
                entries.append(.mark(mark, epoch))
            }
        }

        /// Takes the first entries.
        mutating func take(_ count: Int) -> [Entry] {
            let taken = Array(entries.prefix(count))
            entries.removeFirst(taken.count)
            gone += taken.count
            for entry in taken {
                switch entry {
                case .operation: operations -= 1
                case .mark(let mark, _):
                    let reading = Reading(room: mark.room, user: mark.user)
                    if let place = places[reading], place < gone { places[reading] = nil }
                }
            }
            return taken
        }

        /// Takes the read marks that are before all operations.
        mutating func takeMarks() -> [Entry] {
            take(entries.prefix { if case .mark = $0 { true } else { false } }.count)
        }
    }

    /// Somebody who reads a room.
    private struct Reading: Hashable, Sendable {
        let room: RoomName
        let user: UserName
    }

    /// The most entries in one transaction, so that the first of them does not wait for all that follow.
    private static let batchLimit = 2_048

    private let store: any RoomStore
    private let metrics: Metrics
    private let errors: StoreErrors
    private let quotas: Quotas
    private let dispatchers: [WebhookDispatcher]?
    private let limits: CommitLimits
    /// Counts so many bytes more against the memory budget, or fewer.
    private let hold: @Sendable (Int) -> Void
    /// Called with read marks when they are on disk, and with their epoch.
    private let whenMarked: @Sendable ([ReadMark], Epoch) -> Void
    private let queue = DispatchQueue(label: "diffroom.commit", qos: .userInitiated)
    private let gathering = Guarded(Gathering())
    private let damaged = Guarded(DamagedRooms())

    /// - Parameter dispatchers: one for each part of the store; each hears of its rooms that something was committed in.
    init(
        store: any RoomStore, metrics: Metrics, errors: StoreErrors, quotas: Quotas, dispatchers: [WebhookDispatcher]?,
        limits: CommitLimits, hold: @escaping @Sendable (Int) -> Void,
        whenMarked: @escaping @Sendable ([ReadMark], Epoch) -> Void
    ) {
        (self.limits, self.hold) = (limits, hold)
        self.whenMarked = whenMarked
        self.dispatchers = dispatchers
        self.store = store
        self.quotas = quotas
        self.metrics = metrics
        self.errors = errors
    }

    /// Any thread. The outcomes come on the submissions' shards, some time after ``start()``.
    func submit(_ submissions: [Submission]) {
        let taken = gathering.withLock { $0.add(submissions, upTo: limits) }
        if taken.bytes > 0 { hold(taken.bytes) }
        guard taken.count < submissions.count else { return }
        metrics.commitsRefused.add(submissions.count - taken.count)
        fail(submissions.dropFirst(taken.count), .diskBehind)
    }

    /// Operations have their outcomes, and wait no longer.
    private func release(_ batch: [Submission]) {
        let bytes = batch.reduce(0) { $0 + $1.operation.bytes }
        guard bytes > 0 else { return }
        gathering.withLock { $0.release(bytes) }
        hold(-bytes)
    }

    /// Takes read marks, from any thread. They go with the operations that come next, or in a transaction of their own if
    /// there are none for a while. Marks beyond the limit are dropped: the person's next mark in the room makes up for them.
    func mark(_ marks: [(mark: ReadMark, epoch: Epoch)]) {
        gather(marks, after: Self.markPause)
    }

    private func gather(_ marks: [(mark: ReadMark, epoch: Epoch)], after pause: DispatchTimeInterval) {
        let starts = gathering.withLock { gathering in
            for (mark, epoch) in marks { gathering.add(mark, epoch, limit: limits.operations) }
            defer { gathering.isMarking = true }
            return !gathering.isMarking
        }
        if starts { queue.asyncAfter(deadline: .now() + pause) { self.writeMarks() } }
    }

    /// The longest time that a mark waits for operations to go with.
    private static let markPause = DispatchTimeInterval.milliseconds(250)
    /// The time until marks are tried again that could not be written.
    private static let markRetry = DispatchTimeInterval.seconds(5)

    private func writeMarks() {
        let marks = gathering.withLock { gathering in
            gathering.isMarking = false
            return gathering.takeMarks()
        }
        if !marks.isEmpty { commit(marks) }
    }

    /// Any thread, when all has been submitted that came together.
    func start() {
        let starts = gathering.withLock { gathering in
            gathering.isReady = gathering.operations > 0
            guard gathering.isReady, !gathering.isCommitting else { return false }
            gathering.isCommitting = true
            return true
        }
        if starts { queue.async { self.commitAll() } }
    }

    /// Starts before long. A slow shard does not hold up the operations of others that came together with its own.
    func startSoon() {
        let isNew = gathering.withLock { gathering in
            guard gathering.operations > 0, !gathering.isReady, !gathering.isStarting else { return false }
            gathering.isStarting = true
            return true
        }
        guard isNew else { return }
        let patience = DispatchTimeInterval.microseconds(Int(limits.patience / .microseconds(1)))
        queue.asyncAfter(deadline: .now() + patience) { [weak self] in
            self?.gathering.withLock { $0.isStarting = false }
            self?.start()
        }
    }

    /// Returns when everything that was submitted before has been committed or refused.
    func flush() {
        assertMayWait()
        queue.sync { writeMarks() }
    }

    private func commitAll() {
        while let batch = nextBatch() { commit(batch) }
    }

    private func nextBatch() -> [Entry]? {
        gathering.withLock { gathering in
            guard gathering.isReady, gathering.operations > 0 else {
                gathering.isCommitting = false
                return nil
            }
            defer { gathering.isReady = gathering.operations > 0 }
            return gathering.take(Self.batchLimit) + gathering.takeMarks()
        }
    }

    /// A room whose data is damaged is left out, and told so; the rest is committed without it. If the store does not know
    /// which room it is, the batch is halved until it does. Read marks that could not be written are tried again.
    private func commit(_ batch: [Entry]) {
        var batch = leavingOutDamaged(batch)
        var leftOut: Set<RoomName> = []
        while !batch.isEmpty {
            do throws(RoomStoreError) {
                return try commitTogether(batch)
            } catch {
                errors.note(error)
                if case .damaged = error, let halves = batch.halves { return halves.forEach(commit) }
                // Neither operations nor marks of a room that was left out are tried again, so it is not named twice.
                guard case .damagedRoom(let room, _) = error, leftOut.insert(room).inserted else {
                    gather(batch.marks, after: Self.markRetry)
                    release(batch.submissions)
                    return fail(batch.submissions, WireError(error))
                }
                damaged.withLock { $0.note(room, at: .now) }
                batch = leavingOutDamaged(batch)
            }
        }
    }

    private func leavingOutDamaged(_ batch: [Entry]) -> [Entry] {
        let damaged = damaged.withLock { damaged in
            damaged.forget(at: .now)
            return damaged
        }
        guard !damaged.isEmpty else { return batch }
        let leftOut = batch.submissions.filter { damaged.contains($0.room) }
        release(leftOut)
        fail(leftOut, .damaged)
        return batch.filter { !damaged.contains($0.room) }
    }

    /// Marks of a history that is gone are dropped: they are revisions of that.
    private func commitTogether(_ entries: [Entry]) throws(RoomStoreError) {
        assertMayWait()
        let start = ContinuousClock.now
        let epoch = store.epoch
        let marks = entries.marks.filter { $0.epoch == epoch }.map(\.mark)
        let batch = entries.submissions
        let outcomes = try store.commit(inOrder: entries.compactMap { $0.batchEntry(of: epoch) })
        if !marks.isEmpty {
            metrics.marks.add(marks.count)
            whenMarked(marks, epoch)
        }
        guard !batch.isEmpty else { return }
        metrics.committed(outcomes, in: ContinuousClock.now - start)
        hand(outcomes, of: batch, epoch)
        guard let dispatchers else { return }
        let rooms = Set(zip(batch, outcomes).filter { $1.isCommitted }.map { $0.0.room })
        for (part, rooms) in Dictionary(grouping: rooms, by: store.part) { dispatchers[part].committed(Set(rooms)) }
    }

    private func hand(_ outcomes: [CommitOutcome], of batch: [Submission], _ epoch: Epoch) {
        for (submission, outcome) in zip(batch, outcomes) {
            quotas.settle(submission.operation, in: submission.room, outcome)
        }
        release(batch)
        let parts = Self.parts(of: zip(batch, outcomes), epoch)
        let (isFollowed, follows) = gathering.withLock { gathering in
            defer { gathering.isAnnounced = gathering.operations > 0 }
            return (gathering.operations > 0, gathering.isAnnounced)
        }
        let published = CommittedBatch(shards: parts.count, isFollowed: isFollowed, follows: follows)
        for (shard, rooms) in parts { shard.receive(rooms, of: published) }
    }

    /// The outcomes for each shard.
    private static func parts(
        of outcomes: Zip2Sequence<[Submission], [CommitOutcome]>, _ epoch: Epoch
    ) -> [(shard: RoomShard, rooms: CommittedRooms)] {
        var shards: [(shard: RoomShard, rooms: [(name: RoomName, outcomes: CommittedRooms.Outcomes)])] = []
        var shardPlaces: [ObjectIdentifier: Int] = [:]
        var roomPlaces: [RoomName: Int] = [:]
        for (submission, outcome) in outcomes {
            let shard = shardPlaces[ObjectIdentifier(submission.shard)] ?? shards.count
            if shard == shards.count {
                shardPlaces[ObjectIdentifier(submission.shard)] = shard
                shards.append((submission.shard, []))
            }
            let room = roomPlaces[submission.room] ?? shards[shard].rooms.count
            if room == shards[shard].rooms.count {
                roomPlaces[submission.room] = room
                shards[shard].rooms.append((submission.room, []))
            }
            shards[shard].rooms[room].outcomes.append((submission.ticket, outcome))
        }
        let time = Moment.now
        return shards.map { ($0.shard, CommittedRooms($0.rooms, of: epoch, at: time)) }
    }

    private func fail(_ batch: some Sequence<Submission>, _ error: WireError) {
        var shards: [ObjectIdentifier: (shard: RoomShard, inputs: [ShardInput])] = [:]
        for submission in batch {
            quotas.settle(submission.operation, in: submission.room, nil)
            shards[ObjectIdentifier(submission.shard), default: (submission.shard, [])].inputs
                .append(.commitFailed([submission.ticket], submission.room, error))
        }
        for (shard, inputs) in shards.values { shard.receive(inputs) }
    }
}

extension Committer.Entry {
    fileprivate var room: RoomName {
        switch self {
        case .operation(let submission): submission.room
        case .mark(let mark, _): mark.room
        }
    }

    /// `nil` for a read mark of another history.
    fileprivate func batchEntry(of now: Epoch) -> BatchEntry? {
        switch self {
        case .operation(let submission):
            .operation(RoomOperation(room: submission.room, operation: submission.operation))
        case .mark(let mark, let epoch): epoch == now ? .mark(mark) : nil
        }
    }
}

extension [Committer.Entry] {
    fileprivate var submissions: [Committer.Submission] {
        compactMap { if case .operation(let submission) = $0 { submission } else { nil } }
    }

    /// The entries of half of the rooms, and those of the others; `nil` when there is one room.
    fileprivate var halves: [[Committer.Entry]]? {
        let rooms = Set(map(\.room)).sorted()
        guard rooms.count > 1 else { return nil }
        let first = Set(rooms.prefix(rooms.count / 2))
        return [filter { first.contains($0.room) }, filter { !first.contains($0.room) }]
    }

    fileprivate var marks: [(mark: ReadMark, epoch: Epoch)] {
        compactMap { if case .mark(let mark, let epoch) = $0 { (mark, epoch) } else { nil } }
    }
}

extension CommitOutcome {
    fileprivate var isCommitted: Bool {
        if case .committed = self { true } else { false }
    }
}

extension WireError {
    fileprivate static let diskBehind = WireError(
        .unavailable, "the server's disk is not keeping up: send it again, with the same id", retryAfter: 1_000)

    /// The store changed its history while an operation was under way, which may be lost or a part of the new one.
    static let otherHistory = WireError(
        .unavailable, "the server's store goes on with another history: send it again, with the same id",
        retryAfter: 1_000)

    /// Trying again helps once somebody has repaired it, which takes a while.
    fileprivate static let damaged = WireError(
        .unavailable, "the server's data of this room is damaged: other rooms go on, its operator has been told",
        retryAfter: 60_000)

    /// Makes the answer to a client of a store's error. The particulars are for the operator's log.
    init(_ error: RoomStoreError) {
        switch error {
        case .full:
            self.init(.unavailable, "the server's disk is full; nothing was lost: try again", retryAfter: 5_000)
        case .readOnly:
            self.init(
                .unavailable, "the server cannot write at present; nothing was lost: try again", retryAfter: 5_000)
        case .damagedRoom:
            self = .damaged
        case .inUse, .notAStore, .newer, .ahead, .damaged, .unavailable:
            self.init(
                .unavailable, "the server's store does not answer; nothing was lost: try again", retryAfter: 5_000)
        }
    }
}
