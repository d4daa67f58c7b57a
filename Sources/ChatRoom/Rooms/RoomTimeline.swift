package import ChatWire

/// One room's messages as of ``revision``: the end of the list, and the rows that were touched lately.
///
/// It computes net diffs from any revision from ``floor`` on.
///
/// - Shape: `tail` ascending by sort key, a gapless end of the list.
/// - Complexity: O(1) amortised for a change to one of the last rows, O(log tail) for others.
package struct RoomTimeline: Equatable, Sendable {
    package private(set) var revision: Revision
    /// The number of rows in the whole list.
    package private(set) var count: Int
    package private(set) var tail: ArraySlice<Message>
    /// The beginning of the list. Rows with smaller sort keys were trimmed, which only a reading tells.
    private(set) var start: UInt64
    private(set) var touches: TouchLog<Message>
    /// The last revision that did more than let texts grow.
    private var lastOther: Revision
    /// The digest of the last rows of `tail`, as many as a proof covers.
    private var digest = ListDigest()
    /// The bytes of the rows of `tail`.
    private var tailBytes = 0
    /// The sort keys of the rows of `tail` whose texts grow.
    private var open: Set<UInt64> = []

    /// The number of rows that a trim leaves. A trim happens at twice as many.
    private static let kept = 1_024
    /// The least number of rows that stay, however large they are.
    private static let least = 2 * ListDigest.window

    /// The size of the texts and reactions in the rows held, in bytes. A row that was touched lately counts twice.
    package var bytes: Int { tailBytes + touches.bytes }

    /// The number of rows held, of which one that was touched lately counts twice.
    package var places: Int { tail.count + touches.count }

    /// The timeline knows every touch above this revision.
    package var floor: Revision { touches.floor }

    /// - Parameter since: the revision that the reading's changes start at, if any were asked for.
    package init(_ reading: RoomReading, changesSince since: Revision?) {
        revision = reading.revision
        touches = TouchLog(floor: reading.revision)
        lastOther = reading.revision
        count = reading.count
        tail = reading.tail[...]
        start = reading.start
        applyChanges(reading, since: since)
        measure()
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
        let before = lastOther
        lastOther = next
        switch change {
        case .inserted(let row, _, _):
            count += 1
            append(row)
            touch(.row(row, reloaded: row.rev))
        case .reloaded(let row):
            if let old = known(row), let patch = MessagePatch(growthFrom: old, to: row) {
                patchRow(row, by: patch, grown: next)
                lastOther = before
            } else {
                replace(row)
                touch(.row(row, reloaded: row.rev))
            }
        case .reconfigured(let row):
            patchRow(row, by: known(row).flatMap { MessagePatch(reactionsFrom: $0, to: row) }, grown: nil)
        case .deleted(let id, let sort):
            count -= 1
            remove(sort)
            touch(.tombstone(id, sort: sort, rev: next))
        case .ruled, .joined, .left, .settings, .affiliated, .created, .nothing:
            break
        }
        trim()
    }

    /// Merges a reading of the store, which may be later than the timeline or, after a slow read, earlier.
    ///
    /// If the reading has all its changes, the timeline afterwards knows every touch from the revision that they start
    /// at. A reading that is so old that there is a gap after it changes nothing.
    ///
    /// - Precondition: `since` is not above ``revision``, and the reading has all changes, if it has no tail.
    /// - Complexity: O(tail), and O(changes · log tail) for a reading without one.
    package mutating func apply(_ reading: RoomReading, changesSince since: Revision?) {
        guard reading.revision >= floor else { return }
        if reading.revision < revision {
            tail.insert(contentsOf: rows(of: reading, before: tail.first?.sort ?? .max), at: tail.startIndex)
            measure()
        } else {
            (count, start) = (reading.count, reading.start)
            if reading.hasTail { replaceTail(by: reading.tail[...]) } else { changeTail(by: reading.changes) }
        }
        applyChanges(reading, since: since)
        if reading.revision > revision { (revision, lastOther) = (reading.revision, reading.revision) }
        trim()
    }

    private mutating func replaceTail(by rows: ArraySlice<Message>) {
        tail = rows
        measure()
    }

    private mutating func changeTail(by changes: RoomReading.Changes) {
        guard case .all(let changes) = changes else { preconditionFailure("a reading has no rows and no changes") }
        for change in changes.sorted(by: { $0.sort < $1.sort }) {
            switch change {
            case .row(let row, _): if row.sort > tail.last?.sort ?? 0 { append(row) } else { replace(row) }
            case .tombstone(_, let sort, _): remove(sort)
            }
        }
        if let first = tail.first, first.sort < start {
            replaceTail(by: tail[tail.partitioningIndex { $0.sort >= start }...])
        }
    }

    /// Returns the reading's rows before a sort key, in their current state.
    private func rows(of reading: RoomReading, before sort: UInt64) -> [Message] {
        reading.tail.filter { (start..<max(start, sort)).contains($0.sort) }.compactMap(current)
    }

    /// Returns the row's current state, as far as it is known here; `nil` if the row was deleted.
    private func current(_ row: Message) -> Message? {
        guard let history = touches[row.id] else { return row }
        return history.row.map { $0.rev > row.rev ? $0 : row }
    }

    private mutating func applyChanges(_ reading: RoomReading, since: Revision?) {
        guard let since, case .all(let changes) = reading.changes, since <= revision else {
            if reading.revision > revision { touches.forget(upTo: reading.revision) }
            return
        }
        touches.apply(changes.lazy.map { RowHistory($0) }, since: since)
    }

    private mutating func touch(_ change: RoomChange) {
        touches.touch(RowHistory(change))
    }

    /// Applies a change of a part of a row.
    ///
    /// - Parameters:
    ///   - patch: from the row as it stands; `nil` if that is not known.
    ///   - revision: the next one, if the row's text has grown by it.
    private mutating func patchRow(_ row: Message, by patch: MessagePatch?, grown revision: Revision?) {
        let before = touches[row.id]
        var history = RowHistory(.row(row, reloaded: reloaded(row)))
        history.grown = revision ?? before?.grown ?? 0
        if revision != nil { history.reconfigured = before?.reconfigured ?? 0 }
        if let patch {
            var patches = before?.patches ?? PatchLog(from: before?.rev ?? floor)
            patches.append(patch, at: row.rev)
            history.patches = patches
            history.bytes += patches.bytes
        }
        replace(row)
        touches.touch(history)
    }

    /// Returns a row as it stands before a change of it; `nil` if it is not known here.
    private func known(_ row: Message) -> Message? {
        touches[row.id]?.row ?? place(of: row.sort).map { tail[$0] }
    }

    /// Returns the revision that gave the row its present content, as far as that is above ``floor``.
    private func reloaded(_ row: Message) -> Revision {
        touches[row.id]?.reloaded ?? min(row.sort, floor)
    }

    private mutating func append(_ row: Message) {
        tail.append(row)
        tailBytes += row.bytes
        note(row)
        digest.add(row)
        if tail.count > ListDigest.window { digest.remove(tail[tail.endIndex - 1 - ListDigest.window]) }
    }

    private mutating func replace(_ row: Message) {
        guard let place = place(of: row.sort) else { return }
        if place >= tail.endIndex - ListDigest.window {
            digest.remove(tail[place])
            digest.add(row)
        }
        tailBytes += row.bytes - tail[place].bytes
        tail[place] = row
        note(row)
    }

    private mutating func note(_ row: Message) {
        if row.content.growth == .open { open.insert(row.sort) } else if !open.isEmpty { open.remove(row.sort) }
    }

    private mutating func measure() {
        tailBytes = tail.reduce(0) { $0 + $1.bytes }
        open = Set(tail.lazy.filter { $0.content.growth == .open }.map(\.sort))
        digestAnew()
    }

    private mutating func digestAnew() {
        digest = ListDigest(tail.suffix(ListDigest.window))
    }

    private mutating func remove(_ sort: UInt64) {
        guard let place = place(of: sort) else { return }
        tailBytes -= tail.remove(at: place).bytes
        open.remove(sort)
        digestAnew()
    }

    /// The index of the row in `tail`; `nil` if it is older than the rows there.
    private func place(of sort: UInt64) -> Int? {
        let place = tail.partitioningIndex { $0.sort >= sort }
        return place < tail.endIndex && tail[place].sort == sort ? place : nil
    }

    /// Drops the oldest touches, then the oldest rows.
    ///
    /// Every row that was inserted above ``floor`` stays, so that a reading from above ``floor`` leaves no gap.
    private mutating func trim() {
        touches.trim()
        if tail.count > 2 * Self.kept {
            dropRows(before: tail.endIndex - Self.kept)
        }
    }

    /// Drops rows before an index, but none that was inserted above ``floor``.
    private mutating func dropRows(before index: Int) {
        let start = min(tail.partitioningIndex { $0.sort > floor }, index)
        guard start > tail.startIndex else { return }
        tailBytes -= tail[..<start].reduce(0) { $0 + $1.bytes }
        tail = Array(tail[start...])[...]
        if let first = tail.first, !open.isEmpty { open = open.filter { $0 >= first.sort } }
    }

    /// Drops the oldest touches and rows until the others have at most so many bytes. The last 64 rows stay, and the
    /// touches above a revision.
    ///
    /// - Complexity: O(rows + touches), and O(1) if there are not more bytes.
    package mutating func trim(toBytes limit: Int, since revision: Revision) {
        guard bytes > limit else { return }
        touches.trim(toBytes: limit / 2, since: revision)
        var (index, rest) = (tail.startIndex, tailBytes)
        while rest > limit / 2, index < tail.endIndex - Self.least {
            rest -= tail[index].bytes
            index += 1
        }
        dropRows(before: index)
    }
}

// MARK: - Answers

extension RoomTimeline {
    /// True when the timeline holds the rows that a proof covers.
    package var canProve: Bool {
        tail.count >= min(ListDigest.window, count)
    }

    /// The rows whose texts grow, ascending by sort key, among the last rows.
    var openRows: [Message] { open.sorted().compactMap { sort in place(of: sort).map { tail[$0] } } }

    var hasOpenRows: Bool { !open.isEmpty }

    /// Returns whether nothing happened since a revision but that texts grew.
    func onlyGrew(since base: Revision) -> Bool { lastOther <= base }

    package var proof: ListProof {
        precondition(canProve, "\(tail.count) rows of \(count) are not enough to prove")
        return ListProof(count: count, digest: digest.value)
    }

    /// Returns the net and minimal diff from `base`; `nil` when `base` is below ``floor`` or above ``revision``.
    ///
    /// - Complexity: O(*d* log *d*) for *d* touches since `base`.
    package func diff(since base: Revision) -> ListDiff<Message>? {
        guard (floor...revision).contains(base) else { return nil }
        var diff = ListDiff<Message>(from: base, to: revision, proof: proof)
        diff.start = start
        touches.add(to: &diff, since: base, from: start)
        return diff
    }

    /// Updates a page that was read earlier: drops rows that were deleted or trimmed since, and updates the others.
    ///
    /// - Returns: `nil` when the timeline does not know all changes since.
    /// - Complexity: O(rows of the page).
    package func updated(_ page: ListPage<Message>) -> ListPage<Message>? {
        guard page.revision < revision else { return page }
        guard page.revision >= floor else { return nil }
        var brought = page
        brought.revision = revision
        brought.rows = page.rows.filter { $0.sort >= start }.compactMap(current)
        if page.from < start { (brought.from, brought.more) = (0, false) }
        return brought
    }

    /// Returns the last `limit` rows; `nil` when the timeline holds fewer of them than exist.
    package func snapshot(limit: Int) -> ListSnapshot<Message>? {
        guard tail.count >= min(limit, count) else { return nil }
        let rows = Array(tail.suffix(limit))
        return ListSnapshot(revision: revision, rows: rows, more: rows.count < count, proof: proof)
    }
}
