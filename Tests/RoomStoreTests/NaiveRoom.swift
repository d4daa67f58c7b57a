import ChatRoom
import ChatWire
import RoomStore

/// One room in the simplest form: every operation, and every state that there was. It shares nothing with the fold or
/// the stores.
struct NaiveRoom {
    /// `steps[r]` led to revision r + 1; `nil` where the list was trimmed.
    private var steps: [Operation?] = []
    /// `states[r]` is the list at revision r.
    private(set) var states: [[Message]] = [[]]
    private let limits: WireLimits
    private(set) var start: UInt64 = 0
    private(set) var floor: Revision = 0
    /// Of the steps, by index.
    private var forgotten: Set<Int> = []
    private var law: NaiveLaw
    private var members = NaiveMembers()
    /// The joins and leaves that changed nothing, by index.
    private var needless: Set<Int> = []

    init(limits: WireLimits) {
        self.limits = limits
        law = NaiveLaw(mostPins: limits.pins)
    }

    /// Returns a store's outcome of an operation, without the row.
    enum Verdict: Equatable {
        case committed(Revision)
        case repeated(Revision)
        case conflict
        case refused
    }

    mutating func apply(_ operation: Operation) -> Verdict {
        let known = steps.lastIndex { $0?.command == operation.command }
        if let index = known, let before = steps[index], !forgotten.contains(index) {
            let same = before.author == operation.author && isSame(operation.action, before.action)
            return same ? .repeated(Revision(index + 1)) : .conflict
        }
        guard law.allows(operation, states[states.count - 1]), members.allow(operation),
            let next = list(after: operation)
        else {
            return .refused
        }
        if revision == 0, operation.action == .leave { return .repeated(revision) }
        if members.isNeedless(operation) { needless.insert(steps.count) }
        members.take(operation, at: Revision(states.count))
        law.take(operation, at: Revision(states.count), states[states.count - 1])
        var step = operation
        if case .edit(let id, let edit) = operation.action, let row = next.first(where: { $0.id == id }) {
            let data = edit.data.map { "\($0)" } == "{}" ? edit.data : row.content.data
            step = Operation(
                command: operation.command, author: operation.author, role: operation.role, time: operation.time,
                action: .edit(id, ContentEdit(row.text, mentions: row.mentions, data: data)))
            step.instant = operation.instant
        }
        steps.append(step)
        states.append(next)
        return .committed(revision)
    }

    /// An edit is the same when all that it gives is what the other one left.
    private func isSame(_ action: RoomAction, _ before: RoomAction) -> Bool {
        guard case .edit(let id, let new) = action, case .edit(id, let old) = before else { return action == before }
        return (new.text == nil || (new.text, new.mentions) == (old.text, old.mentions))
            && (new.data == nil || new.data == (old.data ?? AppData("{}")))
    }

    private func list(after operation: Operation) -> [Message]? {
        var list = states[states.count - 1]
        let next = Revision(states.count)
        let place = list.firstIndex { $0.id == operation.message }
        switch operation.action {
        case .send(let content):
            list.append(
                Message(
                    id: operation.command, section: .history, sort: next, rev: next, author: operation.author,
                    time: operation.time, content: content))
        case .edit(_, let new):
            guard let place, list[place].author == operation.author else { return nil }
            let before = list[place].content
            if let text = new.text {
                list[place].content.text = text
                list[place].content.mentions = new.mentions
            }
            if let data = new.data { list[place].content.data = "\(data)" == "{}" ? nil : data }
            if list[place].content == before { break }
            list[place].edited = operation.time
            list[place].rev = next
        case .grow(_, let step):
            guard let place, mayGrow(list[place], step, operation) else { return nil }
            guard let grown = grown(list[place].content, step) else { return nil }
            (list[place].content, list[place].rev) = (grown, next)
        case .delete:
            guard let place else { return nil }
            list.remove(at: place)
        case .react(_, let emoji, let direction):
            guard let place, let light = reacted(list[place].light, emoji, operation.author, direction) else {
                return nil
            }
            if light == list[place].light { break }
            list[place].light = light
            list[place].rev = next
        case .summarize, .moderate, .join, .leave, .settings, .create: break
        }
        return list
    }

    /// Others than the author may only stop it: moderators, and those whom it mentions by name.
    private func mayGrow(_ message: Message, _ step: GrowthStep, _ operation: Operation) -> Bool {
        if message.author == operation.author { return true }
        guard case .close(.stopped) = step else { return false }
        return law.role(of: operation) >= .moderate || message.mentions.people.contains(operation.author)
    }

    private func grown(_ content: MessageContent, _ step: GrowthStep) -> MessageContent? {
        guard case .open? = content.growth else { return nil }
        var content = content
        switch step {
        case .append(let piece, at: let size):
            let bytes = Array(content.text.utf8)
            guard bytes.count == size, size + Array(piece.utf8).count <= limits.text else { return nil }
            content.text = String(decoding: bytes + Array(piece.utf8), as: UTF8.self)
        case .close(let ending): content.growth = ending.map { .ended($0) }
        }
        return content
    }

    private func reacted(
        _ light: Message.Light, _ emoji: String, _ user: UserName, _ direction: ClientFrame.Switch
    ) -> Message.Light? {
        var pairs = light.reactions.flatMap { reaction in reaction.users.map { (emoji: reaction.emoji, user: $0) } }
        let stands = pairs.contains { $0.emoji == emoji && $0.user == user }
        if stands == (direction == .on) { return light }
        if direction == .on {
            pairs.append((emoji, user))
        } else {
            pairs.removeAll { $0.emoji == emoji && $0.user == user }
        }
        var reactions: [Reaction] = []
        for pair in pairs {
            if let index = reactions.firstIndex(where: { $0.emoji == pair.emoji }) {
                reactions[index].users.append(pair.user)
            } else {
                reactions.append(Reaction(emoji: pair.emoji, users: [pair.user]))
            }
        }
        let names = reactions.flatMap(\.users).map { 3 + $0.description.utf8.count }
        let bytes = names + reactions.map { 24 + $0.emoji.utf8.count }
        let fits =
            reactions.count <= limits.reactions && reactions.allSatisfy { $0.users.count <= limits.reactors }
            && bytes.reduce(0, +) <= limits.reactionBytes
        return fits || direction == .off ? Message.Light(reactions: reactions) : nil
    }

    // MARK: - Readings

    func audit(before: Revision, limit: Int) -> AuditPage {
        var entries: [AuditEntry] = []
        for (index, operation) in steps.enumerated() where index + 1 < before {
            guard let operation, let deed = deed(index) else { continue }
            entries.append(
                AuditEntry(
                    revision: Revision(index + 1), time: operation.time, author: operation.author, deed: deed))
        }
        return AuditPage(entries: entries.suffix(limit), more: entries.count > limit)
    }

    private func deed(_ index: Int) -> AuditEntry.Deed? {
        switch steps[index]?.action {
        case .moderate(let moderation): return .moderated(moderation)
        case .delete(let id):
            let row = states[index].first { $0.id == id }
            return row.flatMap { $0.author == steps[index]?.author ? nil : .deleted(id, of: $0.author) }
        case .send, .edit, .grow, .react, .summarize, .join, .leave, .settings, .create, nil: return nil
        }
    }

    var revision: Revision { Revision(steps.count) }

    /// Returns the operations as a store has them.
    var operations: [CommittedOperation] {
        steps.indices.compactMap { index in
            guard let operation = steps[index], !forgotten.contains(index) else { return nil }
            var committed = CommittedOperation(revision: Revision(index + 1), operation: operation)
            committed.changesNothing = needless.contains(index)
            return committed
        }
    }

    /// - Parameter places: those of the pinned messages, which the store chooses.
    func reading(tail: Int, since: Revision?, atMost: Int, pinnedAt places: [UInt64]) -> RoomReading {
        let rows = states[states.count - 1]
        var rules = law.rules
        if let pins = law.pins(at: places, from: start) { rules.configuration.pins = pins }
        return RoomReading(
            revision: revision, count: rows.count, tail: rows.suffix(tail),
            changes: changes(since: since, atMost: atMost),
            rules: rules, start: start)
    }

    /// Later than before with each message, and no earlier than its time.
    private var activity: ActivityStamp {
        let stamp = steps.reduce(Int64(0)) { last, operation in
            if case .send = operation?.action { [last + 1, operation!.time * 512].max()! } else { last }
        }
        return ActivityStamp(known: stamp)!
    }

    mutating func mark(_ user: UserName, upTo revision: Revision) {
        members.mark(user, upTo: revision, of: self.revision)
    }

    /// `nil` for somebody who is not a member. What is unread is counted.
    func membership(of user: UserName, in name: RoomName) -> MembershipReading? {
        guard let member = members.all[user] else { return nil }
        let rows = states[states.count - 1]
        let unread = rows.filter { $0.sort > member.read }
        return MembershipReading(
            room: name, user: user, revision: revision, joined: member.joined, time: member.time, read: member.read,
            settings: member.settings, unread: unread.count,
            mentions: unread.count { row in
                row.author != user && (row.mentions.everyone || row.mentions.people.contains(user))
            },
            last: rows.last, activity: activity, standing: law.rules.standing(of: user), title: law.rules.title,
            picture: law.rules.picture)
    }

    func mentions(of user: UserName, in name: RoomName) -> [MentionReading] {
        states[states.count - 1].filter { row in
            row.author != user && (row.mentions.everyone || row.mentions.people.contains(user))
        }.map { row in
            let message = LastMessage(id: row.id, author: row.author, time: row.time, text: row.text)
            return MentionReading(
                room: name, sort: row.sort, message: message, at: steps[Int(row.sort) - 1]!.instant,
                read: members.all[user].flatMap { $0.joined == 0 ? nil : $0.read })
        }
    }

    private func changes(since: Revision?, atMost: Int) -> RoomReading.Changes {
        guard let since else { return .none }
        guard since < states.count else { return .future }
        guard since >= floor else { return .gone }
        let now = states[states.count - 1]
        var changes = now.filter { $0.rev > since }.map { RoomChange.row($0, reloaded: reloaded($0)) }
        for revision in states.indices.dropFirst(Int(since) + 1) where steps[revision - 1] != nil {
            let gone = states[revision - 1].filter { row in !states[revision].contains { $0.id == row.id } }
            changes += gone.map { .tombstone($0.id, sort: $0.sort, rev: Revision(revision)) }
        }
        return changes.count > atMost ? .tooMany : .all(changes.sorted { $0.rev < $1.rev })
    }

    /// Returns the revision that gave the row its text.
    private func reloaded(_ row: Message) -> Revision {
        let other = states.lastIndex { list in
            !list.contains { $0.id == row.id && $0.edited == row.edited && $0.content == row.content }
        }
        return Revision((other ?? 0) + 1)
    }

    // MARK: - Trimming

    /// Trims a whole pass.
    mutating func trim(_ rule: Retention.Rule, at now: Milliseconds, forgetting time: Milliseconds) {
        let rows = states[states.count - 1]
        let tooOld = rule.age.map { age in rows.prefix { $0.time < now - age }.count } ?? 0
        let tooMany = rule.messages.map { max(0, rows.count - $0) } ?? 0
        let gone = rows.prefix(max(tooOld, tooMany))
        if let last = gone.last {
            start = last.sort + 1
            steps.append(nil)
            states.append(Array(rows.dropFirst(gone.count)))
        }
        let before = floor
        while let next = steps[Int(floor)...].firstIndex(where: { $0 != nil }), let step = steps[next], step.time < time
        {
            floor = Revision(next + 1)
        }
        forgotten.formUnion((0..<Int(floor)).filter { isForgotten($0, before: before) })
    }

    /// Returns whether a step up to the floor is forgotten. Entries of the audit log and sends of existing messages are
    /// kept. A send that outlived the floor with its message is forgotten with the message or, if that was deleted,
    /// with its tombstone.
    private func isForgotten(_ index: Int, before: Revision) -> Bool {
        let last = states.lastIndex { $0.contains { $0.sort == Revision(index + 1) } } ?? 0
        if last == states.count - 1 || deed(index) != nil { return false }
        return index >= before || steps[last] == nil || last < floor
    }
}
