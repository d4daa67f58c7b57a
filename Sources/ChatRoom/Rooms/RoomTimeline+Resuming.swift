import ChatWire

/// Deliveries to readers that return or were too slow: the net changes of the rows that they hold, and the newest rows.
extension RoomTimeline {
    /// Returns the rows that came after a revision, at most the last `limit`, and whether others came before them;
    /// `nil` when the timeline does not hold enough rows to tell.
    private func newest(_ limit: Int, since base: Revision) -> (rows: ArraySlice<Message>, isCut: Bool)? {
        let first = tail.partitioningIndex { $0.sort > base }
        let cut = tail.endIndex - limit
        if first < cut { return (tail[cut...], true) }
        // Before the first row that is held here there may be others.
        guard first > tail.startIndex || tail.count == count else { return nil }
        return (tail[first...], false)
    }

    /// Returns the diff that brings a reader to ``revision``: the net changes of the rows that it holds, and the last
    /// `limit` rows that came since.
    ///
    /// - Parameter reading: the rows that the reader holds, from the store; `nil` if they were not asked for yet.
    /// - Returns: `nil` when the timeline does not know enough, or the reading is too old or too new.
    /// - Precondition: the reader's revision is not above ``revision``.
    /// - Complexity: O(*d* log *d* + *n*) for *d* touches since the reader's revision and *n* rows in its ranges.
    func diff(resuming resume: Resume, limit: Int, with reading: HeldReading?) -> ListDiff<Message>? {
        let base = resume.revision
        guard base <= revision, canProve, let newest = newest(limit, since: base),
            let held = held(resume) ?? reading.flatMap({ held(resume, from: $0) })
        else { return nil }
        var diff = ListDiff<Message>(from: base, to: revision, proof: proof)
        diff.start = start
        for history in held.changes {
            let isHeld = held.ranges.contains { $0.contains(history.inserted) }
            guard isHeld, history.row.map({ $0.sort >= start }) ?? true else { continue }
            diff.add(history, since: base)
        }
        diff.insertions = Array(newest.rows)
        let keepsAll = resume.ranges == nil && held.ranges == [0...base] && !newest.isCut
        if !keepsAll { diff.ranges = ranges(held, and: newest, since: base) }
        return diff
    }

    /// True when the timeline knows the end of the list that far back.
    func holds(_ rows: Int) -> Bool {
        tail.count >= min(rows, count)
    }

    /// True when the timeline knows what a reader holds, and what happened to it.
    func knows(_ resume: Resume) -> Bool {
        resume.revision <= revision && held(resume) != nil
    }

    /// The rows of a reader's ranges, and what happened to them since its revision.
    private struct Held {
        var ranges: [SortKeys]
        /// The rows in the ranges; `nil` if they are not known.
        var rows: [RowStamp]?
        var changes: [RowHistory<Message>]
    }

    /// Finds what a reader holds in memory.
    private func held(_ resume: Resume) -> Held? {
        guard resume.revision >= floor else { return nil }
        let ranges = resume.ranges ?? [0...resume.revision]
        let changes = touches.histories(since: resume.revision).filter { $0.inserted <= resume.revision }
        guard resume.ranges != nil else { return Held(ranges: ranges, rows: nil, changes: changes) }
        let knowsAll = tail.count == count || (tail.first?.sort ?? .max) <= ranges[0].lowerBound
        guard knowsAll else { return nil }
        let rows = tail.prefix { $0.sort <= resume.revision }.map { RowStamp($0) }
        return Held(ranges: ranges, rows: rows, changes: changes)
    }

    /// Updates a reading of the store to the timeline's revision.
    private func held(_ resume: Resume, from reading: HeldReading) -> Held? {
        guard (floor...revision).contains(reading.revision), reading.revision >= resume.revision else { return nil }
        var changes: [MessageID: RowHistory<Message>] = [:]
        for change in reading.changes { changes[change.id] = RowHistory(change) }
        for later in touches.histories(since: reading.revision) where later.inserted <= resume.revision {
            changes[later.id] = changes[later.id].map { later.merged(with: $0) } ?? later
        }
        let rows = reading.rows.compactMap { row -> RowStamp? in
            guard row.sort >= start else { return nil }
            guard let later = touches[row.id], later.rev > row.rev else { return row }
            return later.row.map { RowStamp($0) }
        }
        return Held(
            ranges: reading.ranges, rows: resume.ranges == nil ? nil : rows,
            changes: changes.values.sorted { $0.rev < $1.rev })
    }

    /// Returns the ranges that a reader holds afterwards: those that it may keep, and the end of the list.
    private func ranges(
        _ held: Held, and newest: (rows: ArraySlice<Message>, isCut: Bool), since base: Revision
    ) -> [ListRange] {
        var ranges = held.ranges
        let tail = newest.isCut ? (newest.rows.first?.sort ?? base + 1)...UInt64.max : base + 1...UInt64.max
        // Without a gap, the new rows continue where the last range ends.
        if let last = ranges.last, last.upperBound == base, !newest.isCut {
            ranges[ranges.count - 1] = last.lowerBound...(.max)
        } else {
            ranges.append(tail)
        }
        let known = held.rows.map { $0 + newest.rows.map { RowStamp($0) } }
        return ranges.map { keys in
            guard let known else { return ListRange(keys) }
            let rows = known.lazy.filter { keys.contains($0.sort) }
            var (count, digest) = (0, ListDigest())
            for row in rows {
                count += 1
                digest.add(row)
            }
            return ListRange(keys, proof: ListProof(count: count, digest: digest.value))
        }
    }
}
