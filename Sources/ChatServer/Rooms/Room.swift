import ChatRoom
import ChatWire
import WebSocketTransport

/// One open room. Translates the effects of ``RoomState`` and ``RoomMembers`` into the shard's decision.
final class Room {
    let name: RoomName
    private let settings: ShardSettings
    private let topics: Topics
    private let space: CacheSpace
    private var state: RoomState
    private var readers: ListBroadcaster<Message>
    private var members: RoomMembers
    /// The lists that follow from the messages and rules, as long as they have readers.
    private var derived: [(list: RoomList, host: any RoomListHost)] = []
    /// The users of the connections that subscribed to the messages.
    private var names: [Reader: UserName] = [:]
    /// The readers that fell off the log, each with the time at which that was found, until their diff is on its way.
    private var behind: [Reader: ContinuousClock.Instant] = [:]
    /// The end of the transaction whose outcomes are being received.
    private var time: Moment?
    /// The bytes that count against the budget.
    private var heldBytes = 0
    /// True when other servers send this one their changes of the room, because a client here has requested it.
    /// A user who only writes need not be told.
    private(set) var isFollowed = false
    /// True when they were asked who is there, because a client here has subscribed.
    private var isFollowedWithPeople = false

    /// - Parameters:
    ///   - epoch: the store's.
    ///   - members: who was there when it was last at work, as far as that is remembered.
    init(
        _ name: RoomName, of epoch: Epoch, _ members: MembersState, settings: ShardSettings, topics: Topics,
        caching space: CacheSpace
    ) {
        self.name = name
        self.settings = settings
        self.topics = topics
        self.space = space
        state = RoomState(
            room: name, epoch: epoch, limits: settings.limits, isShared: settings.isShared,
            fewStandings: settings.fewStandings)
        readers = ListBroadcaster(
            of: .room(name, .messages), epoch, loops: settings.loops, topics: topics, caching: space)
        self.members = RoomMembers(members, of: name, loops: settings.loops, topics: topics, caching: space)
    }

    /// True when no client reads it, waits for it or is owed an answer: only its ``memory`` is needed then.
    var isResting: Bool { readers.isEmpty && state.isIdle && members.isResting && derived.isEmpty }

    /// The people to remember of a room at rest; `nil` when there are none.
    var memory: MembersMemory? { members.memory }

    var people: PeopleReading { members.people }

    var occupancy: Occupancy { members.occupancy }

    /// True when no operation is known to be committed in the room.
    var isNew: Bool { state.revision == 0 }

    /// Closes the room. It must be the last call.
    func close(_ decision: inout ShardDecision) {
        readers.close(&decision)
        members.close(&decision)
        for list in derived { list.host.close(&decision) }
        decision.growth.rowBytes -= heldBytes
    }

    /// Memory is short: drops rows that can be read again.
    func releaseMemory(_ decision: inout ShardDecision) {
        state.releaseMemory()
        countRows(&decision)
    }

    /// Forgets encoded frames, which can be made again.
    func forgetDeliveries() {
        readers.forgetDeliveries()
        members.forgetDeliveries()
        for list in derived { list.host.forgetDeliveries() }
    }

    func handle(_ input: RoomState.Input, _ turn: inout ShardTurn) {
        state.advance(to: turn.conditions.instant(name))
        for effect in state.handle(input, delivering: turn.allowance) { perform(effect, &turn) }
        for list in derived { list.host.update(from: state, &turn) }
        countRows(&turn.decision)
    }

    private func countRows(_ decision: inout ShardDecision) {
        let bytes = derived.reduce(state.bytes + members.bytes) { $0 + $1.host.bytes }
        decision.growth.rowBytes += bytes - heldBytes
        heldBytes = bytes
    }

    /// Handles an input about the people in the room.
    func handleMembers(_ input: MembersState.Input, _ turn: inout ShardTurn) {
        for refusal in members.handle(input, at: turn.conditions.now, of: state.epoch, &turn.decision) {
            handle(.refused(refusal.reader, ref: refusal.ref, refusal.error), &turn)
        }
    }

    /// True when readers wait for an allowance: `proceed` serves them.
    var isServing: Bool { state.isServing || derived.contains(where: \.host.isServing) }

    var hasOpenMessages: Bool { state.hasOpenMessages }

    /// True when texts have grown and readers get that on the next growth tick.
    var holdsGrowth: Bool { state.holdsGrowth }

    /// True when a request waits that may have to be refused on a refusal tick.
    var awaitsRefusalTick: Bool { state.awaitsRefusalTick }

    /// Handles a transaction's outcomes in the room. Those of another history mean nothing here.
    func handle(_ outcomes: CommittedRooms.Outcomes, of transaction: CommittedRooms, _ turn: inout ShardTurn) {
        guard transaction.epoch == state.epoch else {
            return handle(.commitFailed(outcomes.map(\.ticket), .otherHistory), &turn)
        }
        time = transaction.time
        handle(.committed(outcomes), &turn)
        time = nil
        if members.followsMemberships { noteMembers(outcomes, &turn) }
    }

    /// Handles a transaction's changes of the rules of this thread's room.
    func handleRules(
        _ changes: [(revision: Revision, change: RowChange)], of transaction: CommittedRooms, _ turn: inout ShardTurn
    ) {
        guard transaction.epoch == state.epoch else { return }
        handle(.ruled(changes), &turn)
    }

    /// True when a reader follows it or waits for something, so that it reads what it lacks.
    var isFrequented: Bool { state.isFrequented }

    /// Notifies the list of members of the people whose memberships may have changed, and of the read marks of those who
    /// write without being there.
    private func noteMembers(_ outcomes: CommittedRooms.Outcomes, _ turn: inout ShardTurn) {
        var changed: [UserName] = []
        for case .committed(_, let change) in outcomes.lazy.map(\.outcome) {
            changed += change.affiliates
            if let mark = change.mark, !members.isHere(mark.user) {
                handleMembers(.readAll(mark.user, mark.revision), &turn)
            }
        }
        if !changed.isEmpty { handleMembers(.membershipsChanged(changed), &turn) }
    }

    /// Handles messages that another server has committed. Those of another history are only a hint.
    func handle(_ messages: [InsertedMessage], of epoch: Epoch, _ turn: inout ShardTurn) {
        guard epoch == state.epoch else { return handle(.announced(messages.last?.row.rev ?? 0), &turn) }
        handle(.sent(messages), &turn)
    }

    func fellBehind(
        _ reader: Reader, of list: RoomList, at revision: Revision, since: ContinuousClock.Instant,
        _ turn: inout ShardTurn
    ) {
        switch list {
        case .messages:
            behind[reader] = since
            handle(.behind(reader, revision), &turn)
        case .members: handleMembers(.behind(reader, revision), &turn)
        case .pins: host(of: list)?.fellBehind(reader, at: revision, &turn.decision)
        }
    }

    /// The store has another epoch: everybody gets a snapshot, over an outgoing log that has nothing of before.
    func renew(_ turn: inout ShardTurn) {
        let epoch = turn.conditions.epoch
        guard epoch != state.epoch else { return }
        readers.close(&turn.decision)
        readers = ListBroadcaster(
            of: .room(name, .messages), epoch, loops: settings.loops, topics: topics, caching: space)
        handle(.renewed(epoch), &turn)
        handleMembers(.renewed, &turn)
    }
}

// MARK: - Requests

extension Room {
    func handle(_ request: SessionRequest, from reader: Reader, _ turn: inout ShardTurn) {
        if request.isQuestion { follow(withPeople: request.isSubscription, &turn) }
        switch request {
        case .subscribe(.messages, let visitor, let ref, let limit, let resume):
            names[reader] = visitor.user
            var resume = resume
            // A list of messages has ranges, and a reader may wait for a while.
            resume?.rows = nil
            resume?.sums = nil
            handle(.subscribe(reader, visitor, ref: ref, limit: limit, resume), &turn)
        case .subscribe(let list, let visitor, let ref, _, let resume):
            handle(.enter(reader, visitor, .list(list, ref: ref, resume)), &turn)
        case .unsubscribe(.messages): leave(reader, .left(reader), &turn)
        case .died(.messages): leave(reader, .died(reader), &turn)
        case .unsubscribe(let list), .died(let list):
            leave(list, reader, &turn)
            handle(.left(reader, list), &turn)
        case .operate(let ref, let operation):
            if case .send = operation.action { handleMembers(.said(operation.author), &turn) }
            handle(.operate(reader, ref: ref, operation), &turn)
        case .page(let visitor, let ref, let place, let limit):
            handle(.enter(reader, visitor, .page(ref: ref, place, limit: limit)), &turn)
        case .audit(let visitor, let ref, let before, let limit):
            handle(.enter(reader, visitor, .audit(ref: ref, before: before, limit: limit)), &turn)
        case .members(let visitor, let ref, let search):
            handle(.enter(reader, visitor, .members(ref: ref, search)), &turn)
        case .typing(let ref, let direction):
            if direction == .on, let refusal = state.silence(of: reader) {
                return turn.decision.answer(reader, .error(ref: ref, refusal))
            }
            handleMembers(.typing(reader, ref: ref, direction), &turn)
        case .read(let ref, let revision):
            handleMembers(.read(reader, ref: ref, revision, of: state.revision), &turn)
        case .readAll(let visitor, let ref):
            handle(.readAll(reader, visitor, ref: ref), &turn)
        case .regrant(let list, let role, let ref):
            handle(.regranted(reader, list, role), &turn)
            turn.decision.regranted.append((reader, ref))
        }
    }

    private func leave(_ reader: Reader, _ departure: MembersState.Input, _ turn: inout ShardTurn) {
        names[reader] = nil
        behind[reader] = nil
        handleMembers(departure, &turn)
        readers.detach(reader, &turn.decision)
        handle(.unsubscribe(reader), &turn)
    }

    /// Subscribes to the room's changes on other servers. The room is read after that, so nothing is missed. A room
    /// whose pages follow each other stays open, and would refuse by rules that have long changed elsewhere.
    func follow(withPeople: Bool, _ turn: inout ShardTurn) {
        guard settings.isShared, !isFollowed || withPeople && !isFollowedWithPeople else { return }
        isFollowed = true
        isFollowedWithPeople = isFollowedWithPeople || withPeople
        turn.decision.peers.append(.follow(name, withPeople: withPeople))
    }
}

// MARK: - What is to be done

extension Room {
    private func perform(_ effect: RoomState.Effect, _ turn: inout ShardTurn) {
        switch effect {
        case .commit(let operation, let ticket):
            turn.decision.commits.append(
                .init(room: name, ticket: ticket, operation: operation, mayFound: turn.mayFound))
        case .read(let query):
            turn.decision.queries.append(.reading(name, query, of: state.epoch))
        case .readHeld(let query, let ticket, let reader):
            turn.decision.queries.append(
                .held(RoomHeldQuery(room: name, reader: reader, ticket: ticket, query: query, epoch: state.epoch)))
        case .readMembership(let visitor, let ticket, let reader):
            turn.decision.queries.append(
                .membership(
                    MembershipQuery(room: name, reader: reader, visitor: visitor, ticket: ticket, epoch: state.epoch)))
        case .answer(let reader, let frame):
            turn.decision.answer(reader, frame)
        case .deliver(let reader, let ref, let delivery):
            deliver(delivery, to: reader, ref: ref, &turn)
        case .publish(let diff):
            turn.decision.events.append(.published(rows: diff.changeCount, revisions: Int(diff.to - diff.from)))
            readers.publish(diff, since: time, &turn.decision)
        case .cutLog:
            readers.cut(&turn.decision)
        case .admit(let reader, let visitor, let request):
            run(request, for: reader, visitor, &turn)
        case .turnAway(let reader, let list, let visit, let ref, let error):
            putOut(reader, of: list, visit: visit, &turn)
            turn.decision.answer(reader, .error(ref: ref, error))
        case .end(let reader, let list, let visit, let ending):
            putOut(reader, of: list, visit: visit, &turn)
            turn.decision.send(reader, .ended(list.name(in: name), ending))
        case .send(let reader, let frame):
            turn.decision.send(reader, frame)
        case .compare(let revision, let fingerprint):
            turn.decision.queries.append(.comparison(name, revision, fingerprint: fingerprint))
        case .close(let reader, let error):
            turn.decision.dismiss(reader, code: CloseCode.overload, error)
        }
    }

    private func deliver(
        _ delivery: ListDelivery<Message>, to reader: Reader, ref: UInt64?, _ turn: inout ShardTurn
    ) {
        turn.decision.events.append(.delivered(delivery, resumed: ref != nil))
        if let since = behind.removeValue(forKey: reader) { turn.decision.events.append(.caughtUp(since: since)) }
        readers.deliver(delivery, to: reader, ref: ref, &turn.decision)
        if let name = names[reader] { handleMembers(.came(reader, name), &turn) }
    }

    private func run(
        _ request: RoomState.ReadRequest, for reader: Reader, _ visitor: Visitor, _ turn: inout ShardTurn
    ) {
        switch request {
        case .list(.members, let ref, let resume):
            members.subscribe(reader, ref: ref, visit: visitor.visit, resume, of: state.epoch, &turn)
        case .list(let list, let ref, let resume):
            open(list)?.subscribe(reader, ref: ref, visit: visitor.visit, resume, of: state, &turn)
        case .page(let ref, let place, let limit):
            let query = PageQuery(
                room: name, reader: reader, visitor: visitor, ref: ref, place: place, limit: limit,
                epoch: state.epoch)
            turn.decision.queries.append(.page(query))
        case .audit(let ref, let before, let limit):
            let query = AuditQuery(
                room: name, reader: reader, visitor: visitor, ref: ref, before: before, limit: limit)
            turn.decision.queries.append(.audit(query))
        case .members(let ref, let search):
            let query = MembersPageQuery(room: name, reader: reader, visitor: visitor, ref: ref, search: search)
            turn.decision.queries.append(.membersPage(query))
        }
    }

    /// Detaches a reader without grace: whoever is put out is gone for the others too.
    private func putOut(_ reader: Reader, of list: RoomList, visit: UInt64, _ turn: inout ShardTurn) {
        turn.decision.end(reader, list.name(in: name), visit: visit)
        switch list {
        case .messages:
            names[reader] = nil
            behind[reader] = nil
            handleMembers(.died(reader), &turn)
            readers.detach(reader, &turn.decision)
        case .members, .pins:
            leave(list, reader, &turn)
        }
    }
}

// MARK: - Derived lists

extension Room {
    /// Ends a reader's subscription to a list other than that of the messages.
    private func leave(_ list: RoomList, _ reader: Reader, _ turn: inout ShardTurn) {
        guard list != .members else { return handleMembers(.unsubscribe(reader), &turn) }
        guard let host = host(of: list) else { return }
        host.unsubscribe(reader, &turn.decision)
        guard host.isEmpty else { return }
        derived.removeAll { $0.list == list }
        host.close(&turn.decision)
    }

    private func host(of list: RoomList) -> (any RoomListHost)? { derived.first { $0.list == list }?.host }

    /// Returns the list, which begins with its first reader; `nil` for one that is not derived.
    private func open(_ list: RoomList) -> (any RoomListHost)? {
        if let host = host(of: list) { return host }
        let host: any RoomListHost
        switch list {
        case .messages, .members: return nil
        case .pins:
            host = DerivedRoomList(
                list, of: name, PinList.self, loops: settings.loops, topics: topics, caching: space)
        }
        derived.append((list, host))
        return host
    }
}

// MARK: - What the store answers

extension Room {
    func handle(_ answer: StoreAnswer, _ turn: inout ShardTurn) {
        switch answer {
        case .reading(_, let epoch, let result): handle(result, of: epoch, &turn)
        case .held(let query, let result): handle(result, to: query, &turn)
        case .page(let query, let result): handle(result, to: query, &turn)
        case .audit(let query, let result): handle(result, to: query, &turn)
        case .membership(let query, let result): handle(result, to: query, &turn)
        case .rows(let query, let result): host(of: query.list)?.handle(result, of: state, &turn)
        case .members(let query, let result): handle(result, to: query, &turn)
        case .membersPage(let query, let result): handle(result, to: query, &turn)
        // One that could not be asked will be, some revisions on.
        case .comparison(_, _, agrees: true): break
        case .comparison(_, let revision, agrees: false):
            turn.decision.events.append(.diverged(name, revision))
            handle(.diverged, &turn)
        }
    }

    private func handle(_ result: Result<RoomReading?, WireError>, of epoch: Epoch, _ turn: inout ShardTurn) {
        // A reading of another history is useless. The room has asked again, or will once it has that history.
        guard state.epoch == epoch else { return }
        switch result {
        case .success(let reading?):
            handle(.read(reading), &turn)
        case .success(nil):
            break
        case .failure(let error):
            handle(.readFailed(error), &turn)
            // Or nothing would be read before the room reaches yet another revision.
            if isFollowed { turn.decision.peers.append(.follow(name, withPeople: isFollowedWithPeople)) }
        }
    }

    private func handle(
        _ result: Result<ListPage<Message>?, WireError>, to query: PageQuery, _ turn: inout ShardTurn
    ) {
        guard state.knowsStanding(of: query.visitor.user) else {
            let request = RoomState.ReadRequest.page(ref: query.ref, query.place, limit: query.limit)
            return admitAgain(query.reader, query.visitor, request, &turn)
        }
        guard let answer = answer(to: query, result) else {
            var query = query
            (query.tries, query.epoch) = (query.tries - 1, state.epoch)
            return turn.decision.queries.append(.page(query))
        }
        turn.decision.answer(query.reader, answer)
        handle(.pageAnswered, &turn)
    }

    /// Requests anew what the store has answered: the room learned of changes meanwhile, and no longer knows whether the
    /// visitor may have the answer.
    private func admitAgain(
        _ reader: Reader, _ visitor: Visitor, _ request: RoomState.ReadRequest, _ turn: inout ShardTurn
    ) {
        handle(.enter(reader, visitor, request), &turn)
        handle(.pageAnswered, &turn)
    }

    /// Returns `nil` if the page must be read again.
    private func answer(to query: PageQuery, _ result: Result<ListPage<Message>?, WireError>) -> ServerFrame? {
        if let refusal = state.refusal(of: query.visitor, .read) { return .error(ref: query.ref, refusal) }
        switch result {
        case .success(let found):
            if let found, state.epoch == query.epoch, let page = state.updated(found) {
                return .page(ref: query.ref, .messages(name), state.epoch, page)
            }
            return query.tries > 1 ? nil : .error(ref: query.ref, .overtaken(.messages(name)))
        case .failure(let error): return .error(ref: query.ref, error)
        }
    }

    private func handle(_ result: Result<HeldReading?, WireError>, to query: RoomHeldQuery, _ turn: inout ShardTurn) {
        // Rows of another history are nothing to the room, which asks again.
        guard state.epoch == query.epoch else { return }
        switch result {
        case .success(let reading?): handle(.held(query.ticket, .success(reading)), &turn)
        case .success(nil): break
        case .failure(let error): handle(.held(query.ticket, .failure(error)), &turn)
        }
    }

    private func handle(_ result: Result<AuditPage, WireError>, to query: AuditQuery, _ turn: inout ShardTurn) {
        guard state.knowsStanding(of: query.visitor.user) else {
            let request = RoomState.ReadRequest.audit(ref: query.ref, before: query.before, limit: query.limit)
            return admitAgain(query.reader, query.visitor, request, &turn)
        }
        let refusal = state.refusal(of: query.visitor, .moderate)
        switch refusal.map({ .failure($0) }) ?? result {
        case .success(let page): turn.decision.answer(query.reader, .audit(ref: query.ref, name, page))
        case .failure(let error): turn.decision.answer(query.reader, .error(ref: query.ref, error))
        }
        handle(.pageAnswered, &turn)
    }
}

// MARK: - Members

extension Room {
    private func handle(
        _ result: Result<MembersPageReading, WireError>, to query: MembersPageQuery, _ turn: inout ShardTurn
    ) {
        guard state.knowsStanding(of: query.visitor.user) else {
            return admitAgain(query.reader, query.visitor, .members(ref: query.ref, query.search), &turn)
        }
        let refusal = state.refusal(of: query.visitor, .read)
        switch refusal.map({ .failure($0) }) ?? result {
        case .success(let reading):
            let page = ServerFrame.page(ref: query.ref, .members(name), members.epoch, members.page(of: reading))
            turn.decision.answer(query.reader, page, examined: reading.examined)
        case .failure(let error): turn.decision.answer(query.reader, .error(ref: query.ref, error))
        }
        handle(.pageAnswered, &turn)
    }

    private func handle(
        _ result: Result<MembersReading?, WireError>, to query: RoomMembersQuery, _ turn: inout ShardTurn
    ) {
        switch result {
        case .success(let reading?) where state.epoch == query.epoch:
            handleMembers(.loaded(reading, number: query.number), &turn)
        case .success: handleMembers(.loadingFailed(nil, number: query.number), &turn)
        case .failure(let error): handleMembers(.loadingFailed(error, number: query.number), &turn)
        }
    }

    /// Marks all as read that was there when the store was asked.
    private func handle(
        _ result: Result<MembershipReading?, WireError>, to query: MembershipQuery, _ turn: inout ShardTurn
    ) {
        let answer = result.flatMap { self.answer(to: query, $0) }
        if case .success(let revision) = answer {
            let user = query.visitor.user
            handleMembers(.readAll(user, revision), &turn)
            turn.decision.marks.append((ReadMark(room: name, user: user, revision: revision), query.epoch))
        }
        handle(.membership(query.ticket, answer), &turn)
    }

    private func answer(to query: MembershipQuery, _ reading: MembershipReading?) -> Result<Revision, WireError> {
        guard state.epoch == query.epoch else { return .failure(.otherHistory) }
        guard let reading, reading.kind == .member, reading.role(granted: query.visitor.grant) >= .read else {
            return .failure(.notMember(of: name))
        }
        return .success(reading.revision)
    }
}

extension SessionRequest {
    fileprivate var isSubscription: Bool {
        if case .subscribe = self { true } else { false }
    }

    /// True when nothing is left of it but its answer once its connection has gone.
    var isQuestion: Bool {
        switch self {
        case .subscribe, .page, .audit, .members: true
        case .unsubscribe, .died, .operate, .regrant, .typing, .read, .readAll: false
        }
    }
}

extension WireError {
    /// The error for a page around a message that is not there.
    static func noSuchPlace(_ place: PagePlace, in room: RoomName) -> WireError {
        guard case .around(.id(let id)) = place else {
            return WireError(.noMessage, "room \(room) has no message at this place")
        }
        return WireError(.noMessage, "message \(id) is not in this room, or was deleted")
    }

    static func overtaken(_ list: ListName) -> WireError {
        WireError(.overtaken, "\(list) changes faster than it can be read: send it again", retryAfter: 1_000)
    }
}
