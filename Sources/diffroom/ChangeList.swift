import ChatClient
import ChatWire
import Replicas

/// The kind of change to one message.
enum ChangeKind: String {
    case inserted
    case deleted
    case reloaded
    case reconfigured
    case moved

    var sign: Character {
        switch self {
        case .inserted: "+"
        case .deleted: "-"
        case .reloaded: "~"
        case .reconfigured: "*"
        case .moved: ">"
        }
    }
}

/// An entry of a change: a message, or messages that are not loaded.
enum ChangeEntry {
    case message(ChangeKind, Message)
    /// A gap that is new. It stands before the entries of the messages behind it.
    case gap(ListGap)
}

extension RoomChange {
    /// The entries of ``list``, and the new gaps in their places.
    var entries: [ChangeEntry] {
        var gaps = gaps.appeared[...]
        var entries: [ChangeEntry] = []
        for (kind, message) in list {
            while kind != .deleted, let gap = gaps.first, gap.before <= message.sort {
                entries.append(.gap(gap))
                gaps.removeFirst()
            }
            entries.append(.message(kind, message))
        }
        return entries + gaps.map { .gap($0) }
    }

    /// One entry for each change: deletions first, then the others in the order of the room.
    ///
    /// - Complexity: O(changes · log of the room).
    var list: [(ChangeKind, Message)] {
        var entries: [(ChangeKind, Message)] = []
        let kinds: [(ChangeKind, [MessageID])] = [
            (.inserted, changes.inserted), (.moved, changes.moved), (.reloaded, changes.reloaded),
            (.reconfigured, changes.reconfigured),
        ]
        for (kind, ids) in kinds { entries += ids.compactMap { view[$0] }.map { (kind, $0) } }
        entries.sort { ($0.1.section, $0.1.sort) < ($1.1.section, $1.1.sort) }
        return deleted.map { (.deleted, $0) } + entries
    }
}
