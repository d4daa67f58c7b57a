import ChatWire

/// A line about the user's own settings of the room shown, or about all their rooms. It is the same on the screen and
/// without one.
///
/// A room is silenced and not muted: `/mute NAME` is a moderator's, and takes a person's right to write.
enum SettingLine: Equatable {
    /// Gives the room a place among the pinned ones, counted from 1; `nil` is the last one.
    case pin(Int?)
    case change(SettingsChange)
    /// Marks the room as unread from one of its last messages on, counted from 1.
    case unread(last: Int)
    /// Marks all rooms as read.
    case readAll

    static let manual = """
          /pin [N]          pin this room, to the N-th place of those that are; /unpin
          /silence          no bell for this room; mentions are counted; /unsilence
          /archive          put this room away; /unarchive
          /unread [N]       mark this room as unread, or the last N messages of it
          /readall          mark all your rooms as read
        """

    /// Reads a line; `nil` for a command of another kind.
    ///
    /// - Throws: the remedy.
    init?(command: String, _ rest: String) throws(InputError) {
        let text = rest.trimmed
        switch command {
        case "pin":
            self = .pin(try Self.place(text))
            return
        case "unpin": self = .change(SettingsChange(pinned: .off))
        case "silence": self = .change(SettingsChange(isMuted: true))
        case "unsilence": self = .change(SettingsChange(isMuted: false))
        case "archive": self = .change(SettingsChange(isArchived: true))
        case "unarchive": self = .change(SettingsChange(isArchived: false))
        case "unread" where !text.isEmpty:
            self = .unread(last: try Self.count(text))
            return
        case "unread": self = .change(SettingsChange(isMarked: true))
        case "readall": self = .readAll
        default: return nil
        }
        guard text.isEmpty else { throw InputError("usage: /\(command), with nothing behind it\(Self.hint(command))") }
    }

    private static func hint(_ command: String) -> String {
        command == "readall" ? "" : ", in the room"
    }

    private static func count(_ text: String) throws(InputError) -> Int {
        guard let count = Int(text), count > 0 else {
            throw InputError("usage: /unread, or /unread N for the last N messages: \(text) is no number of messages")
        }
        return count
    }

    /// Reads a place; `nil` if there is none.
    private static func place(_ text: String) throws(InputError) -> Int? {
        if text.isEmpty { return nil }
        guard let place = Int(text), place > 0 else {
            throw InputError("usage: /pin, or /pin N for the N-th place: \(text) is no place, 1 is the first one")
        }
        return place
    }
}

extension SettingsChange {
    /// The confirmation of the change, for the person who made it.
    var phrase: String {
        let facts = [
            isArchived.map { $0 ? "archived" : pinned == nil ? "no longer archived" : nil } ?? nil,
            pinned.map { $0 == .off ? "no longer pinned" : "pinned" },
            isMuted.map { $0 ? "silenced" : "no longer silenced" },
            isMarked.map { $0 ? "marked as unread" : "no longer marked as unread" },
        ]
        return facts.compactMap(\.self).joined(separator: ", ")
    }
}
