import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// A room's ranges, as of the transaction that is under way. Each part takes one round trip.
struct StoredRanges: RangeReader {
    let connection: Connection
    let reader: MessageReader
    let name: RoomName
    /// The room's name.
    let room: Parameter
    let revision: Revision
    let floor: Revision
    let end: ContinuousClock.Instant

    func read(
        _ part: HeldQuery.Part, since: Revision, rows: Int, changes: Int
    ) throws(PostgresFailure) -> PartReading {
        let keys: [Parameter] = [room, .revision(part.keys.lowerBound), .revision(part.keys.upperBound)]
        let changed = keys + [.integer(Int64(changes)), .revision(since)]
        let isUp = part.direction == .up
        let answers = try connection.run(
            [
                .run(isUp ? Query.stampsUp : .stampsDown, keys + [.integer(Int64(rows))]),
                .run(isUp ? Query.changedUp : .changedDown, changed),
                .run(isUp ? Query.tombstonesUp : .tombstonesDown, changed),
            ], until: end)
        return PartReading(
            rows: try answers[0].rows.map { (row) throws(PostgresFailure) in
                RowStamp(id: try row.id(0), sort: try row.revision(1), rev: try row.revision(2))
            },
            changed: try answers[1].rows.map { (row) throws(PostgresFailure) in
                try reader.change(row, in: name, at: revision)
            }.filter { $0.rev > since },
            deleted: try answers[2].rows.map { (row) throws(PostgresFailure) in
                .tombstone(try row.id(0), sort: try row.revision(1), rev: try row.revision(2))
            })
    }
}
