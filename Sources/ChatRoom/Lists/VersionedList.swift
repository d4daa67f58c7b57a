import ChatWire

/// All rows of a short list that lives in memory, as of ``revision``, and those that were touched lately.
///
/// A change belongs to the next revision; ``commit(counts:)`` makes that revision the current one.
///
/// - Shape: `rows` ascending by (section, sort). All fields of a row but its id and place are light.
/// - Complexity: O(log *n*) for a row that stays in place; one that comes, goes or moves shifts the rows behind it.
struct VersionedList<Row: ListRow>: Sendable {
    private(set) var revision: Revision
    private(set) var rows: [Row]
    private var held: [Row.ID: Row]
    /// See ``ListDiff/counts``.
    private var counts: [Row.Section: Int]?
    /// See ``ListDiff/missing``.
    private(set) var missing: [Int] = []
    private var touches: TouchLog<Row>
    private var isTouched = false
    private let makeTag: @Sendable (Row) -> UniqueID?

    /// - Parameters:
    ///   - rows: the rows so far. Their earlier changes are unknown.
    ///   - counts: the number of rows in each section; `nil` if the list leaves none out.
    ///   - tag: makes a row's tag; `nil` for a list whose rows have none.
    init(
        _ rows: [Row] = [], at revision: Revision = 0, counts: [Row.Section: Int]? = nil,
        tagging tag: @escaping @Sendable (Row) -> UniqueID? = { _ in nil }
    ) {
        makeTag = tag
        self.rows = rows
        self.revision = revision
        self.counts = counts
        held = Dictionary(rows.map { ($0.id, $0) }) { $1 }
        touches = TouchLog(floor: revision)
    }

    subscript(id: Row.ID) -> Row? { held[id] }

    /// Returns the lowest sort key, not below the row's, at which no other row stands.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* rows that stand without a gap from the row's place on.
    func freeSort(for row: Row) -> UInt64 {
        var row = row
        // In each section, the first row that does not stand before the key.
        var places = Row.Section.allCases.map { section in
            row.section = section
            return (section: section, index: rows.firstIndex(notBefore: row.place))
        }
        while true {
            var isTaken = false
            for place in places.indices where stands(row.sort, at: places[place].index, in: places[place].section) {
                places[place].index += 1
                isTaken = true
            }
            guard isTaken else { return row.sort }
            row.sort += 1
        }
    }

    private func stands(_ sort: UInt64, at index: Int, in section: Row.Section) -> Bool {
        index < rows.endIndex && rows[index].sort == sort && rows[index].section == section
    }

    /// Returns the lowest sort key above those of a section.
    func end(of section: Row.Section) -> UInt64 {
        rows.last { $0.section == section }.map { $0.sort + 1 } ?? 0
    }

    /// Shows a row: adds it, moves it, or updates its light fields in place. Its `rev` and tag make no difference.
    mutating func show(_ row: Row) {
        var row = row
        row.rev = revision + 1
        let old = held[row.id]
        if let old, old.place == row.place, old.light == row.light { return }
        row.tag = makeTag(row)
        guard let old else { return add(row) }
        var history = touches[row.id] ?? RowHistory(id: row.id, inserted: 0, rev: 0)
        if old.place != row.place { history.moved = row.rev }
        if old.light != row.light { history.reconfigured = row.rev }
        history.row = row
        history.rev = row.rev
        removeRow(old)
        put(row)
        touch(history)
    }

    /// Removes a row, if it is there.
    mutating func hide(_ id: Row.ID) {
        guard let old = held.removeValue(forKey: id) else { return }
        removeRow(old)
        var history = touches[id] ?? RowHistory(id: id, inserted: 0, rev: 0)
        history.row = nil
        history.rev = revision + 1
        touch(history)
    }

    /// Adds a row. A reader that knew a former row with the id sees a move, because all other fields are light.
    private mutating func add(_ row: Row) {
        var history = RowHistory(
            id: row.id, row: row, inserted: row.rev, moved: row.rev, reconfigured: row.rev, rev: row.rev)
        if let past = touches[row.id] {
            history.earlier = (past.earlier + [past.inserted..<past.rev]).filter { $0.upperBound > touches.floor }
        }
        put(row)
        touch(history)
    }

    /// - Returns: the changes; `nil` if there are none, and then there is no new revision.
    mutating func commit(counts: [Row.Section: Int]? = nil, missing: [Int] = []) -> ListDiff<Row>? {
        guard isTouched || counts != self.counts || missing != self.missing else { return nil }
        self.counts = counts
        self.missing = missing
        revision += 1
        isTouched = false
        let diff = diff(since: revision - 1)
        touches.trim(rows: rows.count)
        return diff
    }

    private mutating func put(_ row: Row) {
        rows.insert(row, at: rows.firstIndex(notBefore: row.place))
        held[row.id] = row
    }

    private mutating func removeRow(_ row: Row) {
        var index = rows.firstIndex(notBefore: row.place)
        // While rows change places, two can have one.
        while rows[index].id != row.id { index += 1 }
        rows.remove(at: index)
    }

    private mutating func touch(_ history: RowHistory<Row>) {
        touches.touch(history)
        isTouched = true
    }
}

extension VersionedList {
    private var proof: ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
    }

    func diff(since base: Revision) -> ListDiff<Row>? {
        guard (touches.floor...revision).contains(base) else { return nil }
        var diff = ListDiff<Row>(from: base, to: revision, proof: proof, counts: counts, missing: missing)
        touches.add(to: &diff, since: base)
        return diff
    }

    /// Returns the diff for a reader that came with rows of another epoch, or of a revision that is forgotten.
    ///
    /// - Parameters:
    ///   - base: the reader's revision.
    ///   - tags: those of all rows that it holds.
    /// - Complexity: O(*n* + held).
    func diff(from base: Revision, holding tags: [Row.ID: UniqueID]) -> ListDiff<Row> {
        var diff = ListDiff<Row>(from: base, to: revision, proof: proof, counts: counts, missing: missing)
        let same = rows.filter { $0.tag != nil && $0.tag == tags[$0.id] }
        let kept = commonestRevision(of: same)
        diff.kept = kept
        diff.insertions = rows.filter { $0.rev != kept || $0.tag == nil || $0.tag != tags[$0.id] }
        diff.deletions = tags.keys.filter { held[$0] == nil }.sorted { $0.description < $1.description }
        return diff
    }

    /// Returns the diff for a reader that holds more rows than it can name.
    ///
    /// - Parameters:
    ///   - base: the reader's revision.
    ///   - sums: those of all rows that it holds.
    /// - Returns: `nil` if the rows of this list have no tags.
    /// - Complexity: O(*n*), with a hash of each row's tag.
    func diff(from base: Revision, holding sums: RowSums) -> ListDiff<Row>? {
        guard let own = RowSums(of: rows) else { return nil }
        let groups = own.groups(unlike: sums)
        let other = Set(groups)
        let same = rows.filter { !other.contains(RowSums.group(of: $0)) }
        var diff = ListDiff<Row>(from: base, to: revision, proof: proof, counts: counts, missing: missing)
        let kept = commonestRevision(of: same)
        diff.kept = kept
        diff.groups = groups
        diff.insertions = rows.filter { $0.rev != kept || other.contains(RowSums.group(of: $0)) }
        return diff
    }

    private func commonestRevision(of rows: [Row]) -> Revision {
        let revs = Dictionary(grouping: rows, by: \.rev).mapValues(\.count)
        return revs.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? revision
    }

    /// All rows. The list's owner keeps it short.
    var snapshot: ListSnapshot<Row> {
        ListSnapshot(revision: revision, rows: rows, more: false, proof: proof, counts: counts, missing: missing)
    }
}
