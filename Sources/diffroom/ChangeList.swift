import ChatClient
import ChatWire

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

extension RoomChange {
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
