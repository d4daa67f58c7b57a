import ChatRoom
import ChatWire
import RoomStore

/// All that one disk ever made durable, as plainly as it can be kept: every state that the room had, whole.
struct Truth {
    /// Those within a large batch are empty: nobody can have seen them.
    private(set) var states = [Rows()]
    private(set) var rows = Rows()
    /// `nil` where the list was trimmed.
    private(set) var log: [Operation?] = []
    private(set) var commands: [CommandID: Revision] = [:]
    /// `laws[r]` held at revision r.
    private(set) var laws: [RoomRules]
    private var lastSends = LastSends()
    /// The people of the room, and their marks.
    private(set) var roster = Roster()
    private(set) var changes: [RowChange] = [.nothing]
    private var isUnseen = false
    /// Where the list began at each revision.
    private var starts: [UInt64] = [0]
    private var proofs = [ListProof(count: 0, digest: 0)]
    /// The mutes, by the world's own time.
    private var mutes = Mutes()
    /// When something was last said, in 512ths of a millisecond of the world's own time, which no clock shows. Each message
    /// raises it.
    private(set) var activity: Int64 = 0
    /// When people became members or were invited, in the world's own time.
    private var arrivals: [[UInt8]: Milliseconds] = [:]
    /// Each message that ever mentioned anybody, with every text and every mention that it had.
    private(set) var versions: [MessageID: [Message]] = [:]
    /// True if nobody can have seen a state.
    private(set) var isHidden = [false]
    /// What was done to people that nobody said, or by somebody who was taken for another, if there is anything.
    private(set) var confusion: String?

    init(of kind: RoomName.Kind) {
        laws = [RoomRules(of: kind)]
    }

    var kind: RoomName.Kind { laws[0].kind }
    var revision: Revision { Revision(log.count) }

    /// Returns the outcome of an operation, and notes the operation if it changes something.
    ///
    /// - Parameter now: the world's own time.
    mutating func commit(_ operation: Operation, limits: WireLimits, at now: Milliseconds) -> CommitOutcome {
        let outcome = decide(operation, limits: limits, at: now)
        mutes.follow(operation, outcome, at: now)
        if mutes.confusion != nil { confusion = mutes.confusion }
        return outcome
    }

    private mutating func decide(_ operation: Operation, limits: WireLimits, at now: Milliseconds) -> CommitOutcome {
        makePlaces(for: operation, limits)
        if let before = commands[operation.command] {
            return log[Int(before) - 1]?.repeats(operation) == true ? .repeated(before) : .conflict
        }
        let row = operation.readSet(in: kind).message.flatMap { self.row($0, in: rows) }
        if laws[log.count].standing(of: operation.author) != roster.standing(of: operation.author) {
            confusion = "\(operation.author.bytes) acts as somebody else"
        }
        do throws(Refusal) {
            let change = try operation.fold(onto: base(of: operation, row), at: revision + 1, limits: limits)
            let isOfNoRoom = revision == 0 && operation.action == .leave
            if change == .nothing, isOfNoRoom || operation.action.isItsOwnRepeat { return .repeated(revision) }
            tell(apart: operation.author, from: row?.author, change)
            let before = roster
            if !roster.follow(operation, in: kind, at: revision + 1, told: change) {
                confusion = "\(operation) does to people what it does not say: \(change)"
            }
            for user in roster.arrivals(since: before) { arrivals[user] = now }
            append(change)
            if case .inserted = change { activity = max(activity + 1, now * 512) }
            log.append(operation)
            commands[operation.command] = revision
            if roster.standingCount > limits.standings {
                confusion = "\(roster.standingCount) people have a standing, of \(limits.standings)"
            }
            return .committed(revision, change)
        } catch {
            return .refused(error)
        }
    }

    private func base(of operation: Operation, _ row: Message?) -> FoldBase {
        let rules = laws[log.count]
        var configuration = rules.configuration
        // A message that retention trims is not pinned any more.
        configuration.pins = configuration.pins.since(starts[starts.count - 1])
        var base = FoldBase(operation.readSet(in: kind), of: configuration)
        _ = base.loadMessage { _ in row }
        base.loadStandings(rules.standing)
        base.loadMemberships(roster.membership)
        base.loadLastSend { lastSends[$0] }
        base.loadSizes { _ in RoomSizes(members: roster.count, standings: roster.standingCount) }
        return base
    }

    /// If as many people as may be have a standing, those go of whom it says no more than that they were put out long ago.
    private mutating func makePlaces(for operation: Operation, _ limits: WireLimits) {
        switch operation.action {
        case .moderate(.mute), .moderate(.kick), .moderate(.ban), .moderate(.unban), .moderate(.appoint),
            .moderate(.invite), .create:
            guard roster.standingCount >= limits.standings else { return }
        case .send, .edit, .grow, .delete, .react, .summarize, .join, .leave, .settings, .moderate: return
        }
        for user in laws[laws.count - 1].standings.keys {
            let standing = roster.standing(of: user)
            let isPutOutLately = standing.kicked > 0 && standing.kicked + Revision(limits.standings / 2) > revision
            let isIdle = standing.role == .none && !standing.isBanned && standing.mutedUntil <= operation.instant
            guard isIdle, !isPutOutLately else { continue }
            roster.forgetStanding(of: user)
            laws[laws.count - 1].standings[user] = nil
        }
    }

    private mutating func append(_ change: RowChange) {
        lastSends.apply(change, under: laws[laws.count - 1].configuration)
        switch change {
        case .inserted(let row, _, _):
            rows.append(row.plain)
            keep(row)
        case .reloaded(let row):
            rows[place(of: row.sort, in: rows)] = row
            keep(row)
        case .reconfigured(let row): rows[place(of: row.sort, in: rows)] = row
        case .deleted(_, let sort): rows.remove(at: place(of: sort, in: rows))
        case .ruled, .joined, .left, .settings, .affiliated, .created, .nothing: break
        }
        var rules = laws[laws.count - 1]
        rules.apply(change)
        laws.append(rules)
        note(change)
    }

    private mutating func keep(_ row: Message) {
        if !row.mentions.isEmpty || versions[row.id] != nil { versions[row.id, default: []].append(row) }
    }

    /// Carries out an operation after which nobody sees the room, until ``reveal()``.
    mutating func commitUnseen(
        _ operation: Operation, limits: WireLimits, at now: Milliseconds
    ) -> CommitOutcome {
        isUnseen = true
        defer { isUnseen = false }
        return commit(operation, limits: limits, at: now)
    }

    /// Nobody can know how much time has passed since the mutes began: the server was away, and its clock may have jumped.
    mutating func forgetMutes() { mutes = Mutes() }

    /// From now on the present state can be seen.
    mutating func reveal() {
        states[states.count - 1] = rows
        isHidden[states.count - 1] = false
    }

    mutating func mark(_ user: UserName, upTo revision: Revision) {
        roster.mark(user, upTo: min(revision, self.revision))
    }

    /// A message's row in a state, which has it at the revision of its send.
    private func row(_ id: MessageID, in state: Rows) -> Message? {
        guard let sort = commands[id] else { return nil }
        let place = place(of: sort, in: state)
        return place < state.count && state[place].id == id ? state[place] : nil
    }

    func place(of sort: UInt64, in state: Rows) -> Int {
        var places = state.indices
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            places = state[middle].sort < sort ? middle + 1..<places.upperBound : places.lowerBound..<middle
        }
        return places.lowerBound
    }

    /// The instant at which a message was sent; 0 if it was trimmed.
    func instant(of sort: UInt64) -> Milliseconds {
        Int(sort) <= log.count ? log[Int(sort) - 1]?.instant ?? 0 : 0
    }

    /// When somebody became a member or was invited, in the world's own time.
    func arrival(of user: UserName) -> Milliseconds { arrivals[user.bytes] ?? 0 }

    /// The role in which somebody acts, whom a token grants to write everywhere.
    func role(of user: UserName) -> Role { roster.standing(of: user).role(granted: .write, in: kind) }

    /// True if a person who did not write the message may have changed it so.
    private mutating func tell(apart user: UserName, from author: UserName?, _ change: RowChange) {
        guard let author, author.bytes != user.bytes else { return }
        switch change {
        case .reloaded: confusion = "\(user.bytes) edits what \(author.bytes) wrote"
        case .deleted where role(of: user) < .moderate:
            confusion = "\(user.bytes) deletes what \(author.bytes) wrote"
        case .deleted, .inserted, .reconfigured, .ruled, .joined, .left, .settings, .affiliated, .created, .nothing:
            break
        }
    }

    /// The list's first rows go, up to so many that are left, and not more than a store lets go of at once.
    mutating func trim(to count: Int) {
        let gone = rows.dropLast(count).prefix(Trimming.entries)
        guard let last = gone.last else { return }
        log.append(nil)
        laws.append(laws[laws.count - 1])
        rows.removeFirst(gone.count)
        note(.nothing)
        starts[starts.count - 1] = last.sort + 1
    }

    private mutating func note(_ change: RowChange) {
        states.append(isUnseen ? Rows() : rows)
        isHidden.append(isUnseen)
        changes.append(change)
        starts.append(starts[starts.count - 1])
        proofs.append(ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value))
    }

    /// In the order in which they were carried out. The creation of a direct room that is there is none of them, nor is what a
    /// server did in the author's name.
    func commands(of author: UserName) -> [CommandID] {
        log.compactMap(\.self).filter { operation in
            operation.author.bytes == author.bytes
                && !operation.action.isItsOwnRepeat && !operation.action.isInterruption
        }.map(\.command)
    }

    func proof(at revision: Revision) -> ListProof {
        proofs[Int(revision)]
    }

    /// Messages that were touched since a revision.
    func touched(since base: Revision, upTo target: Revision) -> Set<MessageID> {
        Set(log[Int(base)..<Int(target)].compactMap { $0?.message })
    }

    /// The net difference between two states, found by looking at both.
    func diff(from base: Revision, to target: Revision) -> ListDiff<Message> {
        var diff = ListDiff<Message>(from: base, to: target, proof: proof(at: target))
        var reloaded: Set<MessageID> = []
        var deleted: Set<MessageID> = []
        for change in changes[Int(base)...Int(target)].dropFirst() {
            if case .reloaded(let row) = change { reloaded.insert(row.id) }
            if case .deleted(let id, _) = change { deleted.insert(id) }
        }
        diff.start = starts[Int(target)]
        for id in touched(since: base, upTo: target) {
            let old = row(id, in: states[Int(base)])
            let new = row(id, in: states[Int(target)])
            switch (old, new) {
            case (nil, nil): break
            case (nil, let new?): diff.insertions.append(new)
            case (_?, nil): if deleted.contains(id) { diff.deletions.append(id) }
            case (let old?, let new?) where old.rev == new.rev: break
            case (_?, let new?) where reloaded.contains(id): diff.reloads.append(new)
            case (_?, let new?):
                diff.reconfigurations.append(ListReconfiguration(id: id, rev: new.rev, light: new.light))
            }
        }
        return diff
    }
}

extension ListDiff<Message> {
    /// The diff in one order and with every row in one section, as a reader does not look at either.
    var plain: Self {
        var plain = self
        plain.deletions.sort()
        plain.insertions = insertions.map(\.plain).sorted { $0.sort < $1.sort }
        plain.reloads = reloads.map(\.plain).sorted { $0.sort < $1.sort }
        plain.reconfigurations.sort { $0.id < $1.id }
        return plain
    }
}

extension Message {
    /// The message in the section in which the store has it.
    var plain: Message {
        var message = self
        message.section = .history
        return message
    }
}
