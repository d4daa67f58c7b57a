import ChatWire

/// The effect of a frame on a replica, worked out before anything changes so that an impossible frame has no effect.
///
/// Indices are those of the replica before the change.
struct ReplicaPlan<Row: ListRow> {
    /// Rows whose content changes in place.
    private(set) var replaced: [Int: Row] = [:]
    /// The indices that rows leave, for good or for a new place.
    private(set) var vacated: Set<Int> = []
    /// Rows that come in, by place.
    private(set) var placed: [Row] = []
    private(set) var changes = ReplicaChanges<Row.ID>()

    mutating func add(_ diff: ListDiff<Row>, to replica: Replica<Row>) throws(ReplicaError) {
        for id in diff.deletions { delete(id, from: replica) }
        var moved: [Row.ID: Row] = [:]
        for move in diff.moves { moved[move.id] = place(of: move, in: replica) }
        for row in diff.insertions { insert(row, into: replica) }
        for row in diff.reloads { reload(row, in: replica, &moved) }
        for change in diff.reconfigurations {
            reconfigure(change.id, at: change.rev, in: replica, &moved) {
                $0.light = change.light
                $0.tag = change.tag
            }
        }
        for change in diff.patches { try patch(change, in: replica, &moved) }
        placed.append(contentsOf: moved.values)
        try resolvePlaces(into: replica)
    }

    mutating func add(_ page: ListPage<Row>, to replica: Replica<Row>) throws(ReplicaError) {
        var seen: Set<Row.ID> = []
        var none: [Row.ID: Row] = [:]
        for row in page.rows {
            guard seen.insert(row.id).inserted else { throw .malformed("row \(row.id) stands twice in a page") }
            if replica.places[row.id] != nil {
                reload(row, in: replica, &none)
            } else if !replica.held.contains(row.sort) {
                var row = row
                row.section = row.section(joined: replica.joined)
                insert(row, into: replica)
            }
        }
        try resolvePlaces(into: replica)
    }

    /// Returns the number of rows after the change.
    func count(from replica: Replica<Row>) -> Int {
        replica.rows.count - vacated.count + placed.count
    }

    /// Returns the first index at which another row will stand; `nil` if all rows stay in place.
    func firstAffected(in replica: Replica<Row>) -> Int? {
        let entry = placed.first.map { replica.rows.firstIndex(notBefore: $0.place) }
        return [vacated.min(), entry].compactMap(\.self).min()
    }
}

// MARK: - Operations

extension ReplicaPlan {
    private mutating func delete(_ id: Row.ID, from replica: Replica<Row>) {
        guard let index = replica.index(of: id) else { return }
        vacated.insert(index)
        changes.deleted.append(id)
    }

    /// Removes rows with sort keys below `start`, whatever else the diff does to them.
    mutating func begin(at start: UInt64, _ replica: Replica<Row>) throws(ReplicaError) {
        if let row = placed.first(where: { $0.sort < start }) {
            throw .malformed("row \(row.id) comes to sort \(row.sort), and the list begins at \(start)")
        }
        remove(replica.rows.prefix { $0.sort < start }.indices, of: replica)
    }

    /// Removes rows, whatever else the frame does to them.
    private mutating func remove(_ indices: some Sequence<Int>, of replica: Replica<Row>) {
        let known = changes.deleted.count
        for index in indices where vacated.insert(index).inserted {
            replaced[index] = nil
            changes.deleted.append(replica.rows[index].id)
        }
        guard changes.deleted.count > known else { return }
        let gone = Set(changes.deleted)
        changes.reloaded.removeAll { gone.contains($0) }
        changes.reconfigured.removeAll { gone.contains($0) }
    }

    /// Removes the rows outside of what the replica will hold.
    mutating func leave(_ held: HeldRanges, of replica: Replica<Row>) throws(ReplicaError) {
        if let row = placed.first(where: { !held.contains($0.sort) }) {
            throw .malformed("row \(row.id) comes to sort \(row.sort), outside of the ranges")
        }
        var ranges = held.ranges[...]
        let outside = replica.rows.indices.filter { index in
            while let first = ranges.first, first.upperBound < replica.rows[index].sort { ranges.removeFirst() }
            return ranges.first?.contains(replica.rows[index].sort) != true
        }
        remove(outside, of: replica)
    }

    /// Removes the held rows of a range.
    mutating func leave(_ keys: SortKeys, of replica: Replica<Row>) {
        remove(
            replica.rows.firstIndex(from: keys.lowerBound)..<replica.rows.firstIndex(after: keys.upperBound),
            of: replica)
    }

    /// Returns the row as it will be at its new place; `nil` if it stays.
    private mutating func place(of move: ListMove<Row>, in replica: Replica<Row>) -> Row? {
        guard let index = replica.index(of: move.id), move.rev > replica.rows[index].rev else { return nil }
        var row = replica.rows[index]
        row.section = move.section
        row.sort = move.sort
        row.rev = move.rev
        row.tag = move.tag ?? row.tag
        vacated.insert(index)
        changes.moved.append(move.id)
        return row
    }

    /// Inserts a row. A held row that comes again with a later `rev` was deleted and made anew in between.
    private mutating func insert(_ row: Row, into replica: Replica<Row>) {
        if let index = replica.index(of: row.id) {
            guard row.rev > replica.rows[index].rev else { return }
            vacated.insert(index)
            if row.place != replica.rows[index].place { changes.moved.append(row.id) }
            changes.reloaded.append(row.id)
        } else {
            changes.inserted.append(row.id)
        }
        placed.append(row)
    }

    private mutating func reload(_ new: Row, in replica: Replica<Row>, _ moved: inout [Row.ID: Row]) {
        guard let index = replica.index(of: new.id), new.rev > replica.rows[index].rev else { return }
        var row = new
        let old = moved[new.id] ?? replica.rows[index]
        row.section = old.section
        row.sort = old.sort
        put(row, at: index, &moved)
        changes.reloaded.append(new.id)
    }

    private mutating func reconfigure(
        _ id: Row.ID, at rev: Revision, in replica: Replica<Row>, _ moved: inout [Row.ID: Row],
        _ change: (inout Row) -> Void
    ) {
        guard let index = replica.index(of: id), rev > replica.rows[index].rev else { return }
        var row = moved[id] ?? replica.rows[index]
        row.rev = rev
        change(&row)
        put(row, at: index, &moved)
        changes.reconfigured.append(id)
    }

    private mutating func patch(
        _ change: ListPatch<Row>, in replica: Replica<Row>, _ moved: inout [Row.ID: Row]
    ) throws(ReplicaError) {
        guard let index = replica.index(of: change.id), change.rev > replica.rows[index].rev else { return }
        var row = moved[change.id] ?? replica.rows[index]
        guard change.patch.apply(to: &row) else { throw .malformed("row \(change.id) grows from another text") }
        row.rev = change.rev
        put(row, at: index, &moved)
        if change.patch.reloads { changes.reloaded.append(change.id) } else { changes.reconfigured.append(change.id) }
    }

    private mutating func put(_ row: Row, at index: Int, _ moved: inout [Row.ID: Row]) {
        if moved[row.id] != nil { moved[row.id] = row } else { replaced[index] = row }
    }

    private mutating func resolvePlaces(into replica: Replica<Row>) throws(ReplicaError) {
        if placed.count > 1 {
            placed.sort { $0.place < $1.place }
            if let disorder = placed.firstDisorder { throw .malformed(disorder) }
        }
        for row in placed {
            let index = replica.rows.firstIndex(notBefore: row.place)
            guard index < replica.rows.count, replica.rows[index].place == row.place, !vacated.contains(index)
            else { continue }
            throw .malformed("row \(row.id) comes to the place of row \(replica.rows[index].id), sort \(row.sort)")
        }
    }
}

// MARK: - The digest after the change

extension ReplicaPlan {
    /// Returns the proof of the rows in a range after the change.
    ///
    /// - Complexity: O(log rows + rows in the range + placed).
    func proof(in keys: SortKeys, of replica: Replica<Row>) -> ListProof {
        var (count, digest) = (0, ListDigest())
        let rows = replica.rows.firstIndex(from: keys.lowerBound)..<replica.rows.firstIndex(after: keys.upperBound)
        for index in rows where !vacated.contains(index) {
            count += 1
            digest.add(replaced[index] ?? replica.rows[index])
        }
        for row in placed where keys.contains(row.sort) {
            count += 1
            digest.add(row)
        }
        return ListProof(count: count, digest: digest.value)
    }

    /// Checks a range's rows after the change against the server's proof.
    func check(_ range: ListRange, of replica: Replica<Row>) throws(ReplicaError) {
        guard let expected = range.proof else { return }
        let found = proof(in: range.keys, of: replica)
        guard found == expected else { throw .diverged(expected: expected, found: found) }
    }

    /// Returns the digest of the last rows after the change.
    ///
    /// - Complexity: O(placed) when rows come in at the end and nothing else happens, else O(``ListDigest/window``).
    func tail(of replica: Replica<Row>) -> ListDigest {
        let end = replica.rows.count
        let isAppend = vacated.isEmpty && replaced.isEmpty && firstAffected(in: replica) ?? end == end
        return isAppend && placed.count < ListDigest.window ? slid(replica) : merged(replica)
    }

    private func slid(_ replica: Replica<Row>) -> ListDigest {
        var digest = replica.tail
        let covered = min(ListDigest.window, replica.rows.count)
        let leaving = max(0, covered + placed.count - ListDigest.window)
        for row in replica.rows.suffix(covered).prefix(leaving) { digest.remove(row) }
        for row in placed { digest.add(row) }
        return digest
    }

    private func merged(_ replica: Replica<Row>) -> ListDigest {
        var digest = ListDigest()
        var placed = placed[...]
        var index = replica.rows.count - 1
        for _ in 0..<min(ListDigest.window, count(from: replica)) {
            while index >= 0, vacated.contains(index) { index -= 1 }
            if let row = placed.last, index < 0 || replica.rows[index].place < row.place {
                digest.add(row)
                placed.removeLast()
            } else {
                digest.add(replaced[index] ?? replica.rows[index])
                index -= 1
            }
        }
        return digest
    }
}
