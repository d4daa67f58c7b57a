import ChatWire

/// All rows of a room's members as of ``revision``, and those that were touched lately.
///
/// A change belongs to the next revision; ``commit(counts:)`` makes that revision the current one.
///
/// - Shape: `rows` ascending by (section, sort).
/// - Complexity: O(log *n*) for a row that stays in place; one that comes, goes or moves shifts the rows behind it.
struct MembersList: Sendable {
    private(set) var revision: Revision = 0
    private(set) var rows: [Member] = []
    private var held: [UserName: Member] = [:]
    /// All people in each section, including those without a row.
    private var counts: [Member.Section: Int] = [.online: 0, .offline: 0]
    private var touches = TouchLog<Member>(floor: 0)
    private var isTouched = false

    init() {}

    /// - Parameter rows: the members so far, all of them offline.
    init(_ rows: [Member], at revision: Revision) {
        self.rows = rows
        self.revision = revision
        held = Dictionary(rows.map { ($0.id, $0) }) { $1 }
        counts[.offline] = rows.count
        touches = TouchLog(floor: revision)
    }

    /// Shows a person's row: adds it, moves it, or updates its light fields in place.
    mutating func show(_ id: UserName, _ section: Member.Section, _ sort: UInt64, _ light: Member.Light) {
        let row = Member(id: id, section: section, sort: sort, rev: revision + 1, light: light)
        guard let old = held[id] else { return add(row) }
        guard old.place != row.place || old.light != light else { return }
        var history = touches[id] ?? RowHistory(id: id, inserted: 0, rev: 0)
        if old.place != row.place { history.moved = row.rev }
        if old.light != light { history.reconfigured = row.rev }
        history.row = row
        history.rev = row.rev
        take(old)
        put(row)
        touch(history)
    }

    /// Removes a person's row, if there is one.
    mutating func hide(_ id: UserName) {
        guard let old = held.removeValue(forKey: id) else { return }
        take(old)
        var history = touches[id] ?? RowHistory(id: id, inserted: 0, rev: 0)
        history.row = nil
        history.rev = revision + 1
        touch(history)
    }

    /// Adds a row. A reader that knew the person's former row sees a move, because all other fields are light.
    private mutating func add(_ row: Member) {
        var history = RowHistory(
            id: row.id, row: row, inserted: row.rev, moved: row.rev, reconfigured: row.rev, rev: row.rev)
        if let past = touches[row.id] {
            history.earlier = (past.earlier + [past.inserted..<past.rev]).filter { $0.upperBound > touches.floor }
        }
        put(row)
        touch(history)
    }

    /// - Returns: the changes; `nil` if there are none, and then there is no new revision.
    mutating func commit(counts: [Member.Section: Int]) -> ListDiff<Member>? {
        guard isTouched || counts != self.counts else { return nil }
        self.counts = counts
        revision += 1
        isTouched = false
        let diff = diff(since: revision - 1)
        touches.trim()
        return diff
    }

    private mutating func put(_ row: Member) {
        rows.insert(row, at: rows.firstIndex(notBefore: row.place))
        held[row.id] = row
    }

    private mutating func take(_ row: Member) {
        rows.remove(at: rows.firstIndex(notBefore: row.place))
    }

    private mutating func touch(_ history: RowHistory<Member>) {
        touches.touch(history)
        isTouched = true
    }
}

extension MembersList {
    private var proof: ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
    }

    func diff(since base: Revision) -> ListDiff<Member>? {
        guard (touches.floor...revision).contains(base) else { return nil }
        var diff = ListDiff<Member>(from: base, to: revision, proof: proof, counts: counts)
        touches.add(to: &diff, since: base)
        return diff
    }

    /// All rows. The list's policy keeps it short.
    var snapshot: ListSnapshot<Member> {
        ListSnapshot(revision: revision, rows: rows, more: false, proof: proof, counts: counts)
    }
}
