import ChatRoom
import ChatWire
import Dispatch
import RoomStore

/// The rooms of one serial queue. Each room belongs to one shard for good, so room code needs no locks.
final class RoomShard: @unchecked Sendable {
    // @unchecked: what varies is only touched on `queue`, which every method that touches it requires.
    typealias Outcomes = [(ticket: Ticket, outcome: CommitOutcome)]

    private let queue: DispatchQueue
    private let environment: RoomEnvironment
    private var rooms: [RoomName: Room] = [:]
    /// What is left of rooms with nobody in them; numbered in the order in which they became that.
    private var resting: [RoomName: (number: UInt64, memory: MembersMemory)] = [:]
    private var lastRest: UInt64 = 0
    private struct Sender: Hashable, Sendable {
        let user: UserName
        let room: RoomName
    }

    /// Outlasts the rooms, which are forgotten when nobody is in them.
    private var sends = RateBook<Sender>()
    private var reactions = RateBook<Sender>()
    let caches: CacheSpace
    /// What this turn of the queue wants committed.
    private var submissions: [Committer.Submission] = []

    init(index: Int, environment: RoomEnvironment) {
        queue = DispatchQueue(label: "diffroom.rooms.\(index)", qos: .userInitiated)
        queue.setSpecific(key: mayNotWait, value: true)
        self.environment = environment
        caches = CacheSpace(limit: environment.cacheBytes) { [gateway = environment.gateway] in gateway.hold($0) }
    }

    /// Any thread. PendingRequests of one thread arrive in its order, and are answered in the order of what the room publishes:
    /// a page never comes after news that it does not know.
    ///
    /// - Parameter round: what came together with these for other shards.
    func receive(_ requests: [RoomRequest], of round: Round) {
        turn(of: round) {
            for request in requests { self.visit(request.room) { $0.receive(request) } }
        }
    }

    /// Any thread.
    func receive(_ input: RoomState.Input, for name: RoomName) {
        turn { self.visit(name) { $0.receive(input) } }
    }

    /// Any thread.
    func committed(_ outcomes: [RoomName: Outcomes], of batch: CommittedBatch) {
        turn {
            for (name, outcomes) in outcomes {
                self.visit(name) { $0.receive(outcomes, of: batch) }
            }
            if batch.isPublishedWithThisPart() { self.environment.gateway.release() }
        }
    }

    /// Any thread. What the store answered to the room.
    func answered(_ name: RoomName, _ take: @escaping @Sendable (Room) -> Void) {
        turn { self.visit(name, take) }
    }

    /// Likewise, but returns when it was taken: what was read waits in no queue.
    func hand(to name: RoomName, _ take: @escaping @Sendable (Room) -> Void) {
        assertMayWait()
        let taken = DispatchSemaphore(value: 0)
        turn {
            self.visit(name, take)
            taken.signal()
        }
        taken.wait()
    }

    /// Any thread. What another server did is nothing to a room that is not here.
    func announced(_ revision: Revision, for name: RoomName) {
        turn {
            if self.rooms[name] != nil { self.visit(name) { $0.receive(.announced(revision)) } }
        }
    }

    /// Any thread. The store has another epoch.
    func renew() {
        turn {
            for name in Array(self.rooms.keys) { self.visit(name) { $0.renew() } }
        }
    }

    /// Any thread. What concerns the people of one room, or, with `nil`, of each.
    func hear(_ input: MembersState.Input, of name: RoomName?) {
        turn {
            for name in name.map({ [$0] }) ?? Array(self.rooms.keys) where self.rooms[name] != nil {
                self.visit(name) { $0.hear(input) }
            }
        }
    }

    /// Any thread. What can be made again is let go of.
    func forgetDeliveries() {
        queue.async { for room in self.rooms.values { room.forgetDeliveries() } }
    }

    /// Any thread. What is to come after all that was received before.
    func async(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Why an operation has to wait because its author has done much in the room lately; `nil` if it has not to.
    func refusal(of operation: Operation, to room: RoomName) -> WireError? {
        dispatchPrecondition(condition: .onQueue(queue))
        if case .moderate = operation.action { return nil }
        guard let rate = environment.quotas.allowances.sends else { return nil }
        let sender = Sender(user: operation.author, room: room)
        if case .react = operation.action,
            let wait = reactions.take(sender, at: operation.time, rate.share(Allowances.reactionShare))
        {
            environment.quotas.hit(.reactionRate)
            return .tooManyReactions(in: room, wait)
        }
        guard let wait = sends.take(sender, at: operation.time, rate) else { return nil }
        environment.quotas.hit(.sendRate)
        return .tooManySends(in: room, wait)
    }

    /// Any thread. Who is in a room, as far as this server knows.
    func people(of name: RoomName, _ take: @escaping @Sendable (PeopleReading) -> Void) {
        queue.async {
            take(self.rooms[name]?.people ?? self.resting[name]?.memory.reading ?? .nobody)
        }
    }

    /// To be committed, with all that this turn of the queue brings.
    func submit(_ submission: Committer.Submission) {
        dispatchPrecondition(condition: .onQueue(queue))
        submissions.append(submission)
    }

    /// What `body` does to connections and to the store is handed over when it ends, all at once.
    private func turn(of round: Round? = nil, _ body: @escaping @Sendable () -> Void) {
        queue.async {
            self.environment.gateway.together(body)
            if self.caches.isOver { for room in self.rooms.values { room.forgetDeliveries() } }
            self.handIn(of: round)
        }
    }

    private func handIn(of round: Round? = nil) {
        let store = environment.store
        if store.writers == 1 {
            if !submissions.isEmpty { environment.committers[0].submit(submissions) }
        } else {
            for (writer, submissions) in Dictionary(grouping: submissions, by: { store.writer(of: $0.room) }) {
                environment.committers[writer].submit(submissions)
            }
        }
        // Counted only now: whoever is the last one starts a commit of what all have submitted.
        let isAll = round?.isOverWithThisPart() ?? !submissions.isEmpty
        submissions = []
        if isAll { for committer in environment.committers { committer.start() } }
    }

    /// Returns when everything that was received before has been done.
    func flush() {
        assertMayWait()
        queue.sync {}
    }

    /// A timer that wakes the room; to be activated.
    func alarm(for name: RoomName) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.wake(name) }
        return timer
    }

    private func wake(_ name: RoomName) {
        guard rooms[name] != nil else { return }
        environment.gateway.together { visit(name) { $0.wake() } }
        handIn()
    }

    private func visit(_ name: RoomName, _ body: (Room) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        let room = rooms[name] ?? open(name)
        body(room)
        guard room.isResting else { return }
        room.stopFollowing()
        rooms[name] = nil
        environment.metrics.rooms.add(-1)
        if let memory = room.memory { remember(name, memory) }
    }

    private func open(_ name: RoomName) -> Room {
        let memory = resting.removeValue(forKey: name)?.memory
        let room = Room(name, remembering: memory, shard: self, environment: environment)
        rooms[name] = room
        environment.metrics.rooms.add(1)
        return room
    }

    /// Remembers the room, but not too many: then half are forgotten, those that have rested longest.
    private func remember(_ name: RoomName, _ memory: MembersMemory) {
        lastRest += 1
        resting[name] = (lastRest, memory)
        guard resting.count > environment.restingRooms else { return }
        let oldest = resting.sorted { $0.value.number < $1.value.number }.prefix((resting.count + 1) / 2)
        for (name, _) in oldest { resting[name] = nil }
    }
}
