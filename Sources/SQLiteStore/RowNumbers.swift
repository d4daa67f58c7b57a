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
        let messages = numbered.rows.map(\.message)
        // A damaged row has no number, and counts between those that have one.
        let rows = numbered.rows.enumerated().filter { !$0.element.message.isDamaged }
        guard let id = room.id, let first = rows.first, let last = rows.last else { return messages }
        if case .reached = start, room.start == 0 {
            let gap = first.element.ordinal - 1 - first.offset
            try require(gap, first.element, between: 0, first.element.message.sort, in: id)
        }
        for ((place, before), (next, after)) in zip(rows, rows.dropFirst()) {
            let gap = after.ordinal - before.ordinal - (next - place)
            try require(gap, before, between: before.message.sort, after.message.sort, in: id)
        }
        if case .reached = end {
            let gap = room.inserted - last.element.ordinal - (messages.count - 1 - last.offset)
            try require(gap, last.element, between: last.element.message.sort, .max, in: id)
        }
        return messages
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
