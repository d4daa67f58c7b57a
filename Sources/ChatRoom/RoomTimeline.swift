package import ChatWire

/// One room's messages as of ``revision``: the end of the list, and what was touched lately.
///
/// It answers with net differences since any revision from ``floor`` on.
///
/// - Shape: `tail` ascending by sort key, a gapless end of the list.
/// - Complexity: O(1) amortised for a change to one of the last rows, O(log tail) for others.
package struct RoomTimeline: FollowedList, Equatable, Sendable {
    package private(set) var revision: Revision
    /// How many rows the whole list has.
    package private(set) var count: Int
    package private(set) var tail: ArraySlice<Message>
    /// Where the list begins: rows with sort keys below were trimmed, which only a reading tells.
    private var start: UInt64
    private var touches: TouchLog<Message>
    /// Of the last rows of `tail`, as many as a proof covers.
    private var digest = ListDigest()

    /// How many rows are kept for each half of what is let go at once.
    private static let kept = 1_024

    /// Every touch above this revision is known here.
    package var floor: Revision { touches.floor }

    /// - Parameter since: the revision that the reading's changes start at, if any were asked for.
    package init(_ reading: RoomReading, changesSince since: Revision?) {
        revision = reading.revision
        touches = TouchLog(floor: reading.revision)
        count = reading.count
        tail = reading.tail[...]
        start = reading.start
        absorbChanges(reading, since: since)
        digestAnew()
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
            append(row)
            touch(.row(row, reloaded: row.rev))
        case .reloaded(let row):
            replace(row)
            touch(.row(row, reloaded: row.rev))
        case .reconfigured(let row):
            replace(row)
            touch(.row(row, reloaded: reloaded(row)))
        case .deleted(let id):
            count -= 1
            touch(.tombstone(id, sort: remove(id), rev: next))
        case .ruled, .nothing:
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
            start = reading.start
        } else {
            tail.insert(contentsOf: rows(of: reading, before: tail.first?.sort ?? .max), at: tail.startIndex)
        }
        absorbChanges(reading, since: since)
        revision = max(revision, reading.revision)
        trim()
        digestAnew()
    }

    /// The reading's rows before a sort key, as they are by now.
    private func rows(of reading: RoomReading, before sort: UInt64) -> [Message] {
        reading.tail.filter { (start..<max(start, sort)).contains($0.sort) }.compactMap(current)
    }

    /// The row as it is by now, as far as is known here; `nil` if it was deleted.
    private func current(_ row: Message) -> Message? {
        guard let history = touches[row.id] else { return row }
        return history.row.map { $0.rev > row.rev ? $0 : row }
    }

    private mutating func absorbChanges(_ reading: RoomReading, since: Revision?) {
        guard let since, case .all(let changes) = reading.changes, since <= revision else {
            if reading.revision > revision { touches.forget(upTo: reading.revision) }
            return
        }
        touches.absorb(changes.lazy.map { RowHistory($0) }, since: since)
    }

    private mutating func touch(_ change: RoomChange) {
        touches.touch(RowHistory(change))
    }

    /// The revision that gave the row its present content, as far as that is above ``floor``.
    private func reloaded(_ row: Message) -> Revision {
        touches[row.id]?.reloaded ?? min(row.sort, floor)
    }

    private mutating func append(_ row: Message) {
        tail.append(row)
        digest.add(row)
        if tail.count > ListDigest.window { digest.remove(tail[tail.endIndex - 1 - ListDigest.window]) }
    }

    private mutating func replace(_ row: Message) {
        let place = tail.partitioningIndex { $0.sort >= row.sort }
        guard place < tail.endIndex, tail[place].sort == row.sort else { return }
        if place >= tail.endIndex - ListDigest.window {
            digest.remove(tail[place])
            digest.add(row)
        }
        tail[place] = row
    }

    private mutating func digestAnew() {
        digest = ListDigest(tail.suffix(ListDigest.window))
    }

    /// Returns the sort key that the row had; one that is not known here is older than all that is.
    private mutating func remove(_ id: MessageID) -> UInt64 {
        guard let place = tail.lastIndex(where: { $0.id == id }) else { return touches[id]?.row?.sort ?? 0 }
        defer { digestAnew() }
        return tail.remove(at: place).sort
    }

    /// Lets go of the oldest touches, then of the oldest rows, but of none that was inserted above ``floor``: whoever
    /// comes with a reading from above it finds no gap.
    private mutating func trim() {
        touches.trim()
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
        return ListProof(count: count, digest: digest.value)
    }

    /// What a reader at `base` lacks, net and minimal; `nil` when `base` is below ``floor`` or above ``revision``.
    ///
    /// - Complexity: O(*d* log *d*) for *d* touches since `base`.
    package func diff(since base: Revision) -> ListDiff<Message>? {
        guard (floor...revision).contains(base) else { return nil }
        var diff = ListDiff<Message>(from: base, to: revision, proof: proof)
        diff.start = start
        touches.add(to: &diff, since: base, from: start)
        return diff
    }

    /// What became of a page that was read earlier: what was deleted or trimmed since is gone from it, the others are as
    /// they are by now. `nil` when not all that happened since is known here.
    ///
    /// - Complexity: O(rows of the page).
    package func bring(_ page: ListPage<Message>) -> ListPage<Message>? {
        guard page.revision < revision else { return page }
        guard page.revision >= floor else { return nil }
        let rows = page.rows.filter { $0.sort >= start }.compactMap(current)
        let isWhole = page.rows.first.map { $0.sort >= start } ?? true
        return ListPage(revision: revision, rows: rows, more: page.more && isWhole)
    }

    /// The last `limit` rows; `nil` when fewer of them are here than there are.
    package func snapshot(limit: Int) -> ListSnapshot<Message>? {
        guard tail.count >= min(limit, count) else { return nil }
        let rows = Array(tail.suffix(limit))
        return ListSnapshot(revision: revision, rows: rows, more: rows.count < count, proof: proof)
    }
}
