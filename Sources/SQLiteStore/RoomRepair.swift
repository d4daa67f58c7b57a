import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// Writes what puts a room's tables right. It runs within a transaction.
enum RoomRepair {
    /// Performs the repairs, in order.
    static func perform(
        _ repairs: [Repair], in room: Int64, over connection: borrowing Connection
    ) throws(RoomStoreError) {
        try write(repairs, in: room, over: connection)
        // Repaired rows have sums, or get them now.
        try perform(.sums, in: room, over: connection)
        if repairs.contains(where: \.isInLists) {
            // Clients may hold the wrong row, and have passed its revision.
            try connection.execute("UPDATE store SET epoch = '\(UniqueID.random())'")
        }
    }

    /// Writes the repairs, in order. Messages and memberships then lack their sums.
    static func write(
        _ repairs: [Repair], in room: Int64, over connection: borrowing Connection
    ) throws(RoomStoreError) {
        for repair in repairs { try perform(repair, in: room, over: connection) }
        if repairs.contains(where: \.isAboutPeople) { try perform(.sizes, in: room, over: connection) }
    }

    private static func perform(
        _ repair: Repair, in room: Int64, over connection: borrowing Connection
    ) throws(RoomStoreError) {
        for write in writes(for: repair) {
            let statement = try Statement(write.sql, on: connection)
            statement.bind(1, room)
            for (index, value) in write.values.enumerated() { value.bind(to: statement, Int32(index + 2)) }
            try statement.run()
        }
    }

    private static func writes(for repair: Repair) -> [Write] {
        switch repair {
        case .columns(let right): [columns(right), pins(right.configuration.pins)]
        case .standing(let user, let right): [standing(right, of: user)]
        case .membership(let user, let right): [membership(right, of: user)]
        case .message(let right): [message(right)]
        case .ordinal(let sort, let right):
            [
                Write(
                    "UPDATE messages SET ordinal = ?3 WHERE room = ?1 AND sort = ?2", .revision(sort),
                    .number(Int64(right)))
            ]
        case .mentions(let sort, let right):
            [Write(.removeMentions, .revision(sort))]
                + right.map { Write(.addMention, .text($0.user), .revision(sort), .text($0.author)) }
        case .tombstone(let revision, let right):
            [Write("DELETE FROM tombstones WHERE room = ?1 AND changed = ?2", .revision(revision))]
                + (right.map { [Write(.addTombstone, .revision(revision), .id($0.id), .revision($0.sort))] } ?? [])
        case .notDeleted(let sort): [Write("DELETE FROM deleted WHERE room = ?1 AND sort = ?2", .revision(sort))]
        case .lastSend(let user, let time):
            [Write("DELETE FROM last_sends WHERE room = ?1 AND user = ?2", .text("\(user)"))]
                + (time.map { [Write(.setLastSend, .text("\(user)"), .number($0))] } ?? [])
        case .sizes: [Write("DELETE FROM sizes WHERE room = ?1")]
        case .sums: RowSums.derived.map { Write($0.renewal) }
        case .commands:
            [
                Write("DELETE FROM commands WHERE room = ?1"),
                Write("INSERT INTO commands SELECT room, command, revision FROM operations WHERE room = ?1"),
            ]
        }
    }

    private static func columns(_ right: RoomColumns) -> Write {
        Write(
            .setRoom, .revision(right.revision), .number(Int64(right.count)), .number(right.configuration.slowMode),
            .number(right.configuration.isReadOnly ? 1 : 0), .number(right.isRuled ?? true ? 1 : 0),
            .number(Int64(right.inserted)), .text(right.configuration.title?.description),
            .text(right.configuration.topic?.description), .text(right.configuration.picture?.description),
            .number(right.activity?.rawValue ?? 0))
    }

    private static func pins(_ right: Pins) -> Write {
        right.isEmpty ? Write(.removePins) : Write(.setPins, .bytes(PinBytes.encoding(right)))
    }

    private static func standing(_ right: Standing, of user: UserName) -> Write {
        guard right != Standing() else { return Write(.removeStanding, .text("\(user)")) }
        return Write(
            .setStanding, .text("\(user)"), .number(Int64(right.role.rawValue)), .number(right.mutedUntil),
            .number(right.isBanned ? 1 : 0), .revision(right.kicked))
    }

    private static func membership(_ right: StoredMembership?, of user: UserName) -> Write {
        guard let right else { return Write(.removeMembership, .text("\(user)")) }
        return Write(
            """
            INSERT OR REPLACE INTO memberships(room, user, joined, time, read, pinned, silenced, archived, marked, inviter)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """, .text("\(user)"), .revision(right.joined), .number(right.time), .revision(right.read),
            .revision(right.settings.pinned ?? 0), .number(right.settings.isMuted ? 1 : 0),
            .number(right.settings.isArchived ? 1 : 0), .revision(right.settings.marked),
            .text(right.inviter?.description))
    }

    private static func message(_ right: RightRow) -> Write {
        Write(
            right.content == nil ? keepContent : replaceContent, .revision(right.sort), .revision(right.changed),
            .revision(right.reloaded), .time(right.edited), .bytes(LightBytes.encoding(right.light)),
            .number(Int64(right.ordinal)), .revision(right.content ?? 0), .text(right.text))
    }

    /// `?8` is the revision of the operation that has the text and the mentions, unless `?9` is the text.
    private static let replaceContent = """
        INSERT OR REPLACE INTO messages(
            room, sort, id, changed, reloaded, author, time, text, edited, reply, reactions, ordinal, mentions)
        SELECT ?1, ?2, sent.command, ?3, ?4, sent.author, sent.time, coalesce(?9, said.text), ?5, sent.target, ?6, ?7, said.mentions
        FROM operations AS sent JOIN operations AS said ON said.room = ?1 AND said.revision = ?8
        WHERE sent.room = ?1 AND sent.revision = ?2
        """

    private static let keepContent = """
        UPDATE messages SET changed = ?3, reloaded = ?4, edited = ?5, reactions = ?6, ordinal = ?7,
            (id, author, time, reply) =
                (SELECT command, author, time, target FROM operations WHERE room = ?1 AND revision = ?2)
        WHERE room = ?1 AND sort = ?2 AND ?8 = 0 AND ?9 IS NULL
        """

    /// A statement with its values from `?2` on; `?1` is the room.
    private struct Write {
        let sql: String
        let values: [Value]

        init(_ sql: String, _ values: Value...) { (self.sql, self.values) = (sql, values) }
        init(_ query: Query, _ values: Value...) { (sql, self.values) = (query.rawValue, values) }
    }

    /// A value of a statement.
    private enum Value {
        case number(Int64)
        case revision(UInt64)
        case time(Milliseconds?)
        case text(String?)
        case bytes([UInt8])
        case id(UniqueID)

        func bind(to statement: borrowing Statement, _ index: Int32) {
            switch self {
            case .number(let value): statement.bind(index, value)
            case .revision(let value): statement.bind(index, value)
            case .time(let value): statement.bind(index, value)
            case .text(let value): statement.bind(index, value)
            case .bytes(let value): statement.bind(index, value)
            case .id(let value): statement.bind(index, value)
            }
        }
    }
}
