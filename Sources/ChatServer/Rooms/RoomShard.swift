import ChatRoom
import ChatWire
import Dispatch
import Publishing
import RoomStore
import WebSocketTransport

/// The parts of the server that every shard uses.
struct ShardEnvironment: Sendable {
    let store: any RoomStore
    let committers: [Committer]
    let storeReads: StoreReads
    let gateway: ConnectionGateway
    let quotas: Quotas
    /// All shards, this one too.
    let shards: OnceLock<[Peer]>
    private let start = ContinuousClock.now

    /// A shard as the others know it. They do not keep each other.
    struct Peer: Sendable {
        weak let shard: RoomShard?
    }

    init(
        store: any RoomStore, committers: [Committer], storeReads: StoreReads, gateway: ConnectionGateway,
        quotas: Quotas, shards: OnceLock<[Peer]>
    ) {
        self.shards = shards
        (self.store, self.committers, self.storeReads) = (store, committers, storeReads)
        (self.gateway, self.quotas) = (gateway, quotas)
    }

    /// The present conditions.
    var conditions: ShardConditions {
        ShardConditions(
            now: start.duration(to: .now), time: .now, epoch: store.epoch, allowances: quotas.allowances,
            isShort: gateway.transport.isOverBudget, instant: { [store] in store.clock(of: $0)?.now ?? .now })
    }

    func time(until now: Duration) -> Duration { max(.zero, now - start.duration(to: .now)) }
}

/// The rooms of one serial queue: performs the decisions of a ``ShardState``.
///
/// Each room belongs to one shard permanently. Event loops subscribe to the shard's publisher. It sends one batch for each
/// decision, and each loop gets its part in one call.
final class RoomShard: @unchecked Sendable {
    // @unchecked: all variables are used on `queue` only.

    /// One decision's commands for all event loops.
    private struct Batch: Sendable {
        let loops: [ShardDecision.Loop]
        let departure: Departure
    }

    private let queue: DispatchQueue
    private let environment: ShardEnvironment
    private var state: ShardState
    private var alarms: [ShardAlarm: any DispatchSourceTimer] = [:]
    private let publisher = Publisher<Batch>()
    private let subscriptions: [Subscription]
    /// The operations that this turn submits.
    private var submissions: [Committer.Submission] = []

    init(_ settings: ShardSettings, environment: ShardEnvironment) {
        queue = DispatchQueue(label: "diffroom.rooms.\(settings.index)", qos: .userInitiated)
        queue.setSpecific(key: mayNotWait, value: true)
        self.environment = environment
        state = ShardState(settings)
        subscriptions = (0..<settings.loops).map { [publisher, gateway = environment.gateway] loop in
            publisher.sink { gateway.perform($0.loops[loop], onLoop: loop, leaving: $0.departure) }
        }
    }

    /// Enqueues inputs, from any thread. Inputs from one thread keep their order, and answers keep the order of published
    /// diffs: a page never comes after a diff that it does not contain.
    ///
    /// - Parameter round: the inputs that arrived together with these, for all shards.
    func enqueue(_ inputs: [ShardInput], of round: Round? = nil) {
        let bytes = inputs.reduce(0) { $0 + $1.bytes }
        environment.gateway.hold(bytes)
        queue.async {
            self.turn(inputs, of: round)
            self.environment.gateway.hold(-bytes)
        }
    }

    /// Enqueues this shard's part of a transaction, from any thread. ``CommittedBatch`` rules when its diffs leave.
    func enqueue(_ rooms: CommittedRooms, of batch: CommittedBatch) {
        queue.async {
            batch.submitPart(
                { self.turn([.committed(rooms)], leaving: $0) }, uncorking: self.environment.gateway.uncork)
        }
    }

    /// Handles one input and returns after its turn, so that store readings do not pile up in the queue.
    func enqueueAndWait(_ input: ShardInput) {
        assertMayWait()
        let taken = DispatchSemaphore(value: 0)
        queue.async {
            self.turn([input])
            taken.signal()
        }
        taken.wait()
    }

    /// Passes on the people in a room, as far as this server knows. Any thread.
    func people(of room: RoomName, _ take: @escaping @Sendable (PeopleReading) -> Void) {
        queue.async { take(self.state.people(of: room)) }
    }

    /// Returns after all inputs that came before.
    func flush() {
        assertMayWait()
        queue.sync {}
    }

    /// Handles the inputs and performs the decisions.
    private func turn(_ inputs: [ShardInput], of round: Round? = nil, leaving departure: Departure = .atOnce) {
        var rest = environment.gateway.present(inputs)[...]
        repeat {
            perform(state.handle(&rest, environment.conditions), leaving: departure)
        } while !rest.isEmpty
        submitOperations(of: round)
    }

    private func perform(_ decision: ShardDecision, leaving departure: Departure) {
        environment.gateway.count(decision)
        for note in decision.peers { environment.store.others?.perform(note) }
        for (alarm, time) in decision.alarms { set(time, for: alarm) }
        if departure == .ending || decision.loops.contains(where: { !$0.isEmpty }) {
            publisher.send(Batch(loops: decision.loops, departure: departure))
        }
        environment.gateway.serve(decision)
        submissions += decision.commits.map { Committer.Submission($0, of: self, environment.quotas) }
        for query in decision.queries { environment.storeReads.load(query, for: self) }
        for query in decision.inboxQueries { environment.storeReads.load(query, for: self) }
        if !decision.marks.isEmpty { mark(decision.marks) }
        if !decision.messages.isEmpty { send(decision.messages) }
    }

    /// Submits all operations of this turn at once.
    private func submitOperations(of round: Round?) {
        let store = environment.store
        if store.parts == 1 {
            if !submissions.isEmpty { environment.committers[0].submit(submissions) }
        } else {
            for (part, submissions) in Dictionary(grouping: submissions, by: { store.part(of: $0.room) }) {
                environment.committers[part].submit(submissions)
            }
        }
        let hasSubmitted = !submissions.isEmpty
        submissions = []
        // Counted only now: the last shard of a round starts the commit of all submissions.
        if round?.isOverWithThisPart() ?? hasSubmitted {
            for committer in environment.committers { committer.start() }
        } else if hasSubmitted {
            for committer in environment.committers { committer.startSoon() }
        }
    }

    private func mark(_ marks: [(mark: ReadMark, epoch: Epoch)]) {
        let store = environment.store
        for (part, marks) in Dictionary(grouping: marks, by: { store.part(of: $0.mark.room) }) {
            environment.committers[part].mark(marks)
        }
    }

    /// Sends each shard its messages as one array, in their order.
    private func send(_ messages: [(shard: Int, message: ShardMessage)]) {
        let shards = environment.shards.wait()
        for (shard, messages) in Dictionary(grouping: messages, by: \.shard) {
            shards[shard].shard?.enqueue(messages.map { .message($0.message) })
        }
    }

    private func set(_ time: Duration?, for name: ShardAlarm) {
        guard let time else {
            alarms.removeValue(forKey: name)?.cancel()
            return
        }
        let alarm = alarms[name] ?? makeAlarm(for: name)
        let nanoseconds = Int((environment.time(until: time) / .nanoseconds(1)).rounded(.up))
        let leeway = name == .deliveries ? DispatchTimeInterval.nanoseconds(0) : .milliseconds(10)
        alarm.schedule(deadline: .now() + .nanoseconds(nanoseconds), leeway: leeway)
        if alarms[name] == nil { alarm.activate() }
        alarms[name] = alarm
    }

    private func makeAlarm(for name: ShardAlarm) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.turn([.woken(name)]) }
        return timer
    }
}

extension [ShardEnvironment.Peer] {
    /// Notifies all shards that something else may be stored of these people.
    func invalidateStored(of users: Set<UserName>) {
        for peer in self { peer.shard?.enqueue([.rewritten(users.sorted())]) }
    }

    /// Notifies all shards that these people have blocked others, or do so no more: they may be shown other rooms then.
    func invalidateBlocks(of users: Set<UserName>) {
        let names = users.sorted()
        for peer in self { peer.shard?.enqueue([.rewritten(names), .membershipsChanged(names)]) }
    }

    /// Notifies of read marks that are on disk: each shard of those of its people.
    func notify(_ marks: [ReadMark], of epoch: Epoch, _ map: ShardMap) {
        for (shard, marks) in Dictionary(grouping: marks, by: { map.shard(of: $0.user) }) {
            self[shard].shard?.enqueue([.message(.marked(marks, of: epoch))])
        }
    }
}

extension OtherServers {
    fileprivate func perform(_ note: ShardDecision.PeerNote) {
        switch note {
        case .follow(let room, let withPeople): follow(room, withPeople: withPeople)
        case .leave(let room): leave(room)
        case .announce(let people, let room): announce(people, in: room)
        }
    }
}
