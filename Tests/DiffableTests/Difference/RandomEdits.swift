import Diffable
import TestSupport

/// Lists of many pages of rows, and changes of a few rows or of stretches of them, near each other and far apart.
struct RandomEdits<ID: Numbered> {
    var random: SplitMix64
    private var next = 100_000

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Returns three sections, which are shorter if many items share a hash and searching is slow.
    mutating func list(hasFewHashes: Bool) -> Snapshot<Int, ID> {
        var snapshot = Snapshot<Int, ID>()
        for section in 0..<3 {
            snapshot.appendSections([section])
            let count = Int.random(in: 0..<(hasFewHashes ? 250 : 1_500), using: &random)
            snapshot.appendItems((section * 10_000..<section * 10_000 + count).map { ID($0) })
        }
        return snapshot
    }

    mutating func edit(_ snapshot: inout Snapshot<Int, ID>) {
        let items = snapshot.itemIdentifiers
        let stretch = self.stretch(of: items)
        let anchor = items.randomElement(using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: snapshot.deleteItems(Array(stretch))
        case 1, 2: insert(fresh(Int.random(in: 1...3, using: &random)), at: anchor, in: &snapshot)
        case 3: insert(fresh(Int.random(in: 1...200, using: &random)), at: anchor, in: &snapshot)
        case 4, 5: insert(Array(stretch.prefix(2)), at: anchor, in: &snapshot)
        case 6: insert(Array(stretch), at: anchor, in: &snapshot)
        case 7: insert(stretch.shuffled(using: &random), at: anchor, in: &snapshot)
        case 8: snapshot.deleteItems(Array(items.dropFirst(64 * (items.count / 128)).prefix(64)))  // often a whole page
        default: snapshot.appendItems(fresh(1), toSection: Int.random(in: 0..<3, using: &random))
        }
    }

    private mutating func stretch(of items: [ID]) -> ArraySlice<ID> {
        let start = Int.random(in: 0...items.count, using: &random)
        return items[start...].prefix(Int.random(in: 0...150, using: &random))
    }

    private mutating func fresh(_ count: Int) -> [ID] {
        defer { next += count }
        return (next..<next + count).map { ID($0) }
    }

    private mutating func insert(_ items: [ID], at anchor: ID?, in snapshot: inout Snapshot<Int, ID>) {
        guard let anchor, !items.contains(anchor) else { return }
        if Bool.random(using: &random) {
            snapshot.insertItems(items, beforeItem: anchor)
        } else {
            snapshot.insertItems(items, afterItem: anchor)
        }
    }
}
