import ChatRoom
import ChatWire
import RoomStore

/// A room's row in the table of rooms.
struct StoredRoom {
    let kind: RoomName.Kind
    /// `nil` before the room's first operation, when it has no row.
    var id: Int64?
    var revision: Revision = 0
    /// The number of rows in its list.
    var count = 0
    var slowMode: Milliseconds = 0
    var isReadOnly = false
    var title: RoomTitle?
    var topic: RoomTopic?
    var picture: Picture?
    /// True when any user has, or had, a standing of their own.
    var isRuled = false
    /// The beginning of its list. Rows with smaller sort keys were trimmed.
    var start: UInt64 = 0
    /// Operations up to this revision may be forgotten.
    var floor: Revision = 0
    /// The number of messages that ever came into its list: the ordinal of the last one.
    var inserted = 0
    /// See ``ChatRoom/RowChange/activity(after:)``.
    var activity = ActivityStamp.none
    var pins = Pins()
    /// True when the row must be written.
    var isChanged = false
}

extension Statement {
    init(_ query: Query, on connection: borrowing Connection, sums: SumRule? = nil) throws(RoomStoreError) {
        try self.init(query.rawValue, on: connection, sums: sums)
    }

    /// Returns the result of ``Query/room``.
    borrowing func room(named name: RoomName) throws(RoomStoreError) -> StoredRoom {
        bind(1, name.description)
        let room = try first { (row) throws(RoomStoreError) in
            try row.requireSum(of: 1..<14, in: 14)
            return StoredRoom(
                kind: name.kind, id: row.integer(0), revision: try row.revision(1), count: try row.count(2),
                slowMode: try row.time(3), isReadOnly: row.integer(4) != 0, title: try row.title(9),
                topic: try row.topic(10), picture: try row.picture(11), isRuled: row.integer(5) != 0,
                start: try row.revision(6), floor: try row.revision(7), inserted: try row.count(8),
                activity: try row.activity(12), pins: try row.pins(15, since: row.revision(6)))
        }
        return room ?? StoredRoom(kind: name.kind)
    }
}

extension StoredRoom {
    var configuration: RoomConfiguration {
        RoomConfiguration(
            of: kind, slowMode: slowMode, isReadOnly: isReadOnly, title: title, topic: topic, picture: picture,
            pins: pins)
    }
}
