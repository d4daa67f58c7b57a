import ChatRoom
import ChatWire
import RoomStore

/// The rows of a read, with their ordinals. These tell whether a row between them is missing, because a page of the file
/// that leads to it is damaged.
struct NumberedRows {
    let rows: [(message: Message, ordinal: Int)]

    enum End {
        /// More rows may follow.
        case open
        /// The list ends here.
        case reached
    }

    /// - Parameter asked: the number of rows that were asked for. With fewer, the list ends.
    func end(asked: Int) -> End { rows.count < asked ? .reached : .open }
}

/// The statement that explains gaps between ordinals, by deletions.
final class RowNumbers {
    private let deletions: Statement

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        deletions = try Statement(.deletionsBetween, on: connection)
    }

    /// Returns the messages, if none is missing between them.
    ///
    /// - Complexity: O(rows + deletions between them).
    func messages(
        of numbered: NumberedRows, in room: StoredRoom, start: NumberedRows.End, end: NumberedRows.End
    ) throws(RoomStoreError) -> [Message] {
        let rows = numbered.rows
        guard let id = room.id, let first = rows.first, let last = rows.last else { return rows.map(\.message) }
        if case .reached = start, room.start == 0 {
            try require(first.ordinal - 1, first, between: 0, first.message.sort, in: id)
        }
        for (before, after) in zip(rows, rows.dropFirst()) {
            let gap = after.ordinal - before.ordinal - 1
            try require(gap, before, between: before.message.sort, after.message.sort, in: id)
        }
        if case .reached = end {
            try require(room.inserted - last.ordinal, last, between: last.message.sort, .max, in: id)
        }
        return rows.map(\.message)
    }

    /// Messages from before format 8 have the ordinal 0, which tells nothing.
    private func require(
        _ gap: Int, _ row: (message: Message, ordinal: Int), between low: UInt64, _ high: UInt64, in room: Int64
    ) throws(RoomStoreError) {
        guard gap != 0, row.ordinal > 0 else { return }
        deletions.bind(1, room)
        deletions.bind(2, low)
        deletions.bind(3, high)
        let count = try deletions.first { (row) throws(RoomStoreError) in try row.count(0) } ?? 0
        guard count == gap else {
            throw .damaged("\(gap) messages are gone near revision \(row.message.sort), and \(count) were deleted")
        }
    }
}
