import ChatRoom
import ChatWire
import RoomStore

/// What every room needs of the server.
struct RoomEnvironment: Sendable {
    let store: any RoomStore
    let committers: [Committer]
    let storeReads: StoreReads
    let gateway: ConnectionGateway
    let limits: WireLimits
    let metrics: Metrics
    let quotas: Quotas
    let log: ServerLog
    let topics: Topics
    let members: MembersPolicy
    /// How many rooms with nobody in them a shard remembers.
    let restingRooms: Int
    /// How many bytes of what was encoded a shard keeps.
    let cacheBytes: Int
    let memberEpochs = MemberEpochs()
    private let start = ContinuousClock.now

    /// The time since the server started.
    var now: Duration { start.duration(to: .now) }
}

/// One room at work: does what its ``RoomState`` decides. Confined to its shard's queue.
final class Room {
    let name: RoomName
    unowned let shard: RoomShard
    private let environment: RoomEnvironment
    private var state: RoomState
    private var readers: ListBroadcaster<Message>
    private let members: RoomMembers
    /// Whose connections they are that subscribed to the messages.
    private var names: [Reader: UserName] = [:]
    /// Since when it is known of readers that they fell off the log, until what brings them back is on its way.
    private var behind: [Reader: ContinuousClock.Instant] = [:]
    /// What is being received was made durable with it.
    private var batch: CommittedBatch?

    /// - Parameter memory: who was there when it was last at work, if that is remembered.
    init(_ name: RoomName, remembering memory: MembersMemory?, shard: RoomShard, environment: RoomEnvironment) {
        self.name = name
        self.shard = shard
        self.environment = environment
        state = RoomState(
            room: name, epoch: environment.store.epoch, limits: environment.limits,
            isShared: environment.store.others != nil)
        readers = ListBroadcaster(
            of: state.list, state.epoch, gateway: environment.gateway, topics: environment.topics, caching: shard.caches
        )
        members = RoomMembers(
            of: name, remembering: memory, environment: environment, caching: shard.caches
        ) { [unowned shard] in
            shard.alarm(for: name)
        }
    }

    /// What other servers do to it is told here: somebody here has asked for something of it. To write takes no ear.
    private var isFollowed = false

    /// Whether nobody reads it, waits for it or is owed an answer: all there is to it then is ``memory``.
    var isResting: Bool { readers.isEmpty && state.isIdle && members.isResting }

    /// What is to be remembered of a room at rest; `nil` for nothing.
    var memory: MembersMemory? { members.memory }

    var people: PeopleReading { members.people }

    func receive(_ request: RoomRequest) {
        switch request {
        case .request(let request, let reader, _): receive(request, from: reader)
        case .fellBehind(let reader, let list, let revision, let since):
            fellBehind(reader, of: list, at: revision, since: since)
        }
    }

    private func receive(_ request: SessionRequest, from reader: Reader) {
        // What thousands asked for and did not wait for must not keep the others waiting.
        guard !request.isQuestion || environment.gateway.isThere(reader) else { return }
        if request.reads { follow() }
        switch request {
        case .subscribe(.messages, let visitor, let ref, let limit, let resume):
            names[reader] = visitor.user
            receive(.subscribe(reader, visitor, ref: ref, limit: limit, resume))
        case .subscribe(.members, let visitor, let ref, _, let resume):
            receive(.enter(reader, visitor, .members(ref: ref, resume)))
        case .unsubscribe(.messages): leave(reader, .left(reader))
        case .died(.messages): leave(reader, .died(reader))
        case .unsubscribe(.members), .died(.members):
            members.receive(.unsubscribe(reader))
            receive(.left(reader))
        case .operate(let ref, let operation):
            if let refusal = shard.refusal(of: operation, to: name) {
                return environment.gateway.answer(reader, .error(ref: ref, refusal))
            }
            if case .send = operation.action { members.receive(.said(operation.author)) }
            let isThere = state.revision > 0
            receive(.operate(reader, ref: ref, isThere ? operation : environment.quotas.founding(operation, of: name)))
        case .page(let visitor, let ref, let before, let limit):
            receive(.enter(reader, visitor, .page(ref: ref, before: before, limit: limit)))
        case .audit(let visitor, let ref, let before, let limit):
            receive(.enter(reader, visitor, .audit(ref: ref, before: before, limit: limit)))
        case .typing(let ref, let direction, let time):
            if direction == .on, let refusal = state.silence(of: reader, at: time) {
                return environment.gateway.answer(reader, .error(ref: ref, refusal))
            }
            members.receive(.typing(reader, ref: ref, direction))
        case .read(let ref, let revision):
            members.receive(.read(reader, ref: ref, revision, of: state.revision))
        case .regrant(let list, let role, let ref):
            receive(.regranted(reader, list, role))
            // What this turn does to connections is handed over when it ends: only then is it known to come first.
            let gateway = environment.gateway
            shard.async { gateway.regranted(reader, ref: ref) }
        }
    }

    private func leave(_ reader: Reader, _ departure: MembersState.Input) {
        names[reader] = nil
        behind[reader] = nil
        members.receive(departure)
        readers.detach(reader)
        receive(.unsubscribe(reader))
    }

    func receive(_ input: RoomState.Input) {
        for effect in state.receive(input) { perform(effect) }
    }

    /// Revisions of another history mean nothing here.
    func receive(_ outcomes: RoomShard.Outcomes, of batch: CommittedBatch) {
        guard batch.epoch == state.epoch else {
            return receive(.commitFailed(outcomes.map(\.ticket), .otherHistory))
        }
        self.batch = batch
        receive(.committed(outcomes))
        self.batch = nil
    }

    private func fellBehind(
        _ reader: Reader, of list: ListName, at revision: Revision, since: ContinuousClock.Instant
    ) {
        switch list {
        case .messages:
            behind[reader] = since
            receive(.behind(reader, revision))
        case .members: members.receive(.behind(reader, revision))
        }
    }

    /// Something that other servers have to do with.
    func hear(_ input: MembersState.Input) {
        members.receive(input)
    }

    /// What can be made again is let go of.
    func forgetDeliveries() {
        readers.forgetDeliveries()
        members.forgetDeliveries()
    }

    func wake() {
        members.receive(.woken)
    }

    /// How often a page is read, while more happens meanwhile than the room remembers, or another history begins.
    private static let pageTries = 3

    private func page(
        for reader: Reader, _ visitor: Visitor, ref: UInt64, before: UInt64, limit: Int, tries: Int = pageTries
    ) {
        let (name, epoch) = (name, state.epoch)
        environment.storeReads.ask(self, onBehalfOf: reader) { (store) throws(RoomStoreError) in
            let page = try store.soundPage(of: name, before: before, limit: limit)
            return (page, isOfEpoch: store.epoch == epoch)
        } then: { room, answer in
            if let refusal = room.refusal(of: visitor, reader, .read) {
                return room.environment.gateway.answer(reader, .error(ref: ref, refusal))
            }
            switch answer {
            case .success(let (page, isOfEpoch)):
                if isOfEpoch, room.state.epoch == epoch, let page = room.state.bring(page) {
                    room.environment.gateway.answer(reader, .page(ref: ref, room.state.list, room.state.epoch, page))
                } else if tries > 1 {
                    room.page(for: reader, visitor, ref: ref, before: before, limit: limit, tries: tries - 1)
                } else {
                    room.environment.gateway.answer(reader, .error(ref: ref, .overtaken(room.state.list)))
                }
            case .failure(let error):
                room.environment.gateway.answer(reader, .error(ref: ref, error))
            }
        }
    }

    private func audit(for reader: Reader, _ visitor: Visitor, ref: UInt64, before: Revision, limit: Int) {
        let name = name
        environment.storeReads.ask(self, onBehalfOf: reader) { (store) throws(RoomStoreError) in
            try store.audit(name, before: before, limit: limit)
        } then: { room, answer in
            if let refusal = room.refusal(of: visitor, reader, .moderate) {
                return room.environment.gateway.answer(reader, .error(ref: ref, refusal))
            }
            switch answer {
            case .success(let page):
                room.environment.gateway.answer(reader, .audit(ref: ref, name, page))
            case .failure(let error):
                room.environment.gateway.answer(reader, .error(ref: ref, error))
            }
        }
    }

    /// Why whoever asked a store that takes its time may not have the answer, if so: meanwhile the room may have been
    /// closed to them, or a fresh token may grant less.
    private func refusal(of visitor: Visitor, _ reader: Reader, _ least: Role) -> WireError? {
        state.refusal(of: visitor.granted(environment.gateway.grant(of: reader, in: name)), least)
    }

    private func perform(_ effect: RoomState.Effect) {
        switch effect {
        case .commit(let operation, let ticket):
            shard.submit(.init(shard: shard, room: name, ticket: ticket, operation: operation))
        case .read(let query):
            read(query)
        case .answer(let reader, let frame):
            environment.gateway.answer(reader, frame)
        case .deliver(let reader, let ref, let delivery):
            environment.metrics.delivered(delivery, resumed: ref != nil)
            if let since = behind.removeValue(forKey: reader) {
                environment.metrics.catchUpDuration.observe(ContinuousClock.now - since)
            }
            readers.deliver(delivery, to: reader, ref: ref)
            if let name = names[reader] { members.receive(.came(reader, name)) }
        case .publish(let diff):
            environment.metrics.published(diff)
            readers.publish(diff, of: batch)
        case .cutLog:
            readers.cut()
        case .admit(let reader, let visitor, let request):
            run(request, for: reader, visitor)
        case .turnAway(let reader, let list, let visit, let ref, let error):
            putOut(reader, of: list, visit: visit)
            environment.gateway.answer(reader, .error(ref: ref, error))
        case .end(let reader, let list, let visit, let ending):
            putOut(reader, of: list, visit: visit)
            environment.gateway.tell(reader, .ended(list, ending))
        case .tell(let reader, let frame):
            environment.gateway.tell(reader, frame)
        case .compare(let revision, let fingerprint):
            compare(fingerprint, at: revision)
        case .close(let reader, let error):
            environment.gateway.dismiss(reader, code: CloseCode.overload, error)
        }
    }

    private func run(_ request: RoomState.ReadRequest, for reader: Reader, _ visitor: Visitor) {
        switch request {
        case .members(let ref, let resume):
            members.receive(.subscribe(reader, ref: ref, resume))
        case .page(let ref, let before, let limit):
            page(for: reader, visitor, ref: ref, before: before, limit: limit)
        case .audit(let ref, let before, let limit):
            audit(for: reader, visitor, ref: ref, before: before, limit: limit)
        }
    }

    /// Without grace: whoever is put out is gone for the others too.
    private func putOut(_ reader: Reader, of list: ListName, visit: UInt64) {
        environment.gateway.ended(reader, list, visit: visit)
        switch list {
        case .messages:
            names[reader] = nil
            behind[reader] = nil
            members.receive(.died(reader))
            readers.detach(reader)
        case .members:
            members.receive(.unsubscribe(reader))
        }
    }

    private func read(_ query: RoomState.Query) {
        let (name, epoch) = (name, state.epoch)
        environment.storeReads.ask(for: self) { (store) throws(RoomStoreError) in
            let reading = try store.soundReading(
                of: name, tail: query.tail, since: query.since, atMost: query.atMost)
            return (reading, isOfEpoch: store.epoch == epoch)
        } then: { room, answer in
            // What was read of another history is nothing to the room, which has asked again, or will with that history.
            guard room.state.epoch == epoch else { return }
            switch answer {
            case .success((let reading, isOfEpoch: true)):
                room.receive(.read(reading))
            case .success:
                break
            case .failure(let error):
                room.receive(.readFailed(error))
                // Or nothing would be read before the room reaches yet another revision.
                if room.isFollowed { room.environment.store.others?.follow(name) }
            }
        }
    }
}

// MARK: - Other servers

extension Room {
    /// Before what is there is looked at: nothing that happens after that is missed.
    private func follow() {
        guard !isFollowed, let others = environment.store.others else { return }
        isFollowed = true
        others.follow(name)
    }

    /// The store has another epoch: everybody gets a snapshot, over an outgoing log that has nothing of before.
    func renew() {
        let epoch = environment.store.epoch
        guard epoch != state.epoch else { return }
        readers.detachAll()
        readers = ListBroadcaster(
            of: state.list, epoch, gateway: environment.gateway, topics: environment.topics, caching: shard.caches)
        receive(.renewed(epoch))
    }

    private func compare(_ fingerprint: UInt64, at revision: Revision) {
        let name = name
        environment.storeReads.ask(for: self) { (store) throws(RoomStoreError) in
            try store.others?.agree(on: fingerprint, at: revision, of: name) ?? true
        } then: { room, answer in
            // One that could not be asked will be, some revisions on.
            guard case .success(false) = answer else { return }
            room.environment.metrics.divergences.add(1)
            room.environment.log(
                .error, "a room differs from another server's: it is read anew",
                ["room": "\(name)", "revision": "\(revision)"])
            room.receive(.diverged)
        }
    }

    func stopFollowing() {
        guard isFollowed else { return }
        isFollowed = false
        environment.store.others?.leave(name)
    }
}

extension SessionRequest {
    /// Whether nothing is left of it but its answer once its connection has gone.
    fileprivate var isQuestion: Bool {
        switch self {
        case .subscribe, .page, .audit: true
        case .unsubscribe, .died, .operate, .regrant, .typing, .read: false
        }
    }

    /// Whether it asks for what is in the room, or who.
    fileprivate var reads: Bool {
        switch self {
        case .subscribe, .page, .audit, .typing, .read: true
        case .unsubscribe, .died, .operate, .regrant: false
        }
    }
}

extension WireError {
    fileprivate static func overtaken(_ list: ListName) -> WireError {
        WireError(.unavailable, "\(list) changes faster than its past can be read: ask again", retryAfter: 1_000)
    }
}
