import ChatRoom
import ChatWire
import RoomStore

/// One room as the simplest program would keep it: every operation, and every state that there was. It shares nothing
/// with the fold or the stores.
struct NaiveRoom {
    private(set) var accepted: [Operation] = []
    /// `states[r]` is the list at revision r.
    private(set) var states: [[Message]] = [[]]
    private let limits: WireLimits
    private var law = NaiveLaw()

    init(limits: WireLimits) {
        self.limits = limits
    }

    /// What a store says of it, without the row that it would show.
    enum Verdict: Equatable {
        case committed(Revision)
        case repeated(Revision)
        case conflict
        case refused
    }

    mutating func apply(_ operation: Operation) -> Verdict {
        if let index = accepted.firstIndex(where: { $0.command == operation.command }) {
            let before = accepted[index]
            let same = before.author == operation.author && before.action == operation.action
            return same ? .repeated(Revision(index + 1)) : .conflict
        }
        guard law.allows(operation, states[states.count - 1]), let next = list(after: operation) else {
            return .refused
        }
        law.take(operation, at: Revision(states.count))
        accepted.append(operation)
        states.append(next)
        return .committed(Revision(accepted.count))
    }

    private func list(after operation: Operation) -> [Message]? {
        var list = states[states.count - 1]
        let next = Revision(states.count)
        let place = list.firstIndex { $0.id == operation.message }
        switch operation.action {
        case .send(let text, let replyTo):
            list.append(
                Message(
                    id: operation.command, section: .history, sort: next, rev: next, author: operation.author,
                    time: operation.time, text: text, replyTo: replyTo))
        case .edit(_, let text):
            guard let place, list[place].author == operation.author else { return nil }
            if list[place].text == text { break }
            list[place].text = text
            list[place].edited = operation.time
            list[place].rev = next
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
        case .moderate: break
        }
        return list
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
        let fits = reactions.count <= limits.reactions && reactions.allSatisfy { $0.users.count <= limits.reactors }
        return fits ? Message.Light(reactions: reactions) : nil
    }

    // MARK: - Readings

    func audit(before: Revision, limit: Int) -> AuditPage {
        var entries: [AuditEntry] = []
        for (index, operation) in accepted.enumerated() where index + 1 < before {
            let deed: AuditEntry.Deed
            switch operation.action {
            case .moderate(let moderation): deed = .moderated(moderation)
            case .delete(let id):
                guard let row = states[index].first(where: { $0.id == id }), row.author != operation.author
                else { continue }
                deed = .deleted(id, of: row.author)
            case .send, .edit, .react: continue
            }
            entries.append(
                AuditEntry(
                    revision: Revision(index + 1), time: operation.time, author: operation.author, deed: deed))
        }
        return AuditPage(entries: entries.suffix(limit), more: entries.count > limit)
    }

    func reading(tail: Int, since: Revision?, atMost: Int) -> RoomReading {
        let rows = states[states.count - 1]
        return RoomReading(
            revision: Revision(accepted.count), count: rows.count, tail: rows.suffix(tail),
            changes: changes(since: since, atMost: atMost),
            rules: law.rules)
    }

    private func changes(since: Revision?, atMost: Int) -> RoomReading.Changes {
        guard let since else { return .none }
        guard since < states.count else { return .future }
        let now = states[states.count - 1]
        var changes = now.filter { $0.rev > since }.map { RoomChange.row($0, reloaded: reloaded($0)) }
        for revision in states.indices.dropFirst(Int(since) + 1) {
            let gone = states[revision - 1].filter { row in !states[revision].contains { $0.id == row.id } }
            changes += gone.map { .tombstone($0.id, sort: $0.sort, rev: Revision(revision)) }
        }
        return changes.count > atMost ? .tooMany : .all(changes.sorted { $0.rev < $1.rev })
    }

    /// The revision since which the row has had its text.
    private func reloaded(_ row: Message) -> Revision {
        let other = states.lastIndex { list in !list.contains { $0.id == row.id && $0.edited == row.edited } }
        return Revision((other ?? 0) + 1)
    }
}
