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
            for room in world.rooms { if let revision = shortened[room] { announce(revision, of: room) } }
            trim(to: count)
        }
    }

    /// As the committer does, but always in a transaction of their own.
    func mark(_ marks: [(mark: ReadMark, epoch: Epoch)]) {
        self.marks += marks
        guard !self.marks.isEmpty, !isMarking else { return }
        isMarking = true
        process.after(250) { self.writeMarks() }
    }

    private func writeMarks() {
        let epoch = disk.epoch
        let due = marks.filter { $0.epoch == epoch }
        (marks, isMarking) = ([], false)
        do throws(RoomStoreError) {
            try world.mark(due.map(\.mark), on: disk)
            process.after(world.diskLatency()) { self.tell(of: due.map(\.mark), epoch) }
        } catch {
            mark(due)
        }
    }

    /// Each shard hears of those of its people.
    private func tell(of marks: [ReadMark], _ epoch: Epoch) {
        for shard in shards {
            let own = marks.filter { map.shard(of: $0.user) == shard.index }
            if !own.isEmpty { shard.enqueue([.letter(.marked(own, of: epoch))]) }
        }
    }

    func submit(_ commits: [ShardDecision.Commit]) {
        waiting += commits
        guard !commits.isEmpty, !isCommitting else { return }
        isCommitting = true
        process.after(0) { self.commitNext() }
    }

    private func commitNext() {
        let batch = Array(waiting.prefix(world.weather.batch))
        isCommitting = !batch.isEmpty
        guard isCommitting else { return }
        waiting.removeFirst(batch.count)
        process.after(world.diskLatency()) { self.commit(batch) }
    }

    private func commit(_ batch: [ShardDecision.Commit]) {
        if let rest = world.commitsHang { return hang(batch, for: rest) }
        let disk = disk
        do throws(RoomStoreError) {
            let outcomes = try world.commit(batch.map(\.entry), on: disk)
            process.after(world.diskLatency()) { [self] in
                hand(outcomes, of: batch, disk.epoch)
                commitNext()
            }
        } catch {
            fail(batch)
        }
    }

    /// The commit goes on when the store does; whoever waits for it hears within a deadline that nobody knows.
    private func hang(_ batch: [ShardDecision.Commit], for rest: Milliseconds) {
        process.after(min(rest, world.commitDeadline)) { [self] in
            guard world.commitsHang != nil else { return commit(batch) }
            if world.chance(0.5) { world.commitUnheard(batch.map(\.entry), on: disk) }
            world.postpone(batch.map(\.operation))
            fail(batch)
        }
    }

    private func hand(_ outcomes: [CommitOutcome], of batch: [ShardDecision.Commit], _ epoch: Epoch) {
        let rooms = world.rooms.compactMap { room -> (name: RoomName, outcomes: CommittedRooms.Outcomes)? in
            let ours = zip(batch, outcomes).filter { $0.0.room == room }.map { (ticket: $0.0.ticket, outcome: $0.1) }
            return ours.isEmpty ? nil : (room, ours)
        }
        for shard in shards {
            let own = rooms.filter { map.shard(of: $0.name) == shard.index }
            if !own.isEmpty { shard.enqueue([.committed(CommittedRooms(own, of: epoch))]) }
        }
    }

    private func fail(_ batch: [ShardDecision.Commit]) {
        for shard in shards {
            let own = batch.filter { map.shard(of: $0.room) == shard.index }
            if !own.isEmpty { shard.enqueue(own.map { .commitFailed([$0.ticket], $0.room, .diskFailed) }) }
        }
        commitNext()
    }
}

extension ShardDecision.Commit {
    fileprivate var entry: RoomOperation { RoomOperation(room: room, operation: operation) }
}

extension WireError {
    static let diskFailed = WireError(.unavailable, "the disk is full; nothing was lost: try again", retryAfter: 300)
}
