import ChatRoom
import ChatServer
import ChatWire
import RoomStore

// Group commit, and trimming.

extension Server {
    /// As the retention job does, for as long as the process lives.
    func trim(to count: Int) {
        process.after(world.upTo(3_000)) { [self] in
            let shortened = world.trim(disk, to: count)
            for (room, revision) in shortened.sorted(by: { $0.key < $1.key }) { announce(revision, of: room) }
            trim(to: count)
        }
    }

    func mark(_ marks: [(mark: ReadMark, epoch: Epoch)]) {
        if waiting.add(marks) { startMarks(after: 250) }
    }

    private func startMarks(after pause: Milliseconds) {
        process.after(pause) { [self] in begin(waiting.startMarks()) }
    }

    /// Each shard hears of those of its people.
    private func tell(of marks: [ReadMark], _ epoch: Epoch) {
        for shard in shards {
            let own = marks.filter { map.shard(of: $0.user) == shard.index }
            if !own.isEmpty { shard.enqueue([.message(.marked(own, of: epoch))]) }
        }
    }

    func submit(_ commits: [ShardDecision.Commit]) {
        let taken = waiting.add(commits)
        let refused = commits.dropFirst(taken.count)
        world.postpone(refused.map(\.operation))
        fail(refused)
        begin(waiting.start())
    }

    private func begin(_ lane: Int?) {
        if let lane { process.after(0) { self.commitNext(on: lane) } }
    }

    private func commitNext(on lane: Int) {
        guard let batch = waiting.next(on: lane, atMost: world.weather.batch) else { return }
        process.after(world.weather.lateness) { [self] in begin(waiting.markLate(batch)) }
        process.after(world.diskLatency()) { [self] in commit(batch) { self.commitNext(on: lane) } }
    }

    private func commit(_ batch: Batch, andThen goOn: @escaping () -> Void) {
        if let rest = world.commitsHang { return hang(batch, for: rest, andThen: goOn) }
        if isIsolated { return abandon(batch, andThen: goOn) }
        let disk = disk
        do throws(RoomStoreError) {
            let outcomes = try world.commit(
                batch.entries(of: disk.epoch, at: { _ in world.instant(on: disk) }), on: disk)
            process.after(world.diskLatency()) { [self] in
                tell(of: batch.marks.filter { $0.epoch == disk.epoch }.map(\.mark), disk.epoch)
                publish(outcomes, of: batch.submissions, disk.epoch)
                send(outcomes, of: batch.submissions, disk.epoch)
                let comers = outcomes.flatMap(\.comers)
                let users = Set(comers + batch.marks.filter { $0.epoch == disk.epoch }.map(\.mark.user))
                if !users.isEmpty { tell(membershipsOf: users.sorted()) }
                for (submission, outcome) in zip(batch.submissions, outcomes) {
                    guard case .committed(_, let change) = outcome, !change.affiliates.isEmpty else { continue }
                    tell(affiliates: change.affiliates, of: submission.room)
                }
                goOn()
            }
        } catch {
            fail(batch)
            goOn()
        }
    }

    /// The commit goes on when the store does; whoever waits for it hears within a deadline that nobody knows.
    private func hang(_ batch: Batch, for rest: Milliseconds, andThen goOn: @escaping () -> Void) {
        process.after(min(rest, world.commitDeadline)) { [self] in
            guard world.commitsHang != nil else { return commit(batch, andThen: goOn) }
            abandon(batch, andThen: goOn)
        }
    }

    /// The commit was done, or was not.
    private func abandon(_ batch: Batch, andThen goOn: @escaping () -> Void) {
        // It gets its instant where it is committed.
        if world.chance(0.5) { world.commitUnheard(batch.entries(of: disk.epoch, at: { _ in 0 }), on: disk) }
        world.postpone(batch.submissions.map(\.operation))
        fail(batch)
        goOn()
    }

    private typealias Batch = CommitQueue<ShardDecision.Commit>.Batch

    private func publish(_ outcomes: [CommitOutcome], of batch: [ShardDecision.Commit], _ epoch: Epoch) {
        release(batch)
        let rooms = Set(batch.map(\.room)).sorted().map { room in
            let ours = zip(batch, outcomes).filter { $0.0.room == room }
            return (name: room, outcomes: ours.map { (ticket: $0.0.ticket, outcome: $0.1) })
        }
        for shard in shards {
            let own = rooms.filter { map.shard(of: $0.name) == shard.index }
            if !own.isEmpty { shard.enqueue([.committed(CommittedRooms(own, of: epoch))]) }
        }
    }

    /// The other servers on this store get the messages, in any order, unless they are lost.
    private func send(_ outcomes: [CommitOutcome], of batch: [ShardDecision.Commit], _ epoch: Epoch) {
        guard !isIsolated else { return }
        let others = world.running.filter { $0 !== self && $0.disk === disk && !$0.isIsolated }
        for (commit, outcome) in zip(batch, outcomes) {
            guard case .committed(_, .inserted(let row, let instant, _)) = outcome else { continue }
            let message = InsertedMessage(row, at: instant)
            for server in others where !world.chance(0.2) {
                server.process.after(world.latency()) { server.handle(message, in: commit.room, epoch) }
            }
        }
    }

    private func handle(_ message: InsertedMessage, in room: RoomName, _ epoch: Epoch) {
        if known[room] != nil { enqueue([.sent([message], room, of: epoch)], for: room) }
    }

    /// Operations are told so; read marks are tried again.
    private func fail(_ batch: Batch) {
        release(batch.submissions)
        fail(batch.submissions[...])
        if waiting.requeue(batch.marks) { startMarks(after: 5_000) }
    }

    private func fail(_ operations: ArraySlice<ShardDecision.Commit>) {
        for shard in shards {
            let own = operations.filter { map.shard(of: $0.room) == shard.index }
            if !own.isEmpty { shard.enqueue(own.map { .commitFailed([$0.ticket], $0.room, .diskFailed) }) }
        }
    }

    private func release(_ operations: [ShardDecision.Commit]) {
        waiting.release(operations.reduce(0) { $0 + $1.operation.bytes })
    }
}

extension ShardDecision.Commit: CommitSubmission {}

extension WireError {
    static let diskFailed = WireError(.storeDown, "the disk is full; nothing was lost: try again", retryAfter: 300)
}

extension CommitOutcome {
    /// The people who have come into the room by it.
    fileprivate var comers: [UserName] {
        if case .committed(_, let change) = self { change.comers.map(\.user) } else { [] }
    }
}
