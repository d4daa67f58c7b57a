extension Replica {
    /// Applies a diff.
    ///
    /// A diff that leads to the replica's revision or an earlier one is a duplicate and changes nothing. An operation
    /// on a row whose `rev` is not above the held one changes nothing either: a page brought the row in that state.
    ///
    /// The proof is checked unless a merged page is ahead of the diff. The page's rows may then be later than `to`, and
    /// rows deleted up to its revision are already missing. At the page's revision the proof holds again.
    ///
    /// If the list now begins later, the rows before its beginning are removed as deleted ones are.
    ///
    /// - Returns: the changes among the rows that are held.
    /// - Throws: ``ReplicaError``; the replica is then unchanged.
    @discardableResult
    @specialized(where Row == Message)
    public mutating func apply(
        _ diff: ListDiff<Row>, epoch found: Epoch
    ) throws(ReplicaError) -> ReplicaChanges<Row.ID> {
        guard found == epoch else { throw .otherEpoch(held: epoch, found: found) }
        guard diff.to > revision else {
            if diff.to == revision, diff.to >= newestPage { try check(diff.proof, rows: rows.count, tail: tail) }
            return ReplicaChanges()
        }
        guard diff.from == revision else { throw .gap(held: revision, from: diff.from) }
        if let name = diff.unknownOperation { throw .unknownOperation(name) }
        try diff.checkIDs()

        var plan = ReplicaPlan<Row>()
        try plan.add(diff, to: self)
        try plan.begin(at: diff.start, self)
        let tail = plan.tail(of: self)
        if diff.to >= newestPage { try check(diff.proof, rows: plan.count(from: self), tail: tail) }

        carryOut(plan, tail: tail)
        revision = diff.to
        count = diff.proof.count
        // The rows before may have been deleted although the replica held none of them.
        if rows.count == count { reachesStart() }
        counts = diff.counts
        return plan.changes
    }

    /// Inserts older rows in front.
    ///
    /// The page may be of a later revision than the replica. A row that is held already is replaced if the page has a
    /// later state of it. A row that is neither held nor older than all held ones is ignored: a diff will bring it.
    ///
    /// - Precondition: the page was asked for with ``earliest``, now or before.
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

        var plan = ReplicaPlan<Row>()
        try plan.add(page, to: self)
        carryOut(plan, tail: plan.tail(of: self))
        newestPage = max(newestPage, page.revision)
        if !page.more { reachesStart() }
        floor = min(floor, page.rows.first?.sort ?? floor)
        return plan.changes
    }

    private mutating func reachesStart() {
        more = false
        floor = 0
    }

    private mutating func carryOut(_ plan: ReplicaPlan<Row>, tail: ListDigest) {
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
    /// Checks that an id stands in at most one operation, or in a move and one of reload and reconfigure.
    fileprivate func checkIDs() throws(ReplicaError) {
        guard changeCount > 1 else { return }
        var places: Set<Row.ID> = []
        let placing = [deletions, moves.map(\.id), insertions.map(\.id)]
        for id in placing.joined() where !places.insert(id).inserted {
            throw .malformed("row \(id) stands twice in a diff")
        }
        places.subtract(moves.lazy.map(\.id))
        for id in reloads.map(\.id) + reconfigurations.map(\.id) where !places.insert(id).inserted {
            throw .malformed("row \(id) stands twice in a diff")
        }
    }
}
