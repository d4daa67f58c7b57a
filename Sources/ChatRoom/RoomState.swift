package import ChatWire

/// One room: what is said to it goes in, what is to be done comes out. It knows no socket, queue, clock or store.
///
/// Its readers follow one published line of revisions: each is at ``published`` or behind it. A reader that subscribes,
/// resumes or fell behind is brought there by one delivery, and only at a moment when everything is published.
///
/// What it does not hold it asks for with a `read`, and goes on; the reading may come at once or late, and may be older
/// or newer than what the room has learned meanwhile.
package struct RoomState: ~Copyable, Sendable {
    /// Nobody has asked for the rows yet, or nobody does any more.
    private var timeline: RoomTimeline?
    /// The last revision that the attached readers were brought to.
    package private(set) var published: Revision = 0
    var readers: [Reader: Subscription] = [:]
    var waiting: [Waiting] = []
    var access: AccessControl
    var readRequests: [(reader: Reader, visitor: Visitor, request: ReadRequest)] = []
    private var unanswered: [Ticket: (Reader, ref: UInt64)] = [:]
    private var lastTicket: Ticket = 0
    /// The read that is under way.
    private var reading: Query?
    /// Where what is here was held against other servers' last.
    private var compared: Revision = 0
    /// The store is said to have got this far.
    private var announced: Revision = 0
    /// What of that was said before the reading under way was asked for.
    private var expected: Revision = 0

    package let list: ListName
    package private(set) var epoch: Epoch
    private let limits: WireLimits
    private let isShared: Bool

    /// - Parameter isShared: whether other servers have the room too, so that they compare what they have.
    package init(room: RoomName, epoch: Epoch, limits: WireLimits, isShared: Bool) {
        list = .messages(room)
        access = AccessControl(of: room)
        self.epoch = epoch
        self.limits = limits
        self.isShared = isShared
    }

    /// Whether nobody reads it, waits for it or is owed an answer: it may be forgotten then.
    package var isIdle: Bool {
        !isFrequented && unanswered.isEmpty && reading == nil
    }

    /// What the room's messages are known to have reached.
    package var revision: Revision { max(announced, published, timeline?.revision ?? 0) }

    package mutating func receive(_ input: Input) -> [Effect] {
        switch input {
        case .subscribe(let reader, let visitor, let ref, let limit, let resume):
            waiting.append(Waiting(reader: reader, request: (visitor, ref), limit: limit, resume: resume))
            return settle()
        case .enter(let reader, let visitor, let request):
            readRequests.append((reader, visitor, request))
            return settle()
        case .left(let reader):
            access.leave(reader, .members(list.room))
            return settle()
        case .regranted(let reader, let list, let grant):
            regrant(reader, list, grant)
            return review() + settle()
        case .unsubscribe(let reader):
            return leave(reader)
        case .behind(let reader, let revision):
            return fallBehind(reader, at: revision)
        case .operate(let reader, let ref, let operation):
            lastTicket += 1
            unanswered[lastTicket] = (reader, ref)
            return [.commit(operation, lastTicket)]
        case .committed(let outcomes):
            let answers = outcomes.flatMap { take($0.outcome, for: $0.ticket) }
            // Whoever is put out hears nothing more by the time that the moderator is answered.
            return review() + answers + settle()
        case .commitFailed(let tickets, let error):
            return tickets.flatMap { answer($0, .failure(error)) }
        case .announced(let revision):
            announced = max(announced, revision)
            return settle()
        case .read(let answer):
            return take(answer)
        case .readFailed(let error):
            return giveUp(error)
        case .diverged:
            return rebuild { _ in nil }
        case .renewed(let epoch):
            return renew(epoch)
        }
    }
}

// MARK: - Commits

extension RoomState {
    private mutating func take(_ outcome: CommitOutcome, for ticket: Ticket) -> [Effect] {
        switch outcome {
        case .committed(let revision, let change):
            announced = max(announced, revision)
            guard revision == (timeline?.revision).map({ $0 + 1 }) else { return answer(ticket, .success(revision)) }
            timeline?.apply(change, at: revision)
            access.apply(change, at: revision)
            return answer(ticket, .success(revision)) + compare()
        case .repeated(let revision):
            announced = max(announced, revision)
            return answer(ticket, .success(revision))
        case .conflict:
            return answer(ticket, .failure(.usedForSomethingElse))
        case .refused(let refusal):
            return answer(ticket, .failure(WireError(refusal, in: list.room)))
        }
    }

    private mutating func answer(_ ticket: Ticket, _ result: Result<Revision, WireError>) -> [Effect] {
        guard let (reader, ref) = unanswered.removeValue(forKey: ticket) else { return [] }
        switch result {
        case .success(let revision): return [.answer(reader, .ok(ref: ref, .init(list: list, revision: revision)))]
        case .failure(let error): return [.answer(reader, .error(ref: ref, error))]
        }
    }
}

// MARK: - Readings

extension RoomState {
    private mutating func take(_ answer: RoomReading) -> [Effect] {
        guard let query = reading else { return [] }
        reading = nil
        if timeline == nil {
            timeline = RoomTimeline(answer, changesSince: query.since)
            if readers.isEmpty { published = answer.revision }
        } else if !leavesHole(answer, to: query) {
            timeline?.absorb(answer, changesSince: query.since)
        }
        correct(by: answer)
        access.learn(answer.rules, asOf: answer.revision)
        for index in waiting.indices where waiting[index].asked { waiting[index].found = answer.changes.why }
        return compare() + settle()
    }

    /// What was said before the store was asked, and which it does not have, is not so: another server may say anything. It
    /// is asked again for what it was said to have meanwhile.
    private mutating func correct(by answer: RoomReading) {
        guard answer.revision < expected, announced == expected else { return }
        announced = max(answer.revision, timeline?.revision ?? 0)
    }

    /// Whether the room would lose track of what is published by an answer that reaches further, only because somebody came
    /// back from so long ago that not all since then is in it. What the room itself lacks is read again.
    private mutating func leavesHole(_ answer: RoomReading, to query: Query) -> Bool {
        if case .all = answer.changes { return false }
        guard let timeline, answer.revision > timeline.revision else { return false }
        announced = max(announced, answer.revision)
        return query.since ?? published < published
    }

    /// Whoever stands at such a revision says what it has there.
    private mutating func compare() -> [Effect] {
        guard isShared, let timeline, timeline.canProve, timeline.revision > compared,
            timeline.revision.isMultiple(of: RoomTimeline.fingerprintInterval)
        else { return [] }
        compared = timeline.revision
        return [.compare(timeline.revision, fingerprint: timeline.fingerprint)]
    }

    /// Nothing that is here can be trusted: everybody gets what the store has.
    private mutating func rebuild(_ resume: (Subscription) -> Resume?) -> [Effect] {
        timeline = nil
        for (reader, subscription) in readers.sorted(by: { $0.key < $1.key }) {
            waiting.append(
                Waiting(reader: reader, request: nil, limit: subscription.limit, resume: resume(subscription)))
        }
        readers = [:]
        return [.cutLog] + settle()
    }

    /// The store's history is another: nothing that was known of it is so, and nobody's revision means anything.
    private mutating func renew(_ epoch: Epoch) -> [Effect] {
        guard epoch != self.epoch else { return [] }
        let (before, revision) = (self.epoch, published)
        self.epoch = epoch
        (published, announced, compared, reading) = (0, 0, 0, nil)
        access.renew()
        for index in waiting.indices { (waiting[index].asked, waiting[index].found) = (false, nil) }
        return rebuild { Resume(epoch: before, revision: revision, joined: $0.joined) }
    }

    /// The store could not be read: who waits is told so, and whoever is owed no answer is sent away to come back.
    private mutating func giveUp(_ error: WireError) -> [Effect] {
        reading = nil
        let told = waiting.map { waiting -> Effect in
            guard let (_, ref) = waiting.request else { return .close(waiting.reader, error) }
            return .answer(waiting.reader, .error(ref: ref, error))
        }
        let sent = readRequests.map { Effect.answer($0.reader, .error(ref: $0.request.ref, error)) }
        (waiting, readRequests) = ([], [])
        return told + sent
    }

    private mutating func read(tail: Int, since: Revision?) -> [Effect] {
        guard reading == nil else { return [] }
        for index in waiting.indices { waiting[index].asked = true }
        let query = Query(tail: tail, since: since, atMost: 2 * limits.rows)
        (reading, expected) = (query, announced)
        return [.read(query)]
    }
}

// MARK: - Readers

extension RoomState {
    private mutating func leave(_ reader: Reader) -> [Effect] {
        readers[reader] = nil
        access.leave(reader, list)
        let unserved = waiting.filter { $0.reader == reader }.compactMap(\.request?.ref)
        waiting.removeAll { $0.reader == reader }
        let left = WireError(.conflict, "unsubscribed before the answer to subscribe was there")
        return unserved.map { .answer(reader, .error(ref: $0, left)) } + settle()
    }

    /// A reader that fell off the outgoing log is no longer on the published line until it is brought back. One that was
    /// further than that when it was last brought back fell off before.
    private mutating func fallBehind(_ reader: Reader, at revision: Revision) -> [Effect] {
        guard let subscription = readers[reader], revision >= subscription.since else { return [] }
        readers[reader] = nil
        let resume = Resume(epoch: epoch, revision: revision, joined: subscription.joined)
        waiting.append(Waiting(reader: reader, request: nil, limit: subscription.limit, resume: resume))
        return settle()
    }

    /// Publishes what is new, then serves who waits, and asks the store for what either lacks.
    private mutating func settle() -> [Effect] {
        let effects = isFrequented ? attend() : []
        if !isFrequented {
            timeline = nil
            access.forget()
        }
        return effects
    }

    /// Whether anybody follows it or waits for something.
    private var isFrequented: Bool {
        !readers.isEmpty || !waiting.isEmpty || !readRequests.isEmpty || !access.isEmpty
    }

    private mutating func attend() -> [Effect] {
        guard let timeline else { return read(tail: rowsWanted, since: oldestResume) }
        guard timeline.revision >= announced, timeline.canProve else {
            return read(tail: rowsWanted, since: min(published, oldestResume ?? published))
        }
        return review() + publish(timeline) + serve(timeline) + runReadRequests()
    }

    private mutating func publish(_ timeline: RoomTimeline) -> [Effect] {
        guard timeline.revision > published else { return [] }
        let base = published
        published = timeline.revision
        guard !readers.isEmpty else { return [] }
        // More happened than the room could follow, which takes another server. How far each reader has got, the log knows.
        return [timeline.diff(since: base).map(Effect.publish) ?? .cutLog]
    }

    private mutating func serve(_ timeline: RoomTimeline) -> [Effect] {
        var effects: [Effect] = []
        var unserved: [Waiting] = []
        for reader in waiting {
            if let (visitor, ref) = reader.request, let refusal = refusal(of: visitor, .read) {
                effects.append(.turnAway(reader.reader, list, visit: visitor.visit, ref: ref, refusal))
                continue
            }
            guard
                let delivery = ListDelivery(
                    to: reader.resume, limit: reader.limit, of: timeline, epoch, beyond: reader.found)
            else {
                unserved.append(reader)
                continue
            }
            readers[reader.reader] = Subscription(
                limit: reader.limit, joined: delivery.joined, since: delivery.revision)
            if let (visitor, _) = reader.request, let frame = access.admit(reader.reader, visitor, to: list) {
                effects.append(.tell(reader.reader, frame))
            }
            effects.append(.deliver(reader.reader, ref: reader.request?.ref, delivery))
        }
        waiting = unserved
        guard !unserved.isEmpty else { return effects }
        return effects + read(tail: rowsWanted, since: min(oldestResume ?? published, published))
    }

    /// A page that was read a while ago, as of what is published by now: whoever follows the room holds that or will.
    /// `nil` when too much has happened since: it is to be read again.
    package func bring(_ page: ListPage<Message>) -> ListPage<Message>? {
        guard page.revision < published, let timeline else { return page }
        return timeline.bring(page)
    }

    private var rowsWanted: Int {
        max(2 * ListDigest.window, waiting.map(\.limit).max() ?? 0)
    }

    /// Of those of whom it is not known yet that they get a snapshot.
    private var oldestResume: Revision? {
        waiting.compactMap { $0.found == nil && $0.resume?.epoch == epoch ? $0.resume?.revision : nil }.min()
    }
}

extension RoomReading.Changes {
    /// Why a reader whose revision these do not reach back to gets a snapshot.
    fileprivate var why: ServerFrame.SnapshotReason {
        switch self {
        case .future: .future
        case .gone: .gone
        case .none, .all, .tooMany: .smaller
        }
    }
}
