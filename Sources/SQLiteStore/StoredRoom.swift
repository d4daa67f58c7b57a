import ChatWire
import RoomStore

/// A room's line in the table of rooms.
struct StoredRoom {
    /// `nil` while nobody has written to it: then it has no line.
    var id: Int64?
    var revision: Revision = 0
    /// How many rows its list has.
    var count = 0
    var slowMode: Milliseconds = 0
    var isReadOnly = false
    /// Whether anybody has, or had, a standing of their own.
    var isRuled = false
    /// Where its list begins: rows with sort keys below were trimmed.
    var start: UInt64 = 0
    /// What happened up to this revision may be forgotten.
    var floor: Revision = 0
    /// The line says something else yet.
    var isChanged = false
}

extension Statement {
    init(_ query: Query, on connection: borrowing Connection) throws(RoomStoreError) {
        try self.init(query.rawValue, on: connection)
    }

    /// What ``Query/room`` finds.
    borrowing func room(named name: RoomName) throws(RoomStoreError) -> StoredRoom {
        bind(1, name.description)
        let room = try first { (row) throws(RoomStoreError) in
            StoredRoom(
                id: row.integer(0), revision: try row.revision(1), count: try row.count(2),
                slowMode: try row.time(3), isReadOnly: row.integer(4) != 0, isRuled: row.integer(5) != 0,
                start: try row.revision(6), floor: try row.revision(7))
        }
        return room ?? StoredRoom()
    }
}
