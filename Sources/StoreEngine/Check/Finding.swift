package import ChatRoom
package import ChatWire

/// A difference between a room's tables and its operations.
package struct Finding: Sendable {
    /// The stored value and the right one, in one line.
    package let text: String
    /// Puts it right; empty if the operations do not say how.
    package let repairs: [Repair]
    /// The value that a repair cannot know, and the one that it writes instead; `nil` if it knows all.
    package let caveat: String?

    package init(_ text: String, _ repairs: [Repair] = [], caveat: String? = nil) {
        (self.text, self.repairs, self.caveat) = (text, repairs, caveat)
    }
}

extension Finding {
    /// Compares the sizes that a store keeps of a room's tables with their rows.
    ///
    /// - Parameter kept: `nil` if the tables were not counted.
    /// - Returns: `nil` if there is no difference.
    package init?(sizes kept: RoomSizes?, counted: RoomSizes) {
        guard let kept, kept != counted else { return nil }
        let tables: [(String, Int, Int)] = [
            ("members", kept.members, counted.members), ("standings", kept.standings, counted.standings),
            ("senders in slow mode", kept.senders, counted.senders),
        ]
        let differences = tables.filter { $1 != $2 }.map { "\($1) \($0) are counted, and there are \($2)" }
        self.init(differences.joined(separator: "; "), [.sizes])
    }
}

/// One write that puts a derived table right.
package enum Repair: Sendable {
    case columns(RoomColumns)
    /// A default standing has no row.
    case standing(UserName, Standing)
    case membership(UserName, StoredMembership?)
    case message(RightRow)
    case ordinal(sort: UInt64, Int)
    case mentions(sort: UInt64, [MentionRow])
    case tombstone(Revision, StoredTombstone?)
    /// The sort key is no forgotten deletion.
    case notDeleted(sort: UInt64)
    case lastSend(UserName, Milliseconds?)
    /// The sizes of the tables of people are forgotten, and counted when they are needed.
    case sizes
    /// The table of commands is made anew from the operations.
    case commands
    /// The checksums of the room's rows are made anew, after all else was put right.
    case sums

    /// Whether it may change the number of rows in a table of people.
    package var isAboutPeople: Bool {
        switch self {
        case .standing, .membership, .lastSend: true
        case .columns, .message, .ordinal, .mentions, .tombstone, .notDeleted, .sizes, .commands, .sums: false
        }
    }

    /// Whether clients hold the row, so that they must start over to see the repair.
    package var isInLists: Bool {
        switch self {
        case .message, .tombstone: true
        case .columns, .standing, .membership, .ordinal, .mentions, .notDeleted, .lastSend, .sizes, .commands, .sums:
            false
        }
    }
}

/// The right values of a message's row. The rest of it is copied from the operation that sent it.
package struct RightRow: Equatable, Sendable {
    /// The sort key, which is the revision of the send.
    package let sort: UInt64
    /// The revision of the operation that has the text and the mentions; `nil` to keep those of the row.
    package var content: Revision?
    /// The content, as ``ChatWire/MessageContent/stored``, of an open message: no operation has all of it.
    package var text: String?
    package var edited: Milliseconds?
    package var changed: Revision
    package var reloaded: Revision
    package var light: Message.Light
    package var ordinal: Int
}
