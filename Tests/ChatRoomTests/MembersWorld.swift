import ChatRoom
import ChatWire
import Replicas
import TestSupport

/// A room's members among people who come and go, in a time that jumps from event to event.
struct MembersWorld {
    static let epoch = Epoch("m")!
    /// Follows the list from the beginning to the end.
    static let witness = Reader(0)

    let policy: MembersPolicy
    private(set) var state: MembersState
    private(set) var now = Duration.zero
    private(set) var complaints: [String] = []
    private(set) var published: [(time: Duration, diff: ListDiff<Member>)] = []
    private(set) var followers: [Reader: Replica<Member>] = [:]
    /// The witness's rows at each revision.
    private(set) var history: [Replica<Member>] = []
    /// The last wake that the state asked for.
    private(set) var wake: Duration?
    private(set) var answers: [ServerFrame] = []
    private(set) var lastReason: ServerFrame.SnapshotReason?

    private var random: SplitMix64
    private var returning: [Reader: Replica<Member>] = [:]
    private var lastReader: UInt64 = 0
    private var lastRef: UInt64 = 0

    // The facts, in the plainest form.
    private var connections: [Reader: UserName] = [:]
    private var left: [UserName: Duration] = [:]
    private var typing: [UserName: Duration] = [:]
    private var read: [UserName: Revision] = [:]
    /// The memberships as the store has them; `nil` for a list that was not asked for them.
    private(set) var stored: [UserName: RoomMember]?
    /// The queries that were not answered yet, and the store's answers, which may be of the time of the query or later.
    private var queries: [(query: MembersQuery, number: UInt64, early: MembersReading?)] = []

    init(
        seed: UInt64 = 0, policy: MembersPolicy = MembersPolicy(), memberships stored: [UserName: RoomMember]? = nil
    ) {
        random = SplitMix64(seed: seed)
        self.policy = policy
        self.stored = stored
        state = MembersState(room: RoomName("lobby")!, epoch: Self.epoch, policy: policy)
        if stored != nil {
            perform(.membershipsRequested)
            answerQuery()
        }
        perform(.subscribe(Self.witness, ref: 0, nil))
    }

    var held: Replica<Member> { history[history.count - 1] }

    /// Lets time pass, with every wake in it.
    mutating func pass(_ span: Duration) {
        let end = now + span
        while let next = wake, next <= end {
            now = max(now, next)
            wake = nil
            perform(.woken)
        }
        now = end
    }

    mutating func perform(_ input: MembersState.Input) {
        for effect in state.handle(input, at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: MembersState.Effect) {
        switch effect {
        case .answer(_, let frame): answers.append(frame)
        case .wake(let time): wake = time
        case .share: complaints.append("told other servers, of which there are none")
        case .mark, .membershipsUnavailable: break
        case .load(let query, let number):
            queries.append((query, number, Bool.random(using: &random) ? reading(query) : nil))
        case .deliver(let reader, _, let delivery): deliver(delivery, to: reader)
        case .publish(let diff):
            if let last = published.last, now - last.time < policy.tick { complaints.append("two diffs in a tick") }
            published.append((now, diff))
            for reader in followers.keys { apply(diff, to: reader) }
            check()
        }
    }

    private mutating func deliver(_ delivery: ListDelivery<Member>, to reader: Reader) {
        switch delivery {
        case .diff(let diff, _):
            followers[reader] = returning.removeValue(forKey: reader)
            complaints += diff.superfluities(since: followers[reader])
            apply(diff, to: reader)
        case .snapshot(let snapshot, let why, let joined):
            lastReason = why
            let frame = ServerFrame.Snapshot<Member>(epoch: Self.epoch, joined: joined, why: why, snapshot: snapshot)
            followers[reader] = try? Replica(frame)
            if followers[reader] == nil { complaints.append("a snapshot that contradicts itself") }
            if reader == Self.witness, let replica = followers[reader] { history.append(replica) }
        }
    }

    private mutating func apply(_ diff: ListDiff<Member>, to reader: Reader) {
        do {
            try followers[reader]?.apply(diff, epoch: Self.epoch)
        } catch {
            complaints.append("\(reader): \(error)")
        }
        if reader == Self.witness, let replica = followers[reader] { history.append(replica) }
    }
}

extension ListDiff<Member> {
    /// Returns the operations that a reader of this replica did not need.
    fileprivate func superfluities(since replica: Replica<Member>?) -> [String] {
        guard let replica else { return ["a diff for a reader that holds nothing"] }
        let old = Set(replica.rows.map(\.id))
        return deletions.filter { !old.contains($0) }.map { "\($0) was deleted, and not there" }
            + insertions.map(\.id).filter(old.contains).map { "\($0) was inserted, and there" }
            + (moves.map(\.id) + reconfigurations.map(\.id)).filter { !old.contains($0) }.map { "\($0) is not there" }
    }
}

// MARK: - People's actions

extension MembersWorld {
    static let names = (0..<14).map { UserName("p\($0)")! }

    mutating func step() {
        pass(.milliseconds(Int.random(in: 0...900, using: &random)))
        let name = Self.names.randomElement(using: &random)!
        if stored != nil, Bool.random(using: &random) { return actAsMember(name) }
        switch Int.random(in: 0..<25, using: &random) / 2 {
        case 0, 1, 2: come(name)
        case 3, 4: if let reader = anyConnection() { leave(reader) }
        case 5, 6: if let reader = anyConnection() { type(reader, Bool.random(using: &random) ? .on : .off) }
        case 7: say(name)
        case 8: if let reader = anyConnection() { read(reader, Revision.random(in: 0...20, using: &random)) }
        case 9: follow(from: Bool.random(using: &random) ? nil : history.randomElement(using: &random))
        case 10: fallBehind()
        case 12: renew()
        default: stopFollowing()
        }
    }

    /// The room's messages get another history.
    private mutating func renew() {
        read = [:]
        perform(.renewed)
    }

    private mutating func anyConnection() -> Reader? {
        connections.keys.sorted { $0.rawValue < $1.rawValue }.randomElement(using: &random)
    }

    @discardableResult
    mutating func come(_ name: UserName) -> Reader {
        lastReader += 1
        let reader = Reader(lastReader)
        connections[reader] = name
        perform(.came(reader, name))
        return reader
    }

    mutating func leave(_ reader: Reader) {
        if let name = connections.removeValue(forKey: reader) { left[name] = now }
        perform(.left(reader))
    }

    mutating func type(_ reader: Reader, _ direction: ClientFrame.Switch) {
        if let name = connections[reader] { typing[name] = direction == .on ? now + policy.typing : nil }
        perform(.typing(reader, ref: 1, direction))
    }

    mutating func say(_ name: UserName) {
        typing[name] = nil
        perform(.said(name))
    }

    mutating func read(_ reader: Reader, _ revision: Revision, of head: Revision = 20) {
        if let name = connections[reader], revision <= head { read[name] = max(read[name] ?? 0, revision) }
        perform(.read(reader, ref: 2, revision, of: head))
    }

    @discardableResult
    mutating func follow(from replica: Replica<Member>?) -> Reader {
        lastReader += 1
        returning[Reader(lastReader)] = replica
        perform(.subscribe(Reader(lastReader), ref: 3, replica?.resume()))
        return Reader(lastReader)
    }

    private mutating func fallBehind() {
        guard let reader = followers.keys.filter({ $0 != Self.witness }).min(by: { $0.rawValue < $1.rawValue }),
            let replica = history.randomElement(using: &random)
        else { return }
        returning[reader] = replica
        perform(.behind(reader, replica.revision))
    }

    private mutating func stopFollowing() {
        guard let reader = followers.keys.filter({ $0 != Self.witness }).min(by: { $0.rawValue < $1.rawValue })
        else { return }
        followers[reader] = nil
        perform(.unsubscribe(reader))
    }
}

// MARK: - Memberships

extension MembersWorld {
    private func reading(_ query: MembersQuery) -> MembersReading {
        let stored = stored ?? [:]
        let names = query.names + stored.keys.sorted().prefix(query.first)
        let people = names.compactMap { name in stored[name].map { (name, $0) } }
        let invited = stored.values.count { $0.kind == .invited }
        return MembersReading(
            MemberCounts(members: stored.count - invited, invited: invited), Dictionary(people) { $1 })
    }

    private mutating func answerQuery() {
        guard let next = queries.first else { return }
        queries.removeFirst()
        perform(.loaded(next.early ?? reading(next.query), number: next.number))
    }

    private mutating func actAsMember(_ name: UserName) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: answerQuery()
        case 2: set(RoomMember(name, .member, at: 5, read: read[name] ?? 0), of: name)
        case 3: set(RoomMember(name, .invited, at: 6, by: Self.names[0]), of: name)
        case 4: set(nil, of: name)
        case 5:
            guard let member = stored?[name] else { return }
            set(member.appointed([.moderate, .own, .none].randomElement(using: &random)!), of: name)
        case 6: perform(.membershipsInvalidated)
        default:
            guard let query = queries.first else { return }
            queries.removeFirst()
            perform(.loadingFailed(Bool.random(using: &random) ? nil : .superseded, number: query.number))
        }
    }

    private mutating func set(_ member: RoomMember?, of name: UserName) {
        stored?[name] = member
        perform(.membershipsChanged([name]))
    }

    mutating func remove(_ name: UserName) { set(nil, of: name) }

    /// Answers all queries, also those that follow.
    mutating func settleMemberships() {
        repeat {
            answerQuery()
            pass(policy.retry * 2)
        } while !queries.isEmpty
    }

    /// The differences between the list and a plain recount.
    func differencesFromRecount() -> [String] {
        let stored = stored ?? [:]
        let here = Set(Self.names.filter(isHere))
        let rest = stored.values.filter { !here.contains($0.user) }
        let guests = held.rows.filter { $0.section == .offline && stored[$0.id] == nil }
        let counts: [Member.Section: Int] = [
            .online: here.count, .offline: rest.count { $0.kind == .member } + guests.count,
            .invited: rest.count { $0.kind == .invited },
        ]
        var differences = held.counts == counts ? [] : ["counts \(held.counts ?? [:]), not \(counts)"]
        for row in held.rows {
            let member = stored[row.id]
            let light = Member.Light(
                isTyping: row.light.isTyping, read: row.light.read, since: member?.kind == .member ? member?.time : nil,
                role: member?.role ?? .none, inviter: member?.kind == .invited ? member?.inviter : nil)
            if row.light != light { differences.append("\(row), not \(light)") }
            if row.section != .online, let member, (row.section == .invited) != (member.kind == .invited) {
                differences.append("\(row.id) is in the section \(row.section)")
            }
        }
        guard stored.count <= policy.listed else { return differences }
        return differences + rest.filter { held[$0.user] == nil }.map { "\($0.user) has no row" }
    }
}

// MARK: - Checks

extension MembersWorld {
    func isHere(_ name: UserName) -> Bool {
        connections.values.contains(name) || left[name].map { $0 + policy.grace > now } ?? false
    }

    /// Checks that the published rows show the facts.
    private mutating func check() {
        for name in Self.names where !isHere(name) { typing[name] = nil }
        let rows = held.rows
        let here = Set(Self.names.filter(isHere))
        let online = rows.filter { $0.section == .online }
        let offline = rows.filter { $0.section == .offline }
        guard stored == nil else { return checkSections(here) }
        let counts = [Member.Section.online: here.count, .offline: offline.count, .invited: 0]
        expect(held.counts == counts, "counts \(held.counts ?? [:])")
        expect(online.count == min(policy.shown, here.count), "\(online.count) are shown of \(here.count)")
        expect(here.isSuperset(of: online.map(\.id)), "somebody is shown who is not here")
        expect(offline.count <= policy.remembered, "\(offline.count) are remembered")
        expect(offline.allSatisfy { !here.contains($0.id) }, "somebody who is here is said not to be")
        expect(offline.allSatisfy { left[$0.id]! + policy.grace + policy.memory + policy.tick * 2 > now }, "a memory")
        for row in rows {
            expect(row.light.isTyping == (typing[row.id].map { $0 > now } ?? false), "\(row.id)'s typing")
            expect(row.light.read <= read[row.id] ?? 0, "\(row.id)'s mark")
        }
        for row in online { expect(row.light.read == read[row.id] ?? 0 || isReborn(row.id), "\(row.id)'s mark") }
        if history.count > 1 { checkSteadiness() }
    }

    /// Checks what holds also while changes of memberships are on their way.
    private mutating func checkSections(_ here: Set<UserName>) {
        let online = held.rows.filter { $0.section == .online }
        expect(held.counts?[.online] == here.count, "counts \(held.counts ?? [:])")
        expect(online.count == min(policy.shown, here.count), "\(online.count) are shown of \(here.count)")
        expect(here.isSuperset(of: online.map(\.id)), "a person is shown who is not here")
        expect(held.rows.allSatisfy { $0.section == .online || !here.contains($0.id) }, "a person who is here is away")
    }

    /// Returns whether the person, and the mark with them, may have been forgotten at some time.
    private func isReborn(_ name: UserName) -> Bool {
        history.contains { $0[name] == nil }
    }

    /// Checks that people who stay keep their place, and that nobody shown gives way to a later arrival.
    private mutating func checkSteadiness() {
        let before = history[history.count - 2]
        for row in held.rows where row.section == .online {
            guard let old = before[row.id], old.section == .online else { continue }
            expect(old.sort == row.sort, "\(row.id) moved for nothing")
        }
        for row in before.rows where row.section == .online && isHere(row.id) {
            expect(held[row.id]?.section == .online, "\(row.id) gave way")
        }
    }

    private mutating func expect(_ condition: Bool, _ what: String) {
        if !condition { complaints.append("at \(now), revision \(held.revision): \(what)") }
    }
}
