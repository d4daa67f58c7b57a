import ChatRoom
import ChatWire
import RoomStore

/// A room's list in the plainest form: every state that there was, whole. It shares nothing with the fold or the stores.
struct PlainList {
    /// `states[r]` is the list at revision r.
    private(set) var states: [[Message]] = [[]]
    /// Changes up to this revision may be forgotten.
    private(set) var floor: Revision = 0
    /// When each revision was made; `nil` where the list was trimmed.
    private var times: [Milliseconds?] = [nil]

    var revision: Revision { Revision(states.count - 1) }
    var rows: [Message] { states[states.count - 1] }

    subscript(revision: Revision) -> [Message] { states[Int(revision)] }

    /// Returns whether the operation was accepted.
    mutating func apply(_ operation: Operation) -> Bool {
        let place = rows.lastIndex { $0.id == operation.message }
        guard let next = list(after: operation, at: place) else { return false }
        states.append(next)
        times.append(operation.time)
        return true
    }

    private func list(after operation: Operation, at place: Int?) -> [Message]? {
        var (rows, next) = (rows, revision + 1)
        switch (operation.action, place) {
        case (.send(let content), nil):
            rows.append(
                Message(
                    id: operation.command, section: .history, sort: next, rev: next, author: operation.author,
                    time: operation.time, content: content))
        case (.edit(_, let new), let place?)
        where rows[place].text != new.text || rows[place].mentions != new.mentions:
            (rows[place].content.text, rows[place].content.mentions) = (new.text ?? "", new.mentions)
            (rows[place].edited, rows[place].rev) = (operation.time, next)
        case (.react(_, let emoji, let direction), let place?)
        where rows[place].light.reactions.isEmpty == (direction == .on):
            let reactions = direction == .on ? [Reaction(emoji: emoji, users: [operation.author])] : []
            (rows[place].light.reactions, rows[place].rev) = (reactions, next)
        case (.grow(_, .append(let text, at: let size)), let place?)
        where rows[place].content.growth == .open && Array(rows[place].text.utf8).count == size:
            (rows[place].content.text, rows[place].rev) = (rows[place].text + text, next)
        case (.grow(_, .close(let ending)), let place?) where rows[place].content.growth == .open:
            (rows[place].content.growth, rows[place].rev) = (ending.map { .ended($0) }, next)
        case (.delete, let place?):
            rows.remove(at: place)
        case (.edit, _?), (.react, _?): break
        case (.edit, nil), (.grow, _), (.react, nil), (.delete, nil), (.send, _?), (.moderate, _), (.join, _),
            (.leave, _),
            (.settings, _), (.create, _), (.summarize, _):
            return nil
        }
        return rows
    }

    /// Trims a whole pass: each step takes so many rows, at a revision of its own.
    mutating func trim(to count: Int, forgettingBefore time: Milliseconds) {
        while rows.count > count {
            states.append(Array(rows.dropFirst(min(Trimming.entries, rows.count - count))))
            times.append(nil)
        }
        let forgotten = times.dropFirst(Int(floor) + 1).prefix { $0.map { $0 < time } ?? true }
        floor = Revision(forgotten.lastIndex { $0 != nil } ?? Int(floor))
    }
}
