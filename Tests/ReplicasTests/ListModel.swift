import ChatWire
import Replicas
import TestSupport

/// A row with only the fields that the protocol needs.
struct Card: ListRow {
    enum Section: String, ListSection {
        case front
        case middle
        case back

        var order: Int {
            switch self {
            case .front: 0
            case .middle: 1
            case .back: 2
            }
        }
    }

    let id: Int
    var section = Section.middle
    var sort: UInt64
    var rev: Revision
    var text = 0
    var light = 0

    static func mix(_ id: Int, into hash: inout FNVHash) {
        hash.mix(String(id))
    }
}

/// Every revision of a list, each kept whole: slow, and easy to trust.
struct ListModel {
    /// The kinds of change to the list.
    enum Life {
        /// Rows are added at the end and keep their places, like messages.
        case appending
        /// Rows come anywhere, move between sections, and come back after deletion.
        case anything
    }

    static let epoch = Epoch("model")!
    let life: Life
    var random: SplitMix64
    private(set) var states: [[Card]] = [[]]

    init(seed: UInt64, _ life: Life, revisions: Int) {
        self.life = life
        random = SplitMix64(seed: seed)
        for _ in 0..<revisions { step() }
    }

    var revision: Revision { Revision(states.count - 1) }

    func rows(at revision: Revision) -> [Card] { states[Int(revision)] }

    mutating func revision(from low: Revision = 0) -> Revision {
        Revision.random(in: low...revision, using: &random)
    }

    mutating func step() {
        var rows = states[states.count - 1]
        let next = Revision(states.count)
        // Half of the changes concern the same few rows, so that pages and diffs disagree about some.
        let hot = rows.indices.suffix(80).prefix(Bool.random(using: &random) ? 8 : 80)
        let place = hot.randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), place) {
        case (0, let place?): rows.remove(at: place)
        case (1, let place?):
            rows[place].text += 1
            rows[place].rev = next
        case (2, let place?):
            rows[place].light += 1
            rows[place].rev = next
        case (3, let place?) where life == .anything:
            (rows[place].section, rows[place].sort) = freePlace(among: rows)
            rows[place].rev = next
        default: insert(into: &rows, at: next)
        }
        states.append(rows.sorted { ($0.section, $0.sort) < ($1.section, $1.sort) })
    }

    private mutating func insert(into rows: inout [Card], at revision: Revision) {
        guard life == .anything else { return rows.append(Card(id: Int(revision), sort: revision, rev: revision)) }
        let id = free(below: 400, Set(rows.map(\.id)))
        let (section, sort) = freePlace(among: rows)
        rows.append(Card(id: id, section: section, sort: sort, rev: revision))
    }

    private mutating func freePlace(among rows: [Card]) -> (Card.Section, UInt64) {
        let section = Card.Section.allCases.randomElement(using: &random) ?? .middle
        return (section, UInt64(free(below: 2_000, Set(rows.map { Int($0.sort) }))))
    }

    private mutating func free(below limit: Int, _ taken: Set<Int>) -> Int {
        while true {
            let number = Int.random(in: 0..<limit, using: &random)
            if !taken.contains(number) { return number }
        }
    }
}

extension ListModel {
    func proof(at revision: Revision) -> ListProof {
        let rows = rows(at: revision)
        return ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
    }

    func snapshot(at revision: Revision, limit: Int = .max) -> ListSnapshot<Card> {
        let rows = rows(at: revision)
        return ListSnapshot(
            revision: revision, rows: rows.suffix(limit), more: limit < rows.count, proof: proof(at: revision))
    }

    func replica(at revision: Revision, limit: Int = .max) throws -> Replica<Card> {
        try Replica(epoch: Self.epoch, joined: revision, snapshot(at: revision, limit: limit))
    }

    func page(at revision: Revision, before sort: UInt64, limit: Int) -> ListPage<Card> {
        let older = rows(at: revision).filter { $0.sort < sort }
        return ListPage(revision: revision, rows: older.suffix(limit), before: sort, more: limit < older.count)
    }

    func diff(from base: Revision, to target: Revision) -> ListDiff<Card> {
        var diff = ListDiff<Card>(from: base, to: target, proof: proof(at: target))
        let old = Dictionary(uniqueKeysWithValues: rows(at: base).map { ($0.id, $0) })
        let new = rows(at: target)
        diff.deletions = Set(old.keys).subtracting(new.map(\.id)).sorted()
        for row in new where row.rev > base {
            guard let before = old[row.id] else {
                diff.insertions.append(row)
                continue
            }
            if (before.section, before.sort) != (row.section, row.sort) {
                diff.moves.append(ListMove(id: row.id, section: row.section, sort: row.sort, rev: row.rev))
            }
            if before.text != row.text {
                diff.reloads.append(row)
            } else if before.light != row.light {
                diff.reconfigurations.append(ListReconfiguration(id: row.id, rev: row.rev, light: row.light))
            } else if (before.section, before.sort) == (row.section, row.sort) {
                diff.reloads.append(row)  // away and back again: only its `rev` is new
            }
        }
        return diff
    }
}

extension ListPage {
    /// A page that goes up to a sort key, or to its last row.
    init(revision: Revision, rows: [Row], before: UInt64? = nil, more: Bool) {
        let end = before.map { $0 == 0 ? 0 : $0 - 1 } ?? rows.last?.sort ?? 0
        self.init(
            revision: revision, from: more ? rows.first?.sort ?? end + 1 : 0, to: end, rows: rows, more: more,
            newer: true)
    }
}
