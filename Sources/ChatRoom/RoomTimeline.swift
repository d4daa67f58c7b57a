package import ChatWire

/// One room's messages as of ``revision``: the end of the list, and what was touched lately.
///
/// It answers with net differences since any revision from ``floor`` on. A difference walks the touches in their order
/// back to where the reader stands, so its cost follows what changed, not what happened and not what exists.
///
/// - Shape: `tail` ascending by sort key, a gapless end of the list; `touched` ascending by revision.
/// - Complexity: O(1) amortised for a change to one of the last rows, O(log tail) for others.
package struct RoomTimeline: Equatable, Sendable {
    package private(set) var revision: Revision
    /// Every touch above this revision is known here.
    package private(set) var floor: Revision
    /// How many rows the whole list has.
    package private(set) var count: Int
    package private(set) var tail: ArraySlice<Message>
    private var touched: ArraySlice<Touch> = []
    private var latest: [MessageID: RoomChange] = [:]

    private struct Touch: Equatable, Sendable {
        let rev: Revision
        let id: MessageID
    }

    /// How many rows are kept before the oldest are let go, and how many touches, each half as many afterwards.
    private static let kept = 1_024

    /// - Parameter since: the revision that the reading's changes start at, if any were asked for.
    package init(_ reading: RoomReading, changesSince since: Revision?) {
        revision = reading.revision
        floor = reading.revision
        count = reading.count
        tail = reading.tail[...]
        absorbChanges(reading, since: since)
    }
}

// MARK: - Changes

extension RoomTimeline {
    /// Applies the next revision.
    ///
    /// - Precondition: `next` is ``revision`` + 1.
    package mutating func apply(_ change: RowChange, at next: Revision) {
        precondition(next == revision + 1, "revision \(next) cannot follow \(revision)")
        revision = next
        switch change {
        case .inserted(let row):
            count += 1
            tail.append(row)
            touch(row.id, .row(row, reloaded: row.rev))
        case .reloaded(let row):
            replace(row)
            touch(row.id, .row(row, reloaded: row.rev))
        case .reconfigured(let row):
            replace(row)
            touch(row.id, .row(row, reloaded: reloaded(row)))
        case .deleted(let id):
            count -= 1
            touch(id, .tombstone(id, sort: remove(id), rev: next))
        case .nothing:
            break
        }
        trim()
    }

    /// Takes over what a store said, whether that is later than what is here or, having taken its time, earlier.
    ///
    /// Afterwards everything from the revision that the reading's changes start at is known, if they are all there.
    /// A reading that is so old that there is a gap between it and what is known here changes nothing.
    package mutating func absorb(_ reading: RoomReading, changesSince since: Revision?) {
        guard reading.revision >= floor else { return }
        if reading.revision >= revision {
            count = reading.count
            tail = reading.tail[...]
        } else {
            tail.insert(contentsOf: rows(of: reading, before: tail.first?.sort ?? .max), at: tail.startIndex)
        }
        absorbChanges(reading, since: since)
        revision = max(revision, reading.revision)
        trim()
    }

    /// The reading's rows before a sort key, as they are by now.
    private func rows(of reading: RoomReading, before sort: UInt64) -> [Message] {
        reading.tail.compactMap { row in
            guard row.sort < sort else { return nil }
            switch latest[row.id] {
            case .row(let later, _): return later.rev > row.rev ? later : row
            case .tombstone: return nil
            case nil: return row
            }
        }
    }

    private mutating func absorbChanges(_ reading: RoomReading, since: Revision?) {
        guard let since, case .all(let changes) = reading.changes, since <= revision else {
            if reading.revision > revision { forgetTouches(at: reading.revision) }
            return
        }
        for change in changes { latest[change.id] = latest[change.id].map(change.merged) ?? change }
        touched = latest.values.map { Touch(rev: $0.rev, id: $0.id) }.sorted { $0.rev < $1.rev }[...]
        floor = min(floor, since)
    }

    private mutating func forgetTouches(at revision: Revision) {
        touched = []
        latest = [:]
        floor = revision
    }

    private mutating func touch(_ id: MessageID, _ change: RoomChange) {
        touched.append(Touch(rev: change.rev, id: id))
        latest[id] = change
    }

    /// The touch's change, unless a later touch of the same row has taken its place.
    private func current(_ touch: Touch) -> RoomChange? {
        guard let change = latest[touch.id], change.rev == touch.rev else { return nil }
        return change
    }

    /// The revision that gave the row its present content, as far as that is above ``floor``.
    private func reloaded(_ row: Message) -> Revision {
        guard case .row(_, let reloaded) = latest[row.id] else { return min(row.sort, floor) }
        return reloaded
    }

    private mutating func replace(_ row: Message) {
        let place = tail.partitioningIndex { $0.sort >= row.sort }
        guard place < tail.endIndex, tail[place].sort == row.sort else { return }
        tail[place] = row
    }

    /// Returns the sort key that the row had; one that is not known here is older than all that is.
    private mutating func remove(_ id: MessageID) -> UInt64 {
        if let place = tail.lastIndex(where: { $0.id == id }) { return tail.remove(at: place).sort }
        guard case .row(let row, _) = latest[id] else { return 0 }
        return row.sort
    }

    /// Lets go of the oldest touches, then of the oldest rows, but of none that was inserted above ``floor``: whoever
    /// comes with a reading from above it finds no gap.
    private mutating func trim() {
        if touched.count > Self.kept {
            let dropped = touched.prefix(touched.count - Self.kept / 2)
            floor = max(floor, dropped.last?.rev ?? 0)
            for touch in dropped where current(touch) != nil { latest[touch.id] = nil }
            touched = Array(touched.dropFirst(dropped.count))[...]
        }
        if tail.count > 2 * Self.kept {
            let start = min(tail.partitioningIndex { $0.sort > floor }, tail.endIndex - Self.kept)
            tail = Array(tail[start...])[...]
        }
    }
}

// MARK: - Answers

extension RoomTimeline {
    /// Whether the rows that every answer must prove are here.
    package var canProve: Bool {
        tail.count >= min(ListDigest.window, count)
    }

    package var proof: ListProof {
        precondition(canProve, "\(tail.count) rows of \(count) are not enough to prove")
        return ListProof(count: count, digest: ListDigest(tail.suffix(ListDigest.window)).value)
    }

    /// What a reader at `base` lacks, net and minimal; `nil` when `base` is below ``floor`` or above ``revision``.
    ///
    /// - Complexity: O(*d* log *d*) for *d* touches since `base`.
    package func diff(since base: Revision) -> ListDiff<Message>? {
        guard (floor...revision).contains(base) else { return nil }
        var diff = ListDiff<Message>(from: base, to: revision, proof: proof)
        let start = touched.partitioningIndex { $0.rev > base }
        for touch in touched[start...] {
            guard let change = current(touch) else { continue }
            diff.add(change, since: base)
        }
        diff.insertions.sort { $0.sort < $1.sort }
        return diff
    }

    /// The last `limit` rows; `nil` when fewer of them are here than there are.
    package func snapshot(limit: Int) -> ListSnapshot<Message>? {
        guard tail.count >= min(limit, count) else { return nil }
        let rows = Array(tail.suffix(limit))
        return ListSnapshot(revision: revision, rows: rows, more: rows.count < count, proof: proof)
    }
}

extension ListDiff<Message> {
    fileprivate mutating func add(_ change: RoomChange, since base: Revision) {
        switch change {
        case .row(let row, _) where row.sort > base: insertions.append(row)
        case .row(let row, let reloaded) where reloaded > base: reloads.append(row)
        case .row(let row, _): reconfigurations.append(ListReconfiguration(id: row.id, rev: row.rev, light: row.light))
        case .tombstone(let id, let sort, _) where sort <= base: deletions.append(id)
        case .tombstone: break  // it came and went since
        }
    }
}

extension RandomAccessCollection {
    /// Where the elements start that fulfil `belongsInSecond`, all of which stand after those that do not.
    func partitioningIndex(where belongsInSecond: (Element) -> Bool) -> Index {
        var low = startIndex
        var length = count
        while length > 0 {
            let half = length / 2
            let middle = index(low, offsetBy: half)
            if belongsInSecond(self[middle]) {
                length = half
            } else {
                low = index(after: middle)
                length -= half + 1
            }
        }
        return low
    }
}
