import ChatRoom
package import ChatWire
import WebSocketTransport

/// All rooms of one shard, with their readers, their people and the rates of their authors. One turn's inputs go in as
/// one array, and one decision comes out. It has no queue, clock, socket or store.
///
/// - Shape: commands for one connection stand in the order in which they must happen. The same inputs always give the
///   same decision: its order does not depend on a hash table.
package struct ShardState: ~Copyable {
    private struct Sender: Hashable, Sendable {
        let user: UserName
        let room: RoomName
    }

    private let settings: ShardSettings
    private let topics: Topics
    private let caches: CacheSpace
    private var rooms: [RoomName: Room] = [:]
    /// The memories of empty rooms, numbered in the order in which the rooms became empty.
    private var resting: [RoomName: (number: UInt64, memory: MembersMemory)] = [:]
    private var lastRest: UInt64 = 0
    private var watchers = Watchers()
    /// The private and direct rooms with requests that may have to be refused, and whether the next tick is awaited.
    private var refusing: Set<RoomName> = []
    private var awaitsTick = false
    /// The rooms whose readers get on the next growth tick what texts have grown by.
    private var growing = RoomTick()
    /// The rooms with messages that grow.
    private var open = RoomTick()
    /// The threads whose summaries may be outdated.
    private var outdated = RoomTick()
    /// The threads that are at work, by their rooms, whose rules they have.
    private var threads: [RoomName: OpenThreads] = [:]
    /// The rooms with readers who wait for an allowance, and whether the alarm for that is set.
    private var serving = RoomLine()
    private var hasServing = false
    /// The bytes of lists of one's own that count against the budget.
    private var listBytes = 0
    /// The lists of this shard's people; `nil` before the first request for one.
    private var personal: PersonalListsState?
    private var stored: StoredLists
    /// The rates outlast the rooms, which close when they are empty.
    private var sends = RateBook<Sender>()
    private var reactions = RateBook<Sender>()
    private var moderations = RateBook<Sender>()

    package init(_ settings: ShardSettings) {
        self.settings = settings
        topics = Topics(ofShard: settings.index, run: settings.run)
        caches = CacheSpace(limit: settings.cacheBytes)
        stored = StoredLists(settings, topics: topics, caching: caches)
    }

    /// The size of all cached frames, in bytes.
    package var cachedBytes: Int { caches.used }

    package func isAtWork(_ room: RoomName) -> Bool { rooms[room] != nil }

    /// The people in a room, as far as this server knows.
    func people(of room: RoomName) -> PeopleReading {
        rooms[room]?.people ?? resting[room]?.memory.reading ?? .nobody
    }

    /// Handles inputs from the front of the array. It takes all inputs, unless the frames
    /// for one loop reach a megabyte.
    package mutating func handle(
        _ inputs: inout ArraySlice<ShardInput>, _ conditions: ShardConditions
    ) -> ShardDecision {
        var turn = ShardTurn(
            conditions: conditions, decision: ShardDecision(loops: settings.loops, most: settings.decisionBytes))
        let before = caches.used
        while !turn.decision.isFull, let input = inputs.popFirst() { handle(input, &turn) }
        personal?.flush(&turn)
        stored.flush(&turn)
        awaitRefusalTick(&turn)
        awaitServing(&turn)
        awaitTicks(&turn)
        if caches.isOver { forgetDeliveries() }
        turn.decision.growth.cachedBytes = caches.used - before
        countLists(&turn)
        return turn.decision
    }

    private mutating func handle(_ input: ShardInput, _ turn: inout ShardTurn) {
        switch input {
        case .request(.operate(let ref, let operation), let reader, let room):
            operate(operation, reader, ref: ref, in: room, &turn)
        case .request(let request, let reader, let room):
            visit(room, &turn) { $0.handle(request, from: reader, &$1) }
        case .fellBehind(let reader, let topic, let revision, let since):
            fellBehind(reader, topic, at: revision, since: since, &turn)
        case .inbox(let request, let reader, let user):
            visitPersonal(&turn) { $0.handle(request, from: reader, of: user, &$1) }
        case .stored(let list, let request, let reader, let user):
            stored.handle(request, from: reader, of: user, to: list, &turn)
        case .rewritten(let names): stored.invalidate(names)
        case .membershipsChanged(let names): visitPersonalIfAtWork(&turn) { lists, _ in lists.move(names) }
        case .serve(let operation, let reader, let room):
            visit(room, &turn) { $0.handle(.operate(reader, ref: 0, operation), &$1) }
        case .committed(let transaction): apply(transaction, &turn)
        case .commitFailed(let tickets, let room, let error):
            visit(room, &turn) { $0.handle(.commitFailed(tickets, error), &$1) }
        case .found(let answer):
            visit(answer.room, &turn) { $0.handle(answer, &$1) }
            shareRules(of: answer, &turn)
        case .foundMemberships(let answer):
            if !stored.handle(answer, &turn) { visitPersonalIfAtWork(&turn) { $0.handle(answer, &$1) } }
        case .message(let message): handle(message, &turn)
        case .announced(let revision, let room): announce(revision, of: room, &turn)
        case .sent(let messages, let room, let epoch): handle(messages, in: room, of: epoch, &turn)
        case .people(.elsewhere(let server, let people), let room?) where watchers.has(room):
            visit(room, &turn) { $0.handleMembers(.elsewhere(server, people), &$1) }
        case .people(let input, let room?):
            visitIfAtWork(room, &turn) { $0.handleMembers(input, &$1) }
        case .people(let input, nil):
            for room in namesAtWork { visitIfAtWork(room, &turn) { $0.handleMembers(input, &$1) } }
        case .renewed: renew(&turn)
        case .invalidated: refresh(&turn)
        case .woken(let alarm): wake(alarm, &turn)
        case .pressed: releaseMemory(&turn)
        }
    }

    private mutating func wake(_ alarm: ShardAlarm, _ turn: inout ShardTurn) {
        switch alarm {
        case .room(let room): visitIfAtWork(room, &turn) { $0.handleMembers(.woken, &$1) }
        case .inboxes: visitPersonalIfAtWork(&turn) { lists, _ in lists.wake() }
        case .stored(let list): stored.wake(list)
        case .refusals: tickRefusals(&turn)
        case .deliveries: serve(&turn)
        case .growth:
            for room in growing.due() { visitIfAtWork(room, &turn) { $0.handle(.growthTick, &$1) } }
        case .silence:
            for room in open.due() {
                visitIfAtWork(room, &turn) { $0.handle(.silenceTick(at: $1.conditions.time), &$1) }
            }
        case .threads:
            for thread in outdated.due() {
                guard let root = thread.root else { continue }
                visit(thread.ruling, &turn) { $0.handle(.summarize(root, at: $1.conditions.time), &$1) }
            }
        }
    }

    /// Serves readers who wait for an allowance, the rooms in turn. Other inputs come in between.
    private mutating func serve(_ turn: inout ShardTurn) {
        hasServing = false
        for _ in 0..<serving.count {
            guard turn.allowance > 0, let room = serving.popFirst() else { return }
            visitIfAtWork(room, &turn) { $0.handle(.proceed, &$1) }
        }
    }

    private mutating func countLists(_ turn: inout ShardTurn) {
        let bytes = (personal?.bytes ?? 0) + stored.bytes
        turn.decision.growth.listBytes = bytes - listBytes
        listBytes = bytes
    }

    private mutating func awaitServing(_ turn: inout ShardTurn) {
        let isServing = !serving.isEmpty || personal?.isServing == true || stored.isServing
        guard !hasServing, isServing else { return }
        hasServing = true
        let pause = turn.conditions.isShort ? settings.shortagePause : .zero
        turn.decision.alarms.append((.deliveries, turn.conditions.now + pause))
    }

    private mutating func awaitTicks(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        if growing.needsAlarm() { turn.decision.alarms.append((.growth, now + settings.growthTick)) }
        if open.needsAlarm() { turn.decision.alarms.append((.silence, now + settings.silenceTick)) }
        if outdated.needsAlarm() { turn.decision.alarms.append((.threads, now + settings.threadTick)) }
    }

    private mutating func awaitRefusalTick(_ turn: inout ShardTurn) {
        guard !awaitsTick, !refusing.isEmpty else { return }
        awaitsTick = true
        turn.decision.alarms.append((.refusals, settings.refusalTimer.next(after: turn.conditions.now)))
    }

    /// Lets rooms refuse what waits, in the order of their names, whatever happened there.
    private mutating func tickRefusals(_ turn: inout ShardTurn) {
        awaitsTick = false
        for room in refusing.sorted() { visit(room, &turn) { $0.handle(.refusalTick, &$1) } }
    }

    /// The store has a new epoch.
    private mutating func renew(_ turn: inout ShardTurn) {
        resting = [:]  // what people had read was of the history before
        for room in namesAtWork { visitIfAtWork(room, &turn) { $0.renew(&$1) } }
        visitPersonalIfAtWork(&turn) { $0.renew(&$1) }
        stored.invalidateAll()
    }

    /// Reads all lists of people here again, because news of them may be lost.
    private mutating func refresh(_ turn: inout ShardTurn) {
        visitPersonalIfAtWork(&turn) { lists, _ in lists.refreshAll() }
        stored.refreshAll()
        for room in namesAtWork { visitIfAtWork(room, &turn) { $0.handleMembers(.membershipsInvalidated, &$1) } }
    }

    /// Memory is short.
    private mutating func releaseMemory(_ turn: inout ShardTurn) {
        forgetDeliveries()
        for room in rooms.values { room.releaseMemory(&turn.decision) }
        visitPersonalIfAtWork(&turn) { $0.releaseMemory(&$1) }
        stored.releaseMemory(&turn)
    }

    private mutating func apply(_ transaction: CommittedRooms, _ turn: inout ShardTurn) {
        for (room, outcomes) in transaction.rooms {
            // Readers of threads are put out before the moderator's answer.
            changeRules(by: outcomes, in: room, of: transaction, &turn)
            visit(room, &turn) { $0.handle(outcomes, of: transaction, &$1) }
            if room.isThread, outcomes.contains(where: \.outcome.changesSummary) { outdated.rooms.insert(room) }
            watchers.notify(outcomes, in: room, of: transaction.epoch, settings, &turn.decision)
        }
    }

    /// Handles a revision that another server has committed.
    private mutating func announce(_ revision: Revision, of room: RoomName, _ turn: inout ShardTurn) {
        visitIfAtWork(room, &turn) { $0.handle(.announced(revision), &$1) }
        announceRules(of: revision, in: room, &turn)
        watchers.announce(revision, of: room, &turn.decision)
    }

    /// Handles messages that another server has committed, like this server's own.
    private mutating func handle(
        _ messages: [InsertedMessage], in room: RoomName, of epoch: Epoch, _ turn: inout ShardTurn
    ) {
        visitIfAtWork(room, &turn) { $0.handle(messages, of: epoch, &$1) }
        let news = messages.map { RoomNews(revision: $0.row.rev, change: $0.change) }
        watchers.notify(news, in: room, of: epoch, &turn.decision)
    }

    private mutating func fellBehind(
        _ reader: Reader, _ topic: TopicID, at revision: Revision, since: ContinuousClock.Instant,
        _ turn: inout ShardTurn
    ) {
        switch topics.owner(of: topic) {
        case .room(let room, let list)?:
            visit(room, &turn) { $0.fellBehind(reader, of: list, at: revision, since: since, &$1) }
        case .person(let key, let list)?:
            visitPersonal(&turn) { $0.fellBehind(reader, of: key, list, at: revision, &$1) }
        case .stored(let list, let user)?: stored.fellBehind(reader, of: user, list, at: revision, &turn)
        case nil: break
        }
    }

    private var namesAtWork: [RoomName] { rooms.keys.sorted() }

    private mutating func forgetDeliveries() {
        for room in rooms.values { room.forgetDeliveries() }
        personal?.forgetDeliveries()
        stored.forgetDeliveries()
    }
}

// MARK: - Lists of rooms

extension ShardState {
    private mutating func visitPersonal(
        _ turn: inout ShardTurn, _ body: (inout PersonalListsState, inout ShardTurn) -> Void
    ) {
        if personal == nil {
            personal = PersonalListsState(settings, of: turn.conditions.epoch, topics: topics, caching: caches)
        }
        visitPersonalIfAtWork(&turn, body)
    }

    private mutating func visitPersonalIfAtWork(
        _ turn: inout ShardTurn, _ body: (inout PersonalListsState, inout ShardTurn) -> Void
    ) {
        personal?.tickClock()
        if personal != nil { body(&personal!, &turn) }
    }

    /// Handles another shard's message. Shards that watch a room are told of each of its changes, also of those on other
    /// servers.
    private mutating func handle(_ message: ShardMessage, _ turn: inout ShardTurn) {
        switch message {
        case .watch(let names, let shard, let number):
            for room in names {
                if settings.isShared, !watchers.has(room) {
                    turn.decision.peers.append(.follow(room, withPeople: true))
                }
                watchers.add(shard, to: room)
            }
            turn.decision.messages.append((shard, .watched(names, number: number)))
            for room in names {
                guard let occupancy = rooms[room]?.occupancy, occupancy != .empty else { continue }
                turn.decision.messages.append((shard, .occupied(room, occupancy)))
            }
        case .unwatch(let names, let shard):
            for room in names where watchers.remove(shard, from: room) && settings.isShared {
                if rooms[room]?.isFollowed != true { turn.decision.peers.append(.leave(room)) }
                visitIfAtWork(room, &turn) { _, _ in }  // it may have been open for its watchers only
            }
        case .watched, .changed, .announced, .occupied, .marked:
            visitPersonalIfAtWork(&turn) { $0.handle(message, &$1) }
        }
    }
}

/// Rooms in a line, each once.
private struct RoomLine {
    private var rooms: ArraySlice<RoomName> = []
    private var names: Set<RoomName> = []

    var count: Int { rooms.count }
    var isEmpty: Bool { rooms.isEmpty }

    mutating func append(_ room: RoomName) {
        if names.insert(room).inserted { rooms.append(room) }
    }

    mutating func popFirst() -> RoomName? {
        guard let room = rooms.popFirst() else { return nil }
        if rooms.isEmpty { rooms = [] }  // a slice keeps the elements before it
        names.remove(room)
        return room
    }
}

extension CommitOutcome {
    /// The change of the room's rules; `nil` for none.
    fileprivate var ruleChange: (revision: Revision, change: RowChange)? {
        guard case .committed(let revision, let change) = self else { return nil }
        switch change {
        case .ruled, .affiliated, .created: return (revision, change)
        case .inserted, .reloaded, .reconfigured, .deleted, .joined, .left, .settings, .nothing: return nil
        }
    }

    /// True when the room has one message more or less.
    fileprivate var changesSummary: Bool {
        switch self {
        case .committed(_, .inserted), .committed(_, .deleted): true
        case .committed, .repeated, .conflict, .refused: false
        }
    }
}

/// The state of one call of ``ShardState/handle(_:_:)``.
struct ShardTurn {
    let conditions: ShardConditions
    var decision: ShardDecision
    /// True when the current input may create its room.
    var mayFound = false

    /// The bytes of deliveries to readers that may still be made in this turn.
    var allowance: Int { conditions.isShort ? 0 : decision.space }
}

// MARK: - Rules of threads

/// The threads of one room that are at work.
private struct OpenThreads {
    var names: Set<RoomName> = []
    /// The rules of the room, as one of the threads has last read them.
    var rules: RoomRules?
}

extension ShardState {
    /// Sends changes of a room's rules to its threads. If other servers change the rules, too, a change may be missing, and
    /// the rules are read.
    private mutating func changeRules(
        by outcomes: CommittedRooms.Outcomes, in room: RoomName, of transaction: CommittedRooms,
        _ turn: inout ShardTurn
    ) {
        guard let names = threads[room]?.names else { return }
        let changes = outcomes.compactMap { $0.outcome.ruleChange }
        guard let last = changes.last else { return }
        guard !settings.isShared else { return announceRules(of: last.revision, in: room, &turn) }
        for thread in names.sorted() {
            visitIfAtWork(thread, &turn) { $0.handleRules(changes, of: transaction, &$1) }
        }
    }

    /// Lets one thread of a room read the rules, as of a revision at least. The others get them from it.
    private mutating func announceRules(of revision: Revision, in room: RoomName, _ turn: inout ShardTurn) {
        guard let open = threads[room] else { return }
        let reading = open.names.filter { rooms[$0]?.isFrequented == true }.sorted()
        // Of many standings, each thread reads those of its readers.
        let readers = open.rules?.scope == nil ? reading.prefix(1) : reading[...]
        for thread in readers { visitIfAtWork(thread, &turn) { $0.handle(.ruleAnnounced(revision), &$1) } }
    }

    /// Sends the rules that a thread has read to the others, if they are new.
    private mutating func shareRules(of answer: StoreAnswer, _ turn: inout ShardTurn) {
        guard settings.isShared, case .reading(let thread, let epoch, .success(let reading?)) = answer,
            let room = thread.parent, let open = threads[room], epoch == turn.conditions.epoch,
            open.rules != reading.rules
        else { return }
        threads[room]?.rules = reading.rules
        guard reading.rules.scope == nil else { return }
        for other in open.names.sorted() where other != thread {
            visitIfAtWork(other, &turn) { $0.handle(.rulesRead(reading.rules, reading.ruled), &$1) }
        }
    }
}

// MARK: - Rates

extension ShardState {
    private mutating func operate(
        _ operation: Operation, _ reader: Reader, ref: UInt64, in room: RoomName, _ turn: inout ShardTurn
    ) {
        let refusal = refusal(of: operation, to: room, &turn)
        visit(room, &turn) { room, turn in
            if let refusal { return turn.decision.answer(reader, .error(ref: ref, refusal)) }
            turn.mayFound = room.isNew && operation.mayFound(room.name)
            room.handle(.operate(ref: ref, operation), from: reader, &turn)
            turn.mayFound = false
        }
    }

    /// The reason why an operation must wait, if its author has exceeded a rate in the room.
    private mutating func refusal(
        of operation: Operation, to room: RoomName, _ turn: inout ShardTurn
    ) -> WireError? {
        guard let rate = turn.conditions.allowances.sends else { return nil }
        let sender = Sender(user: operation.author, room: room.ruling)
        switch operation.action {
        case .react:
            guard let wait = reactions.consume(sender, at: operation.time, rate.share(Allowances.reactionShare)) else {
                break
            }
            turn.decision.events.append(.held(to: .reactionRate))
            return .tooManyReactions(in: room, wait)
        case .moderate:
            let share = rate.share(Allowances.moderationShare)
            guard let wait = moderations.consume(sender, at: operation.time, share) else { break }
            turn.decision.events.append(.held(to: .moderationRate))
            return .tooManyModerations(in: room, wait)
        case .send, .edit, .grow, .delete, .summarize, .join, .leave, .settings, .create: break
        }
        guard let wait = sends.consume(sender, at: operation.time, rate) else { return nil }
        turn.decision.events.append(.held(to: .sendRate))
        return .tooManySends(in: room, wait)
    }
}

extension Operation {
    /// Returns whether the operation may create the room, and so counts against its author's rate of new rooms.
    fileprivate func mayFound(_ room: RoomName) -> Bool {
        switch action {
        case .create: true
        case .settings, .summarize: false
        case .send, .edit, .grow, .delete, .react, .moderate, .join, .leave: room.kind == .open && !room.isThread
        }
    }
}

// MARK: - Rooms come and go

extension ShardState {
    private mutating func visitIfAtWork(
        _ name: RoomName, _ turn: inout ShardTurn, _ body: (Room, inout ShardTurn) -> Void
    ) {
        if rooms[name] != nil { visit(name, &turn, body) }
    }

    private mutating func visit(
        _ name: RoomName, _ turn: inout ShardTurn, _ body: (Room, inout ShardTurn) -> Void
    ) {
        let room = rooms[name] ?? open(name, &turn)
        let before = room.occupancy
        body(room, &turn)
        if room.occupancy != before { watchers.notify(room.occupancy, of: name, &turn.decision) }
        if room.isServing { serving.append(name) }
        if room.holdsGrowth { growing.rooms.insert(name) }
        if room.hasOpenMessages { open.rooms.insert(name) }
        if let parent = name.parent, room.isFollowed, rooms[parent]?.isFollowed != true {
            visit(parent, &turn) { $0.follow(withPeople: false, &$1) }
        }
        if room.awaitsRefusalTick { refusing.insert(name) } else if !refusing.isEmpty { refusing.remove(name) }
        guard room.isResting, room.people.online == 0 || !watchers.has(name), threads[name] == nil else { return }
        if room.isFollowed, !watchers.has(name) { turn.decision.peers.append(.leave(name)) }
        room.close(&turn.decision)
        rooms[name] = nil
        if let parent = name.parent { remove(name, from: parent, &turn) }
        turn.decision.growth.rooms -= 1
        if let memory = room.memory { remember(name, memory) }
    }

    private mutating func open(_ name: RoomName, _ turn: inout ShardTurn) -> Room {
        let members =
            if let memory = resting.removeValue(forKey: name)?.memory {
                MembersState(
                    room: name, epoch: topics.nextEpoch(), remembering: memory, policy: settings.members)
            } else {
                MembersState(room: name, epoch: topics.nextEpoch(), policy: settings.members)
            }
        let room = Room(
            name, of: turn.conditions.epoch, members, settings: settings, topics: topics, caching: caches)
        rooms[name] = room
        turn.decision.growth.rooms += 1
        if let parent = name.parent { add(name, to: parent) }
        return room
    }

    /// Notes a thread that is at work. Its summary may have been left undone when a server stopped.
    private mutating func add(_ thread: RoomName, to room: RoomName) {
        threads[room, default: OpenThreads()].names.insert(thread)
        outdated.rooms.insert(thread)
    }

    private mutating func remove(_ thread: RoomName, from room: RoomName, _ turn: inout ShardTurn) {
        threads[room]?.names.remove(thread)
        guard threads[room]?.names.isEmpty == true else { return }
        threads[room] = nil
        visitIfAtWork(room, &turn) { _, _ in }  // it may have been open for its threads only
    }

    /// Remembers the room. When there are too many memories, the older half goes.
    private mutating func remember(_ name: RoomName, _ memory: MembersMemory) {
        lastRest += 1
        resting[name] = (lastRest, memory)
        guard resting.count > settings.restingRooms else { return }
        let oldest = resting.sorted { $0.value.number < $1.value.number }.prefix((resting.count + 1) / 2)
        for (name, _) in oldest { resting[name] = nil }
    }
}

/// The rooms that wait for a tick, and whether its alarm is set.
private struct RoomTick {
    var rooms: Set<RoomName> = []
    private var isSet = false

    /// Returns whether the alarm must be set now. It counts as set from then on.
    mutating func needsAlarm() -> Bool {
        guard !isSet, !rooms.isEmpty else { return false }
        isSet = true
        return true
    }

    /// Returns the rooms that have waited, in the order of their names. The alarm has gone off.
    mutating func due() -> [RoomName] {
        defer { (rooms, isSet) = ([], false) }
        return rooms.sorted()
    }
}
