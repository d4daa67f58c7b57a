import RoomStore

/// The treatment of rows' sums by a statement that reads them.
enum SumRule {
    /// Rows are read as they are, in order to compare them with the operations.
    case ignored
    /// A sum is compared where there is one. Rows from before format 20 have none.
    case present
    /// A row without a sum is damaged.
    case required
}

/// The tables whose rows have sums, with the columns of which these are: see ``Query``.
enum RowSums: String, CaseIterable {
    case messages = "sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal"
    case operations = "revision, command, author, time, kind, target, text, role, subject, value, mentions, room"
    case rooms = """
        revision, count, slow, read_only, is_ruled, start, floor, inserted, title, topic, picture, activity, name
        """
    case memberships = "room, user, joined, time, read, pinned, silenced, archived, marked, inviter"
    case standings = "user, role, muted, banned, kicked, room"
    case tombstones = "id, sort, changed, room"
    case profiles = "name, picture, second, user"
    case pins = "room, entries"
    case drafts = "user, place, time, content"
    case later = "user, id, due, held, role, item"
    case blocks = "user, blocked, direct, time"

    var table: String { "\(self)" }
    /// The sum that a row should have. An operation's drift, which format 21 added, enters it unless it is 0: so the sums of
    /// before stay right.
    var right: String {
        switch self {
        case .operations: "CASE drift WHEN 0 THEN row_sum(\(rawValue)) ELSE row_sum(\(rawValue), drift) END"
        case .messages, .rooms, .memberships, .standings, .tombstones, .profiles, .pins, .drafts, .later, .blocks:
            "row_sum(\(rawValue))"
        }
    }

    /// The tables that a room's operations decide.
    static let derived: [RowSums] = [.messages, .rooms, .memberships, .standings, .tombstones, .pins]

    /// Selects the rows of the room `?1` whose sum is wrong.
    var wrong: String {
        "FROM \(table) WHERE \(self == .rooms ? "id" : "room") = ?1 AND sum <> \(right)"
    }

    /// Gives the rows of the room `?1` their right sums.
    var renewal: String {
        "UPDATE \(table) SET sum = \(right) WHERE \(self == .rooms ? "id" : "room") = ?1 AND sum <> \(right)"
    }

    /// Gives all rows a sum that have none, after they were checked.
    static func complete(_ connection: borrowing Connection) throws(RoomStoreError) {
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            for sums in allCases {
                try connection.execute("UPDATE \(sums.table) SET sum = \(sums.right) WHERE sum = 0")
            }
            try connection.execute("UPDATE store SET summed = 1")
        }
    }
}
