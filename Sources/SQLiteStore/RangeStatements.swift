import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// The statements that read ranges of a room's list, and find its rows.
final class RangeStatements {
    private let stampsUp: Statement
    private let stampsDown: Statement
    private let changedUp: Statement
    private let changedDown: Statement
    private let tombstonesUp: Statement
    private let tombstonesDown: Statement
    private let sortOfID: Statement
    private let sortOfTime: Statement
    private let reader: MessageReader

    init(_ connection: borrowing Connection, _ reader: MessageReader) throws(RoomStoreError) {
        self.reader = reader
        stampsUp = try Statement(.stampsUp, on: connection)
        stampsDown = try Statement(.stampsDown, on: connection)
        changedUp = try Statement(.changedUp, on: connection)
        changedDown = try Statement(.changedDown, on: connection)
        tombstonesUp = try Statement(.tombstonesUp, on: connection)
        tombstonesDown = try Statement(.tombstonesDown, on: connection)
        sortOfID = try Statement(.sortOfID, on: connection)
        sortOfTime = try Statement(.sortOfTime, on: connection)
    }

    /// See ``RoomStore/sort(of:in:)``.
    func sort(of anchor: PagePlace.Anchor, in room: Int64) throws(RoomStoreError) -> UInt64? {
        switch anchor {
        case .id(let id):
            sortOfID.bind(1, room)
            sortOfID.bind(2, id)
            return try sortOfID.first { (row) throws(RoomStoreError) in try row.revision(0) }
        case .revision(let revision): return revision
        case .time(let time):
            sortOfTime.bind(1, room)
            sortOfTime.bind(2, time)
            return try sortOfTime.first { (row) throws(RoomStoreError) in try row.revision(0) }
        }
    }

    fileprivate func read(
        _ part: HeldQuery.Part, of room: StoredPlace, since: Revision, rows: Int, changes: Int
    ) throws(RoomStoreError) -> PartReading {
        switch part.direction {
        case .up:
            PartReading(
                rows: try stamps(stampsUp, part, of: room.id, limit: rows),
                changed: try changed(changedUp, part, of: room, since: since, limit: changes),
                deleted: try deleted(tombstonesUp, part, of: room.id, since: since, limit: changes))
        case .down:
            PartReading(
                rows: try stamps(stampsDown, part, of: room.id, limit: rows),
                changed: try changed(changedDown, part, of: room, since: since, limit: changes),
                deleted: try deleted(tombstonesDown, part, of: room.id, since: since, limit: changes))
        }
    }

    private func stamps(
        _ statement: borrowing Statement, _ part: HeldQuery.Part, of room: Int64, limit: Int
    ) throws(RoomStoreError) -> [RowStamp] {
        bind(statement, part, of: room, limit)
        return try statement.all { (row) throws(RoomStoreError) in
            RowStamp(id: try row.id(0), sort: try row.revision(1), rev: try row.revision(2))
        }
    }

    private func changed(
        _ statement: borrowing Statement, _ part: HeldQuery.Part, of room: StoredPlace, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [RoomChange] {
        bind(statement, part, of: room.id, limit)
        statement.bind(5, since)
        return try statement.all { (row) throws(RoomStoreError) in try reader.change(row, in: room) }
            .filter { $0.rev > since }
    }

    private func deleted(
        _ statement: borrowing Statement, _ part: HeldQuery.Part, of room: Int64, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [RoomChange] {
        bind(statement, part, of: room, limit)
        statement.bind(5, since)
        return try statement.all { (row) throws(RoomStoreError) in try row.tombstone() }
    }

    private func bind(_ statement: borrowing Statement, _ part: HeldQuery.Part, of room: Int64, _ limit: Int) {
        statement.bind(1, room)
        statement.bind(2, part.keys.lowerBound)
        statement.bind(3, part.keys.upperBound)
        statement.bind(4, Int64(limit))
    }
}

/// A room's ranges, as of the transaction that is under way.
struct StoredRanges: RangeReader {
    let room: StoredRoom
    let name: RoomName
    let statements: RangeStatements

    var revision: Revision { room.revision }
    var floor: Revision { room.floor }

    func read(
        _ part: HeldQuery.Part, since: Revision, rows: Int, changes: Int
    ) throws(RoomStoreError) -> PartReading {
        guard let id = room.id else { return PartReading(rows: [], changed: [], deleted: []) }
        return try statements.read(part, of: (id, name, revision), since: since, rows: rows, changes: changes)
    }
}
