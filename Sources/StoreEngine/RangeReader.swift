package import ChatRoom
package import ChatWire

/// A room as of one moment, whose ranges can be read.
package protocol RangeReader<Failure> {
    associatedtype Failure: Error

    var revision: Revision { get }
    /// The revision above which all deletions are remembered.
    var floor: Revision { get }

    /// Reads the beginning of a part, in the part's direction: at most `rows` rows, at most `changes` rows that changed
    /// after `since`, and at most `changes` tombstones after `since`.
    func read(
        _ part: HeldQuery.Part, since: Revision, rows: Int, changes: Int
    ) throws(Failure) -> PartReading
}

/// The beginning of a part of a room's list, in the part's direction.
package struct PartReading: Sendable {
    package let rows: [RowStamp]
    package let changed: [RoomChange]
    package let deleted: [RoomChange]

    package init(rows: [RowStamp], changed: [RoomChange], deleted: [RoomChange]) {
        self.rows = rows
        self.changed = changed
        self.deleted = deleted
    }
}

extension RangeReader {
    /// Reads the ranges that a returning reader holds, and leaves out what exceeds the query's limits.
    ///
    /// - Complexity: O(log rows + rows in the ranges + tombstones in the ranges), within the query's limits.
    package func held(_ query: HeldQuery) throws(Failure) -> HeldReading {
        guard (floor...max(floor, revision)).contains(query.since), query.since <= revision else {
            return HeldReading(revision: revision, ranges: [], rows: [], changes: [])
        }
        var (ranges, rows, changes): ([SortKeys], [RowStamp], [RoomChange]) = ([], [], [])
        for part in query.parts {
            let room = (rows: query.mostRows - rows.count, changes: query.mostChanges - changes.count)
            guard room.rows > 0, room.changes > 0 else { break }
            let found = try held(part, since: query.since, mostRows: room.rows, mostChanges: room.changes)
            guard let keys = found.keys else { break }
            ranges.append(keys)
            rows += found.rows
            changes += found.changes
        }
        return HeldReading(
            revision: revision, ranges: ranges,
            rows: rows.sorted { $0.sort < $1.sort }, changes: changes)
    }

    private func held(
        _ part: HeldQuery.Part, since: Revision, mostRows: Int, mostChanges: Int
    ) throws(Failure) -> (keys: SortKeys?, rows: [RowStamp], changes: [RoomChange]) {
        var keys: SortKeys? = part.keys
        // Read one more than allowed: there the range ends.
        let found = try read(part, since: since, rows: mostRows + 1, changes: mostChanges + 1)
        let rows = found.rows
        if rows.count > mostRows { keys = part.keys(before: rows[mostRows].sort) }
        let changes = (found.changed + found.deleted).sorted {
            part.direction == .up ? $0.sort < $1.sort : $0.sort > $1.sort
        }
        if changes.count > mostChanges, let fitting = part.keys(before: changes[mostChanges].sort) {
            keys = keys.map { $0.clamped(to: fitting) }
        } else if changes.count > mostChanges {
            keys = nil
        }
        guard let keys else { return (nil, [], []) }
        return (keys, rows.filter { keys.contains($0.sort) }, changes.filter { keys.contains($0.sort) })
    }
}
