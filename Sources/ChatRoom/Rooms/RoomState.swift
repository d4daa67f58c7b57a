package import ChatWire

/// One room as a pure state: inputs come in, effects go out. It knows no socket, queue, clock or store.
///
/// The readers follow one published line of revisions: each is at ``published`` or behind it. A reader that subscribes,
/// resumes or fell behind gets one delivery that brings it there, and only when everything is published.
///
/// The room asks for what it does not hold with a `read`, and goes on. The reading may come at once or late, and may be
/// older or newer than what the room has learned meanwhile.
package struct RoomState: ~Copyable, Sendable {
    /// The room's rows; `nil` until a reader needs them, and again when no reader does.
    private(set) var timeline: RoomTimeline?
    /// The last revision that the attached readers were brought to.
    package private(set) var published: Revision = 0
    var readers: [Reader: Subscription] = [:]
    var waiting = WaitingReaders()
    var access: AccessControl
    var readRequests: [(reader: Reader, visitor: Visitor, request: ReadRequest, delay: RefusalDelay)] = []
    /// The number of pages requested from the store. A reader that is put out meanwhile must not get its page.
    var pagesAsked = 0
    var unanswered: [Ticket: Unanswered] = [:]
    /// The tickets of operations that the room itself has begun. No reader waits for their answers.
    private var ownCommits: Set<Ticket> = []
    private var lastTicket: Ticket = 0
    /// The read that is under way.
    private var reading: Query?
    /// The bytes of deliveries that may still be made of the present input.
    var allowance = 0
    /// About the bytes of a list of members or of pinned messages.
    static let listBytes = 48 << 10
    /// True when a reader is due whom the allowance did not reach: ``Input/proceed`` serves the next.
    package internal(set) var isServing = false
    /// The number of reads that have ended.
    private(set) var readings: UInt64 = 0
    /// True while the room handles a refusal tick.
    var isOnRefusalTick = false
    /// The sizes of the texts of open messages, and the ticks since each last changed.
    var silences: [MessageID: (size: Int, ticks: Int)] = [:]
    /// True when texts have grown and readers get that on the next growth tick, in one diff.
    package private(set) var holdsGrowth = false
    var isOnGrowthTick = false
    /// The last revision whose fingerprint was compared with other servers'.
    private var compared: Revision = 0
    /// The revision that the store is said to have reached.
    private var announced: Revision = 0
    /// The changes of its rules of which a thread has heard.
    var heardRules = HeardRules()
    /// The revisions that were announced of the rows and of a thread's rules when the read under way was requested.
    private var expected: (rows: Revision, rules: Revision) = (0, 0)

    package let room: RoomName
    package private(set) var epoch: Epoch
    private let limits: WireLimits
    let isShared: Bool
    private let fewStandings: Int

    /// The number of standings up to which a room reads them all.
    package static let fewStandings = 256

    /// - Parameters:
    ///   - isShared: true if other servers have the room too, so that fingerprints are compared.
    ///   - fewStandings: the number of standings up to which the room reads them all.
    package init(
        room: RoomName, epoch: Epoch, limits: WireLimits, isShared: Bool, fewStandings: Int = Self.fewStandings
    ) {
        self.room = room
        self.fewStandings = fewStandings
        access = AccessControl(of: room)
        self.epoch = epoch
        self.limits = limits
        self.isShared = isShared
    }

    /// True when the room has no reader, no waiting request and no unanswered command. It may be dropped then.
    package var isIdle: Bool {
        !isFrequented && unanswered.isEmpty && ownCommits.isEmpty && reading == nil
    }

    /// About the size of the room and the rows that it holds, in bytes.
    package var bytes: Int {
        Self.overhead + access.bytes + (timeline.map { $0.bytes + $0.places * Message.overhead } ?? 0)
    }

    /// About the bytes of a room without rows.
    private static let overhead = 8_192

    /// Drops the rows that can be read again, but the last ones: memory is short.
    package mutating func releaseMemory() {
        timeline?.trim(toBytes: 0, since: published)
    }

    /// The pinned messages that retention has left; `nil` while the rules or the messages are unknown.
    var pins: Pins? {
        guard let pins = access.pins, let timeline else { return nil }
        return pins.since(timeline.start)
    }

    /// True when the rules are known, and all that the room holds is published: derived lists can be brought to it.
    package var isPublished: Bool { access.pins != nil && timeline?.revision == published }

    /// Returns the messages that were touched since a revision, in no order; `nil` if they are not all known.
    ///
    /// - Precondition: ``isPublished``.
    func touches(since revision: Revision) -> [RowHistory<Message>]? {
        guard let timeline, (timeline.floor...timeline.revision).contains(revision) else { return nil }
        return Array(timeline.touches.histories(since: revision))
    }

    /// The highest revision that the room's messages are known to have reached.
    package var revision: Revision { max(announced, published, timeline?.revision ?? 0) }

    /// - Parameter most: the bytes of deliveries that may be made now. The last one may exceed it, and with none left
    ///   the readers wait.
    package mutating func handle(_ input: Input, delivering most: Int = .max) -> [Effect] {
        allowance = most
        switch input {
        case .subscribe(let reader, let visitor, let ref, let limit, let resume):
            wait(Waiting(reader: reader, request: (visitor, ref), limit: limit, resume: resume, delay: newDelay))
            return supersede(reader) + flush()
        case .enter(let reader, let visitor, let request): return enter(reader, visitor, request)
        case .proceed: return flush()
        case .pageAnswered:
            pagesAsked -= 1
            return flush()
        case .left(let reader, let list): return leave(reader, list)
        case .regranted(let reader, let list, let grant): return updateGrant(reader, list, grant)
        case .unsubscribe(let reader): return leave(reader)
        case .behind(let reader, let revision): return fallBehind(reader, at: revision)
        case .operate(let reader, let ref, let operation): return [.commit(operation, expect(reader, ref))]
        case .readAll(let reader, let visitor, let ref):
            return [.readMembership(visitor, expect(reader, ref), for: reader)]
        case .membership(let ticket, let result): return handle(result, for: ticket)
        case .refused(let reader, let ref, let error): return refuse(expect(reader, ref), error)
        case .refusalTick: return tickRefusals()
        case .growthTick: return tickGrowth()
        case .silenceTick(let time): return tickSilence(at: time)
        case .committed(let outcomes): return apply(outcomes)
        case .commitFailed(let tickets, let error): return fail(tickets, error)
        case .announced(let revision):
            announced = max(announced, revision)
            return flush()
        case .ruled(let changes): return applyRules(changes)
        case .ruleAnnounced(let revision): return expectRules(of: revision)
        case .rulesRead(let rules, let revision): return applyRules(rules, asOf: revision)
        case .summarize(let root, let time): return summarize(root, at: time)
        case .sent(let messages): return handle(messages)
        case .read(let answer): return apply(answer)
        case .readFailed(let error): return failRequests(error)
        case .held(let ticket, let result): return handle(result, for: ticket)
        case .diverged: return diverge()
        case .renewed(let epoch): return renew(epoch)
        }
    }
}

// MARK: - Commits

extension RoomState {
    /// - Returns: the number under which the store's answer to a request is expected.
    mutating func expect(_ reader: Reader, _ ref: UInt64) -> Ticket {
        lastTicket += 1
        unanswered[lastTicket] = Unanswered(reader: reader, ref: ref)
        return lastTicket
    }

    private mutating func apply(_ outcomes: [(ticket: Ticket, outcome: CommitOutcome)]) -> [Effect] {
        let before = timeline?.revision
        ownCommits.subtract(outcomes.map(\.ticket))
        let answers = outcomes.flatMap { apply($0.outcome, for: $0.ticket) }
        if timeline?.revision != before { rowsChanged() }
        // Put out a banned reader before the moderator's answer, so that it hears nothing later.
        return reevaluateAccess() + answers + flush()
    }

    private mutating func apply(_ outcome: CommitOutcome, for ticket: Ticket) -> [Effect] {
        switch outcome {
        case .committed(let revision, let change):
            announced = max(announced, revision)
            guard revision == (timeline?.revision).map({ $0 + 1 }) else { return answer(ticket, .success(revision)) }
            timeline?.apply(change, at: revision)
            if !room.isThread { access.apply(change, at: revision) }
            return answer(ticket, .success(revision)) + compare()
        case .repeated(let revision):
            announced = max(announced, revision)
            return answer(ticket, .success(revision))
        case .conflict:
            return answer(ticket, .failure(.usedForSomethingElse))
        case .refused(let refusal):
            let error = WireError(refusal, in: room)
            return refusal.isOfOutsiders ? refuse(ticket, error) : answer(ticket, .failure(error))
        }
    }

    /// Applies messages of other servers that are next in line. The others are read.
    private mutating func handle(_ messages: [InsertedMessage]) -> [Effect] {
        let before = timeline?.revision
        var comparisons: [Effect] = []
        for message in messages {
            announced = max(announced, message.row.rev)
            guard message.row.rev == (timeline?.revision).map({ $0 + 1 }) else { continue }
            timeline?.apply(message.change, at: message.row.rev)
            if !room.isThread { access.apply(message.change, at: message.row.rev) }
            comparisons += compare()
        }
        if timeline?.revision != before { rowsChanged() }
        return reevaluateAccess() + comparisons + flush()
    }

    private mutating func rowsChanged() {
        waiting.tryAgain()
        if room.isThread, isShared { heardRules.reading = nextReading }
    }

    /// The number of the first reading that is asked for from now on: one that is under way may be older.
    private var nextReading: UInt64 { readings + (reading == nil ? 1 : 2) }

    /// Handles the reading of a member's mark.
    private mutating func handle(_ result: Result<Revision, WireError>, for ticket: Ticket) -> [Effect] {
        switch result {
        case .success(let revision): answer(ticket, .success(revision))
        case .failure(let error): refuse(ticket, error)
        }
    }

    private mutating func fail(_ tickets: [Ticket], _ error: WireError) -> [Effect] {
        ownCommits.subtract(tickets)
        return tickets.flatMap { answer($0, .failure(error)) }
    }

    /// Commits an operation of the room itself, for whose answer no reader waits.
    mutating func commit(
        _ action: RoomAction, as command: CommandID, by author: UserName, at time: Milliseconds
    ) -> Effect {
        lastTicket += 1
        ownCommits.insert(lastTicket)
        var operation = Operation(command: command, author: author, role: .own, time: time, action: action)
        operation.requester = .service
        return .commit(operation, lastTicket)
    }

    mutating func answer(_ ticket: Ticket, _ result: Result<Revision, WireError>) -> [Effect] {
        guard let request = unanswered.removeValue(forKey: ticket) else { return [] }
        switch result {
        case .success(let revision):
            return [.answer(request.reader, .ok(ref: request.ref, .init(list: .messages(room), revision: revision)))]
        case .failure(let error): return [.answer(request.reader, .error(ref: request.ref, error))]
        }
    }
}

// MARK: - Readings

extension RoomState {
    private mutating func apply(_ answer: RoomReading) -> [Effect] {
        guard let query = reading else { return [] }
        reading = nil
        readings += 1
        updateTimeline(answer, changesSince: query.since)
        correct(by: answer)
        access.apply(answer.rules, asOf: answer.ruled)
        waiting.tryAgain()
        return compare() + flush()
    }

    private mutating func updateTimeline(_ answer: RoomReading, changesSince since: Revision?) {
        switch answer.changes {
        case .all, .none, .future: break
        // Neither what is held nor the reading tells which rows there are now.
        case .tooMany, .gone: if !answer.hasTail { timeline = nil }
        }
        if timeline != nil {
            timeline?.apply(answer, changesSince: since)
        } else if answer.hasTail {
            timeline = RoomTimeline(answer, changesSince: since)
            if readers.isEmpty { published = answer.revision }
        }
    }

    /// Handles the reading of a returning reader's rows. It may be later than the room, or too old by now.
    private mutating func handle(_ result: Result<HeldReading, WireError>, for ticket: Ticket) -> [Effect] {
        guard let reader = waiting[ticket], reader.awaitsStore else { return [] }
        switch result {
        case .success(let reading):
            announced = max(announced, reading.revision)
            waiting.apply(reading, for: ticket)
            return flush()
        case .failure(let error):
            waiting.remove(ticket)
            return refuse(reader, error) + flush()
        }
    }

    /// Lowers ``announced`` to what the store has, if the announcement came before the read: another server may say
    /// anything.
    ///
    /// Announcements that came during the read still stand, and cause another one.
    private mutating func correct(by answer: RoomReading) {
        if answer.revision < expected.rows, announced == expected.rows {
            announced = max(answer.revision, timeline?.revision ?? 0)
        }
        if answer.ruled < expected.rules, heardRules.announced == expected.rules {
            heardRules.announced = max(answer.ruled, access.revision)
        }
    }

    /// Returns the room's fingerprint at each revision at which servers compare.
    private mutating func compare() -> [Effect] {
        guard isShared, let timeline, timeline.canProve, timeline.revision > compared,
            timeline.revision.isMultiple(of: RoomTimeline.fingerprintInterval)
        else { return [] }
        compared = timeline.revision
        return [.compare(timeline.revision, fingerprint: timeline.fingerprint)]
    }

    /// Drops the rows and the rules, which differ from those of another server.
    private mutating func diverge() -> [Effect] {
        access.forget()
        return rebuild { _ in nil }
    }

    /// Drops the rows, which cannot be trusted, and brings each reader to what the store has.
    private mutating func rebuild(_ resume: (Subscription) -> Resume?) -> [Effect] {
        timeline = nil
        for (reader, subscription) in readers.sorted(by: { $0.key < $1.key }) {
            wait(Waiting(reader: reader, request: nil, limit: subscription.limit, resume: resume(subscription)))
        }
        readers = [:]
        return [.cutLog] + flush()
    }

    /// Starts the room anew in another history, in which no earlier fact or revision holds.
    private mutating func renew(_ epoch: Epoch) -> [Effect] {
        guard epoch != self.epoch else { return [] }
        let (before, revision) = (self.epoch, published)
        self.epoch = epoch
        (published, announced, heardRules.announced, compared, reading) = (0, 0, 0, 0, nil)
        access.renew()
        for var reader in waiting.removeAll() {
            reader.held = .unread
            wait(reader)
        }
        return rebuild { Resume(epoch: before, revision: revision, joined: $0.joined) }
    }

    /// Answers waiting requests with the error of a failed read, and closes the readers that await no answer.
    private mutating func failRequests(_ error: WireError) -> [Effect] {
        reading = nil
        let refusals = waiting.removeAll().flatMap { refuse($0, error) }
        let sent = readRequests.map { Effect.answer($0.reader, .error(ref: $0.request.ref, error)) }
        readRequests = []
        return refusals + sent
    }

    private func refuse(_ waiting: Waiting, _ error: WireError) -> [Effect] {
        guard let (_, ref) = waiting.request else { return [.close(waiting.reader, error)] }
        return [.answer(waiting.reader, .error(ref: ref, error))]
    }

    /// Requests from the store what all waiting readers need, unless a read is under way: the changes, if the rows are there.
    mutating func readForAll() -> [Effect] {
        guard reading == nil else { return [] }
        let rows = rows(for: waiting.limit)
        guard let timeline else { return read(tail: rows, since: waiting.oldestResume(of: epoch)) }
        return read(tail: timeline.holds(rows) ? 0 : rows, since: published)
    }

    /// The delay for a request that comes now: a read that is under way may be older.
    private var newDelay: RefusalDelay { RefusalDelay(reading: nextReading) }

    /// The users whose standings must be read with the rules.
    private var people: Set<UserName> {
        guard !access.knowsAll else { return [] }
        return access.people.union(waiting.requests.map(\.visitor.user)).union(readRequests.map(\.visitor.user))
    }

    private mutating func read(tail: Int, since: Revision?) -> [Effect] {
        guard reading == nil else { return [] }
        let people = people
        // A room has at most `limits.standings`: one statement for all is cheaper than one for each of many people.
        let standings: StandingScope =
            people.count > max(fewStandings, Self.fewStandings) ? .all : .upTo(fewStandings, or: people)
        let query = Query(tail: tail, since: since, atMost: 2 * limits.rows, standings: standings)
        (reading, expected) = (query, (announced, heardRules.announced))
        return [.read(query)]
    }
}

// MARK: - Readers

extension RoomState {
    private mutating func leave(_ reader: Reader, _ list: RoomList) -> [Effect] {
        access.leave(reader, list)
        return flush()
    }

    private mutating func leave(_ reader: Reader) -> [Effect] {
        readers[reader] = nil
        access.leave(reader, .messages)
        let unserved = waiting.removeAll(of: reader).compactMap(\.request?.ref)
        let left = WireError(.unsubscribed, "unsubscribed before the subscribe was answered")
        return unserved.map { .answer(reader, .error(ref: $0, left)) } + flush()
    }

    /// Answers a reader's earlier subscribe, which a later one has replaced before its answer. So a reader is owed one
    /// delivery, however often it asks.
    private mutating func supersede(_ reader: Reader) -> [Effect] {
        waiting.removeSuperseded(of: reader).compactMap(\.request?.ref).map {
            .answer(reader, .error(ref: $0, .superseded))
        }
    }

    private mutating func enter(_ reader: Reader, _ visitor: Visitor, _ request: ReadRequest) -> [Effect] {
        var superseded: [Effect] = []
        if let list = request.list {
            let earlier = readRequests.filter { $0.reader == reader && $0.request.list == list }
            readRequests.removeAll { $0.reader == reader && $0.request.list == list }
            superseded = earlier.map { .answer(reader, .error(ref: $0.request.ref, .superseded)) }
        }
        readRequests.append((reader, visitor, request, newDelay))
        return superseded + flush()
    }

    private mutating func wait(_ reader: Waiting) {
        lastTicket += 1
        waiting.add(reader, as: lastTicket)
    }

    /// Takes a reader that fell off the outgoing log from the published line until a delivery brings it back.
    ///
    /// A reader that has received a later revision fell off before that: the report is old.
    private mutating func fallBehind(_ reader: Reader, at revision: Revision) -> [Effect] {
        guard let subscription = readers[reader], revision >= subscription.since else { return [] }
        readers[reader] = nil
        let resume = Resume(epoch: epoch, revision: revision, joined: subscription.joined)
        wait(Waiting(reader: reader, request: nil, limit: subscription.limit, resume: resume))
        return flush()
    }

    /// Publishes changes, serves waiting readers, and requests what is missing from the store.
    mutating func flush() -> [Effect] {
        isServing = false
        let effects = isFrequented ? serveAll() : []
        if !isFrequented {
            timeline = nil
            access.forget()
        } else if bytes > Self.mostBytes, !isServing {
            // While readers wait for an allowance, the rows are needed again at once.
            timeline?.trim(toBytes: Self.mostBytes / 2, since: published)
        }
        return effects
    }

    /// The number of bytes at which the room drops rows, until half as many are left.
    private static let mostBytes = 2 << 20

    /// True when a reader follows the room or waits for something.
    package var isFrequented: Bool {
        !readers.isEmpty || !waiting.isEmpty || !readRequests.isEmpty || !access.isEmpty || pagesAsked > 0
    }

    private mutating func serveAll() -> [Effect] {
        guard let timeline, timeline.revision >= announced, timeline.canProve, !access.isLacking, knowsRules
        else {
            return readForAll()
        }
        let effects = reevaluateAccess() + publish(timeline) + turnAwayDue() + serve(timeline) + runReadRequests()
        return effects + readForRefusals()
    }

    private mutating func publish(_ timeline: RoomTimeline) -> [Effect] {
        holdsGrowth = mayHoldGrowth(timeline)
        guard timeline.revision > published, !holdsGrowth else { return [] }
        let base = published
        published = timeline.revision
        guard !readers.isEmpty else { return [] }
        // Another server wrote more than the room could follow. The outgoing log knows how far each reader has got.
        return [timeline.diff(since: base).map(Effect.publish) ?? .cutLog]
    }

    /// Refuses whom it may refuse on a refusal tick, however many others are served before them: the time of a refusal tells
    /// nothing about the room.
    private mutating func turnAwayDue() -> [Effect] {
        guard isOnRefusalTick else { return [] }
        return waiting.all.compactMap { ticket in
            guard let reader = waiting[ticket], mayRefuse(after: reader.delay), let refusal = turnAway(reader) else {
                return nil
            }
            waiting.remove(ticket)
            return refusal
        }
    }

    /// Serves the readers that are due, as far as the allowance reaches, and asks the store for the rows that they lack.
    private mutating func serve(_ timeline: RoomTimeline) -> [Effect] {
        var effects: [Effect] = []
        var limit: Int?
        var isAsking = false
        while allowance > 0, let ticket = waiting.popDue() {
            guard var reader = waiting[ticket] else { continue }
            if let user = reader.request?.visitor.user, !access.knows(user) {
                isAsking = true
                continue
            }
            if let refusal = turnAway(reader) {
                guard mayRefuse(after: reader.delay) else { continue }
                waiting.remove(ticket)
                effects.append(refusal)
                continue
            }
            if let read = readHeld(&reader, ticket, timeline) { effects.append(read) }
            if let delivery = ListDelivery(
                to: reader.resume, limit: reader.limit, of: timeline, epoch, with: reader.reading)
            {
                waiting.remove(ticket)
                allowance -= delivery.bytes
                effects += deliver(delivery, to: reader)
            } else {
                waiting.keep(reader, as: ticket)
                limit = max(limit ?? 0, reader.limit)
            }
        }
        isServing = waiting.hasDue
        if let limit, !timeline.holds(rows(for: limit)) {
            effects += read(tail: rows(for: limit), since: published)
        }
        return isAsking ? effects + readForAll() : effects
    }

    private func turnAway(_ reader: Waiting) -> Effect? {
        guard let (visitor, ref) = reader.request, let refusal = refusal(of: visitor, .read) else { return nil }
        return .turnAway(reader.reader, .messages, visit: visitor.visit, ref: ref, refusal)
    }

    /// A reader that fell behind and has subscribed since gets what it asked for, and not what it lacked before.
    private mutating func deliver(_ delivery: ListDelivery<Message>, to reader: Waiting) -> [Effect] {
        waiting.removeFallen(reader.reader)
        readers[reader.reader] = Subscription(limit: reader.limit, joined: delivery.joined, since: delivery.revision)
        let standing = reader.request.flatMap { access.admit(reader.reader, $0.visitor, to: .messages) }
        let standings = standing.map { [Effect.send(reader.reader, $0)] } ?? []
        return standings + [.deliver(reader.reader, ref: reader.request?.ref, delivery)]
    }

    /// The most readings for one reader. A reading is too old if more happens meanwhile than the room remembers. After
    /// the last one, the room gives up the reader's rows.
    private static let mostReadings = 3

    /// Requests the rows that a returning reader holds, if the room does not know what happened to them.
    private func readHeld(_ reader: inout Waiting, _ ticket: Ticket, _ timeline: RoomTimeline) -> Effect? {
        guard let resume = reader.resume, resume.epoch == epoch, reader.needsReading(timeline) else { return nil }
        guard reader.readings < Self.mostReadings else {
            reader.held = .read(.nothing(at: timeline.revision))
            return nil
        }
        reader.held = .requested
        return .readHeld(HeldQuery(resume, limits), ticket, for: reader.reader)
    }

    /// Updates a page that was read a while ago to what is published now, which every follower holds or will hold.
    ///
    /// - Returns: `nil` when the room no longer knows all changes since; the page must be read again.
    package func updated(_ page: ListPage<Message>) -> ListPage<Message>? {
        guard page.revision < published, let timeline else { return page }
        return timeline.updated(page)
    }

    /// The number of rows to hold for a reader that gets so many.
    private func rows(for limit: Int) -> Int {
        // One row more than the reader gets shows whether there are others.
        max(2 * ListDigest.window, limit + 1)
    }
}
