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

    private struct Gathering: Sendable {
        var submissions: [Submission] = []
        /// All that came with some of them is there.
        var isReady = false
        var isCommitting = false
        /// True when the last transaction said that another one follows.
        var isAnnounced = false
        /// The read marks that go with the next transaction.
        var marks: [MarkKey: Revision] = [:]
        /// True when a transaction for the marks alone is planned.
        var isMarking = false
    }

    private struct MarkKey: Hashable, Sendable {
        let room: RoomName
        let user: UserName
        let epoch: Epoch
    }

    /// The number of operations that may wait for the disk. Beyond it the disk is not keeping up, and more would only
    /// wait longer.
    private static let limit = 65_536
    /// The most operations in one transaction, so that the first of them does not wait for all that follow.
    private static let batchLimit = 2_048

    private let store: any RoomStore
    private let metrics: Metrics
    private let errors: StoreErrors
    private let quotas: Quotas
    private let dispatchers: [WebhookDispatcher]?
    /// Called with read marks when they are on disk, and with their epoch.
    private let whenMarked: @Sendable ([ReadMark], Epoch) -> Void
    private let queue = DispatchQueue(label: "diffroom.commit", qos: .userInitiated)
    private let gathering = Guarded(Gathering())
    private let damaged = Guarded(DamagedRooms())

    /// - Parameter dispatchers: one for each part of the store; each hears of its rooms that something was committed in.
    init(
        store: any RoomStore, metrics: Metrics, errors: StoreErrors, quotas: Quotas, dispatchers: [WebhookDispatcher]?,
        whenMarked: @escaping @Sendable ([ReadMark], Epoch) -> Void
    ) {
        self.whenMarked = whenMarked
        self.dispatchers = dispatchers
        self.store = store
        self.quotas = quotas
        self.metrics = metrics
        self.errors = errors
    }

    /// Any thread. The outcomes come on the submissions' shards, some time after ``start()``.
    func submit(_ submissions: [Submission]) {
        let taken = gathering.withLock { gathering in
            let taken = min(submissions.count, Self.limit - gathering.submissions.count)
            gathering.submissions.append(contentsOf: submissions.prefix(taken))
            return taken
        }
        guard taken < submissions.count else { return }
        metrics.commitsRefused.add(submissions.count - taken)
        fail(submissions.dropFirst(taken), .diskBehind)
    }

    /// Takes read marks, from any thread. They go with the next transaction, or with one of their own if there is none
    /// for a while. Marks beyond the limit are dropped: the person's next mark in the room makes up for them.
    func mark(_ marks: [(mark: ReadMark, epoch: Epoch)]) {
        gather(marks, after: Self.markPause)
    }

    private func gather(_ marks: [(mark: ReadMark, epoch: Epoch)], after pause: DispatchTimeInterval) {
        let starts = gathering.withLock { gathering in
            for (mark, epoch) in marks {
                let key = MarkKey(room: mark.room, user: mark.user, epoch: epoch)
                guard gathering.marks.count < Self.limit || gathering.marks[key] != nil else { continue }
                gathering.marks[key] = max(gathering.marks[key] ?? 0, mark.revision)
            }
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
        let isDue = gathering.withLock { gathering in
            gathering.isMarking = false
            return !gathering.marks.isEmpty
        }
        guard isDue else { return }
        do throws(RoomStoreError) {
            try commitTogether([])
        } catch {
            errors.note(error)
            if case .damagedRoom(let room, _) = error { damaged.withLock { $0.note(room, at: .now) } }
        }
    }

    /// Takes the marks that wait. Those of damaged rooms are dropped, and those of a history that is gone: they are
    /// revisions of that.
    private func takeMarks(of epoch: Epoch) -> [ReadMark] {
        let marks = gathering.withLock { gathering in
            defer { gathering.marks = [:] }
            return gathering.marks
        }
        guard !marks.isEmpty else { return [] }
        return damaged.withLock { damaged in
            damaged.forget(at: .now)
            return marks.filter { $0.key.epoch == epoch && !damaged.contains($0.key.room) }
                .map { ReadMark(room: $0.key.room, user: $0.key.user, revision: $0.value) }
        }
    }

    /// Any thread, when all has been submitted that came together.
    func start() {
        let starts = gathering.withLock { gathering in
            gathering.isReady = !gathering.submissions.isEmpty
            guard gathering.isReady, !gathering.isCommitting else { return false }
            gathering.isCommitting = true
            return true
        }
        if starts { queue.async { self.commitAll() } }
    }

    /// Returns when everything that was submitted before has been committed or refused.
    func flush() {
        assertMayWait()
        queue.sync { writeMarks() }
    }

    private func commitAll() {
        while let batch = nextBatch() { commit(batch) }
    }

    private func nextBatch() -> [Submission]? {
        gathering.withLock { gathering in
            guard gathering.isReady, !gathering.submissions.isEmpty else {
                gathering.isCommitting = false
                return nil
            }
            let batch = Array(gathering.submissions.prefix(Self.batchLimit))
            gathering.submissions.removeFirst(batch.count)
            gathering.isReady = !gathering.submissions.isEmpty
            return batch
        }
    }

    /// A room whose data is damaged is left out, and told so; the rest is committed without it.
    private func commit(_ batch: [Submission]) {
        var batch = leavingOutDamaged(batch)
        var leftOut: Set<RoomName> = []
        while !batch.isEmpty {
            do throws(RoomStoreError) {
                return try commitTogether(batch)
            } catch {
                errors.note(error)
                // Neither operations nor marks of a room that was left out are tried again, so it is not named twice.
                guard case .damagedRoom(let room, _) = error, leftOut.insert(room).inserted else {
                    return fail(batch, WireError(error))
                }
                damaged.withLock { $0.note(room, at: .now) }
                batch = leavingOutDamaged(batch)
            }
        }
    }

    private func leavingOutDamaged(_ batch: [Submission]) -> [Submission] {
        let damaged = damaged.withLock { damaged in
            damaged.forget(at: .now)
            return damaged
        }
        guard !damaged.isEmpty else { return batch }
        fail(batch.filter { damaged.contains($0.room) }, .damaged)
        return batch.filter { !damaged.contains($0.room) }
    }

    private func commitTogether(_ batch: [Submission]) throws(RoomStoreError) {
        assertMayWait()
        let start = ContinuousClock.now
        let epoch = store.epoch
        let marks = takeMarks(of: epoch)
        let outcomes: [CommitOutcome]
        do throws(RoomStoreError) {
            let operations = batch.map { RoomOperation(room: $0.room, operation: $0.operation) }
            outcomes = try store.commit(operations, marking: marks)
        } catch {
            gather(marks.map { ($0, epoch) }, after: Self.markRetry)
            throw error
        }
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
        let parts = Self.parts(of: zip(batch, outcomes), epoch)
        let (isFollowed, follows) = gathering.withLock { gathering in
            defer { gathering.isAnnounced = !gathering.submissions.isEmpty }
            return (!gathering.submissions.isEmpty, gathering.isAnnounced)
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
