public import ChatWire

extension Replica {
    /// Applies a diff.
    ///
    /// A diff that leads to the replica's revision or an earlier one is a duplicate and changes nothing. An operation
    /// on a row whose `rev` is not above the held one changes nothing either: a page brought the row in that state.
    ///
    /// A diff that says what it keeps answers a ``Resume`` with rows: it takes them into its epoch and to its revision,
    /// whatever the replica's are.
    ///
    /// The proof is checked unless a merged page is ahead of the diff. The page's rows may then be later than `to`, and
    /// rows deleted up to its revision are already missing. At the page's revision the proof holds again.
    ///
    /// If the list now begins later, the rows before its beginning are removed as deleted ones are. So are the rows
    /// outside of the diff's ranges, if it has ranges: the replica then has gaps.
    ///
    /// - Returns: the changes among the rows that are held.
    /// - Throws: ``ReplicaError``; the replica is then unchanged.
    @discardableResult
    @specialized(where Row == Message)
    public mutating func apply(
        _ diff: ListDiff<Row>, epoch found: Epoch
    ) throws(ReplicaError) -> ReplicaChanges<Row.ID> {
        if let kept = diff.kept { return try move(to: found, diff, keeping: kept) }
        guard found == epoch else { throw .otherEpoch(held: epoch, found: found) }
        guard diff.to > revision else {
            guard diff.to == revision, diff.to >= newestPage else { return ReplicaChanges() }
            try check(diff.proof, rows: rows.count, ending: endingRows, in: held, tail: tail)
            guard diff.ranges != nil else { return ReplicaChanges() }
            return try applyRows(diff)
        }
        guard diff.from == revision else { throw .gap(held: revision, from: diff.from) }
        return try applyRows(diff)
    }

    /// Applies a diff that begins with the held rows, in whatever epoch they are.
    private mutating func move(
        to epoch: Epoch, _ diff: ListDiff<Row>, keeping rev: Revision
    ) throws(ReplicaError) -> ReplicaChanges<Row.ID> {
        guard diff.from == revision else { throw .gap(held: revision, from: diff.from) }
        let diff = diff.naming(rows)
        var moved = self
        moved.epoch = epoch
        for index in rows.indices { moved.rows[index].rev = rev }
        // They come anew, whatever their `rev` was.
        for row in diff.insertions {
            if let index = index(of: row.id) { moved.rows[index].rev = 0 }
        }
        moved.tail = ListDigest(moved.rows.suffix(ListDigest.window))
        let changes = try moved.applyRows(diff)
        self = moved
        return changes
    }

    private mutating func applyRows(_ diff: ListDiff<Row>) throws(ReplicaError) -> ReplicaChanges<Row.ID> {
        if let name = diff.unknownOperation { throw .unknownOperation(name) }
        try diff.checkIDs()

        var plan = ReplicaPlan<Row>()
        try plan.add(diff, to: self)
        try plan.begin(at: diff.start, self)
        var held = held
        if let ranges = diff.ranges {
            guard let last = ranges.last, last.keys.lowerBound <= diff.to else {
                throw .malformed("the ranges do not have the end of the list")
            }
            held.intersect(ranges.map(\.keys))
            try plan.leave(held, of: self)
        }
        held.begin(at: diff.start)
        let tail = plan.tail(of: self)
        if diff.to >= newestPage {
            let ending = held.hasGaps ? plan.proof(in: held.tail, of: self).count : plan.count(from: self)
            try check(diff.proof, rows: plan.count(from: self), ending: ending, in: held, tail: tail)
            for range in diff.ranges ?? [] { try plan.check(range, of: self) }
        }

        self.held = held
        apply(plan, tail: tail)
        revision = diff.to
        count = diff.proof.count
        // The rows elsewhere may have been deleted although the replica held none of them.
        if rows.count == count, held.hasGaps || more { self.held = HeldRanges(from: 0) }
        counts = diff.counts
        missing = diff.missing
        return plan.changes
    }

    /// The number of rows in the last range.
    private var endingRows: Int {
        guard held.hasGaps else { return rows.count }
        return rows.count - rows.firstIndex(from: held.tail.lowerBound)
    }

    /// Inserts the rows of a page.
    ///
    /// The page may be of a later revision than the replica. A row that is held already is replaced if the page has a
    /// later state of it. Another row in a range that is held is ignored: a diff will bring it. If the replica has too
    /// many ranges then, the one farthest from the page goes.
    ///
    /// - Returns: the changes.
    /// - Throws: ``ReplicaError``; the replica is then unchanged.
    @discardableResult
    @specialized(where Row == Message)
    public mutating func insert(
        _ page: ListPage<Row>, epoch found: Epoch
    ) throws(ReplicaError) -> ReplicaChanges<Row.ID> {
        guard found == epoch else { throw .otherEpoch(held: epoch, found: found) }
        guard page.revision >= revision else { throw .stalePage(held: revision, page: page.revision) }
        if let disorder = page.rows.firstDisorder { throw .malformed(disorder) }
        if let row = page.rows.first(where: { $0.sort < page.from || $0.sort > page.to }) {
            throw .malformed("row \(row.id) at sort \(row.sort) is on a page from \(page.from) to \(page.to)")
        }

        var (plan, held) = (ReplicaPlan<Row>(), held)
        try plan.add(page, to: self)
        // Later rows come by diffs.
        let to = min(page.to, revision)
        if page.from <= to, let gone = held.join(page.from...to) { plan.leave(gone, of: self) }
        self.held = held
        apply(plan, tail: plan.tail(of: self))
        newestPage = max(newestPage, page.revision)
        return plan.changes
    }

    private mutating func apply(_ plan: ReplicaPlan<Row>, tail: ListDigest) {
        for (index, row) in plan.replaced { rows[index] = row }
        if let first = plan.firstAffected(in: self) { merge(plan, from: first) }
        for id in plan.changes.deleted { places[id] = nil }
        for row in plan.placed { places[row.id] = row.place }
        self.tail = tail
    }

    private mutating func merge(_ plan: ReplicaPlan<Row>, from first: Int) {
        guard first < rows.count else { return rows.append(contentsOf: plan.placed) }
        let old = rows[first...]
        rows.removeSubrange(first...)
        rows.reserveCapacity(first + old.count + plan.placed.count)
        var placed = plan.placed[...]
        for (index, row) in zip(old.indices, old) where !plan.vacated.contains(index) {
            while let next = placed.first, next.place < row.place { rows.append(placed.removeFirst()) }
            rows.append(row)
        }
        rows.append(contentsOf: placed)
    }
}

extension ListDiff {
    /// Returns the diff with the deletions of those held rows that its groups have not.
    fileprivate func naming(_ held: [Row]) -> Self {
        guard let groups, !groups.isEmpty else { return self }
        let (others, named) = (Set(groups), Set(insertions.map(\.id) + deletions))
        var diff = self
        diff.deletions += held.filter { others.contains(RowSums.group(of: $0)) && !named.contains($0.id) }.map(\.id)
        return diff
    }

    /// Checks that an id stands in at most one operation, or in a move and one of reload and reconfigure.
    fileprivate func checkIDs() throws(ReplicaError) {
        guard changeCount > 1 else { return }
        var places: Set<Row.ID> = []
        let placing = [deletions, moves.map(\.id), insertions.map(\.id)]
        for id in placing.joined() where !places.insert(id).inserted {
            throw .malformed("row \(id) stands twice in a diff")
        }
        places.subtract(moves.lazy.map(\.id))
        for id in reloads.map(\.id) + reconfigurations.map(\.id) + patches.map(\.id)
        where !places.insert(id).inserted {
            throw .malformed("row \(id) stands twice in a diff")
        }
    }
}
