import ChatRoom
import ChatWire
import Dispatch
import Locking
import RoomStore
import WebSocketTransport

/// Group commit: while one transaction is being made durable, the next batch gathers.
///
/// Nothing waits for a timer: alone, an operation is committed at once; under load, a batch is whatever came while the
/// disk was busy. The order in which operations of a room were submitted is the order in which they are committed. Each
/// lane of the store has a queue, and ``CommitQueue`` decides on which of them a batch goes.
final class Committer: Sendable {
    /// An operation to commit. Its outcome goes back to its shard.
    struct Submission: CommitSubmission {
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

    private typealias Batch = CommitQueue<Submission>.Batch

    /// The most entries in one transaction, so that the first of them does not wait for all that follow.
    private static let batchLimit = 2_048

    private let store: any RoomStore
    private let metrics: Metrics
    private let errors: StoreErrors
    private let quotas: Quotas
    private let dispatchers: [WebhookDispatcher]?
    private let files: FileDesk?
    private let limits: CommitLimits
    /// Counts so many bytes more against the memory budget, or fewer.
    private let hold: @Sendable (Int) -> Void
    /// Called with read marks when they are on disk, and with their epoch.
    private let whenMarked: @Sendable ([ReadMark], Epoch) -> Void
    private let lanes: [DispatchQueue]
    private let clock = DispatchQueue(label: "diffroom.commit.clock", qos: .userInitiated)
    private let waiting: Guarded<CommitQueue<Submission>>
    private let damaged = Guarded(DamagedRooms())

    /// - Parameters:
    ///   - dispatchers: one for each part of the store; each hears of its rooms that something was committed in.
    ///   - files: hears of messages that were deleted.
    init(
        store: any RoomStore, metrics: Metrics, errors: StoreErrors, quotas: Quotas, dispatchers: [WebhookDispatcher]?,
        files: FileDesk?, limits: CommitLimits, hold: @escaping @Sendable (Int) -> Void,
        whenMarked: @escaping @Sendable ([ReadMark], Epoch) -> Void
    ) {
        (self.limits, self.hold, self.files) = (limits, hold, files)
        lanes = (0..<store.lanes).map { DispatchQueue(label: "diffroom.commit.\($0)", qos: .userInitiated) }
        waiting = Guarded(CommitQueue(limits: limits, lanes: store.lanes))
        self.whenMarked = whenMarked
        self.dispatchers = dispatchers
        self.store = store
        self.quotas = quotas
        self.metrics = metrics
        self.errors = errors
    }

    /// Any thread. The outcomes come on the submissions' shards, some time after ``start()``.
    func submit(_ submissions: [Submission]) {
        let taken = waiting.withLock { $0.add(submissions) }
        if taken.bytes > 0 { hold(taken.bytes) }
        guard taken.count < submissions.count else { return }
        metrics.commitsRefused.add(submissions.count - taken.count)
        fail(submissions.dropFirst(taken.count), .diskBehind)
    }

    /// Operations have their outcomes, and wait no longer.
    private func release(_ batch: [Submission]) {
        let bytes = batch.reduce(0) { $0 + $1.operation.bytes }
        guard bytes > 0 else { return }
        waiting.withLock { $0.release(bytes) }
        hold(-bytes)
    }

    /// Enqueues read marks, from any thread. See ``CommitQueue/add(_:)``.
    func mark(_ marks: [(mark: ReadMark, epoch: Epoch)]) {
        if waiting.withLock({ $0.add(marks) }) { after(Self.markPause) { $0.startMarks() } }
    }

    private func requeue(_ marks: [(mark: ReadMark, epoch: Epoch)]) {
        if waiting.withLock({ $0.requeue(marks) }) { after(Self.markRetry) { $0.startMarks() } }
    }

    /// The longest time that a mark waits for operations to go with.
    private static let markPause = Duration.milliseconds(250)
    /// The time until marks are tried again that could not be written.
    private static let markRetry = Duration.seconds(5)

    /// Any thread, when all has been submitted that came together.
    func start() {
        begin(waiting.withLock { $0.start() })
    }

    /// Starts before long. A slow shard does not hold up the operations of others that came together with its own.
    func startSoon() {
        guard waiting.withLock({ $0.startSoon() }) else { return }
        after(limits.patience) { $0.startPlanned() }
    }

    /// Returns when everything that was submitted before has been committed or refused.
    func flush() {
        assertMayWait()
        begin(waiting.withLock { $0.startMarks() })
        repeat { for lane in lanes { lane.sync {} } } while waiting.withLock { $0.isAtWork }
    }

    private func after(_ pause: Duration, _ start: @escaping @Sendable (inout CommitQueue<Submission>) -> Int?) {
        let pause = DispatchTimeInterval.microseconds(Int(pause / .microseconds(1)))
        clock.asyncAfter(deadline: .now() + pause) { self.begin(self.waiting.withLock { start(&$0) }) }
    }

    private func begin(_ lane: Int?) {
        guard let lane else { return }
        lanes[lane].async { self.commitAll(on: lane) }
    }

    private func commitAll(on lane: Int) {
        while let batch = waiting.withLock({ $0.next(on: lane, atMost: Self.batchLimit) }) {
            if lanes.count > 1 { after(limits.lateness) { $0.markLate(batch) } }
            commit(batch)
        }
    }

    /// A room whose data is damaged is left out, and told so; the rest is committed without it. If the store does not know
    /// which room it is, the batch is halved until it does. Read marks that could not be written are tried again.
    private func commit(_ batch: Batch) {
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
                    requeue(batch.marks)
                    release(batch.submissions)
                    return fail(batch.submissions, WireError(error))
                }
                damaged.withLock { $0.note(room, at: .now) }
                batch = leavingOutDamaged(batch)
            }
        }
    }

    private func leavingOutDamaged(_ batch: Batch) -> Batch {
        let damaged = damaged.withLock { damaged in
            damaged.forget(at: .now)
            return damaged
        }
        guard !damaged.isEmpty else { return batch }
        let leftOut = batch.submissions.filter { damaged.contains($0.room) }
        release(leftOut)
        fail(leftOut, .damaged)
        return batch.filter { !damaged.contains($0) }
    }

    private func commitTogether(_ whole: Batch) throws(RoomStoreError) {
        assertMayWait()
        let start = ContinuousClock.now
        let epoch = store.epoch
        let marks = whole.marks.filter { $0.epoch == epoch }.map(\.mark)
        let batch = whole.submissions
        let outcomes = try store.commit(inOrder: whole.entries(of: epoch, at: { store.clock(of: $0)?.now }))
        if !marks.isEmpty {
            metrics.marks.add(marks.count)
            whenMarked(marks, epoch)
        }
        guard !batch.isEmpty else { return }
        metrics.committed(outcomes, in: ContinuousClock.now - start)
        publish(outcomes, of: batch, epoch)
        removeFiles(outcomes, of: batch)
        guard let dispatchers else { return }
        let rooms = Set(zip(batch, outcomes).filter { $1.isCommitted }.map { $0.0.room })
        for (part, rooms) in Dictionary(grouping: rooms, by: store.part) { dispatchers[part].committed(Set(rooms)) }
    }

    private func removeFiles(_ outcomes: [CommitOutcome], of batch: [Submission]) {
        guard let files else { return }
        let deleted = zip(batch, outcomes).compactMap { submission, outcome in
            if case .committed(_, .deleted(let id, _)) = outcome { (submission.room, id) } else { nil }
        }
        if !deleted.isEmpty { files.removeFiles(of: deleted) }
    }

    private func publish(_ outcomes: [CommitOutcome], of batch: [Submission], _ epoch: Epoch) {
        for (submission, outcome) in zip(batch, outcomes) {
            quotas.complete(submission.operation, in: submission.room, outcome)
        }
        let committed = zip(batch, outcomes).filter { $1.isCommitted }
        quotas.charge(committed.map { ($0.0.room, $0.0.operation) }, at: .now)
        release(batch)
        let parts = Self.parts(of: zip(batch, outcomes), epoch)
        let (follows, isFollowed) = waiting.withLock { $0.announce() }
        let published = CommittedBatch(shards: parts.count, isFollowed: isFollowed, follows: follows)
        for (shard, rooms) in parts { shard.enqueue(rooms, of: published) }
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
            quotas.complete(submission.operation, in: submission.room, nil)
            shards[ObjectIdentifier(submission.shard), default: (submission.shard, [])].inputs
                .append(.commitFailed([submission.ticket], submission.room, error))
        }
        for (shard, inputs) in shards.values { shard.enqueue(inputs) }
    }
}

extension CommitOutcome {
    fileprivate var isCommitted: Bool {
        if case .committed = self { true } else { false }
    }
}

extension WireError {
    fileprivate static let diskBehind = WireError(
        .diskSlow, "the server's disk is not keeping up: send it again, with the same id", retryAfter: 1_000)

    /// The store changed its history while an operation was under way, which may be lost or a part of the new one.
    static let otherHistory = WireError(
        .storeReplaced, "the store's history was replaced: send it again, with the same id",
        retryAfter: 1_000)

    /// Trying again helps once it is repaired, which takes a while.
    fileprivate static let damaged = WireError(
        .damaged, "the server's data of this room is damaged: other rooms go on, its operator has been told",
        retryAfter: 60_000)

    /// Makes the answer to a client of a store's error. The particulars are for the operator's log.
    init(_ error: RoomStoreError) {
        switch error {
        case .full:
            self.init(.diskFull, "the server's disk is full; nothing was lost: try again", retryAfter: 5_000)
        case .readOnly:
            self.init(
                .notWritable, "the server cannot write at present; nothing was lost: try again", retryAfter: 5_000)
        case .damagedRoom:
            self = .damaged
        case .inUse, .notAStore, .newer, .ahead, .misplaced, .damaged, .unavailable:
            self.init(
                .storeDown, "the server's store does not answer; nothing was lost: try again", retryAfter: 5_000)
        }
    }
}
