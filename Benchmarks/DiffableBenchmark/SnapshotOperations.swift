import Diffable
import FoundationEssentials

/// The costs of a snapshot's operations, on 10 sections.
enum SnapshotOperations {
    static func run(_ n: Int) {
        let ids = (0..<n).map(UUID.make)
        let new = UUID.make(-1)
        let sections = (0..<10).map { Array(ids[$0 * n / 10..<($0 + 1) * n / 10]) }
        let full = build(sections)
        let middle = ids[n / 2 + n / 20]
        print("snapshot operations, n = \(n) in 10 sections, UUID")
        time("build, a section at once") { build(sections).numberOfItems }
        time("build, one by one") {
            var snapshot = Snapshot<Int, UUID>()
            for (section, ids) in sections.enumerated() {
                snapshot.appendSections([section])
                for id in ids { snapshot.appendItems([id], toSection: section) }
            }
            return snapshot.numberOfItems
        }
        time("itemIdentifiers") { full.itemIdentifiers.count }
        time("1,000 indexOfItem") { ids.prefix(1_000).reduce(0) { $0 + full.indexOfItem($1)! } }
        time("1,000 containing section") {
            ids.prefix(1_000).reduce(0) { $0 + full.sectionIdentifier(containingItem: $1)! }
        }
        edit("append 1", full) { $0.appendItems([new], toSection: 5) }
        edit("insert after middle", full) { $0.insertItems([new], afterItem: middle) }
        edit("delete middle", full) { $0.deleteItems([middle]) }
        edit("move middle to first", full) { $0.moveItem(middle, beforeItem: ids[0]) }
        edit("reload middle", full) { $0.reloadItems([middle]) }
    }

    /// A million rows in 1,000 sections: insertions of about as many rows as a page takes, and deletions in all pages.
    static func runMillion() {
        let full = build((0..<1_000).map { Array($0 * 1_000..<($0 + 1) * 1_000) })
        print("snapshot operations, n = 1000000 in 1000 sections, Int")
        for count in [48, 49, 64, 65] {
            let new = (1...count).map { -$0 }
            edit("insert \(count)", full) { $0.insertItems(new, beforeItem: 500_500) }
            edit("insert \(count) at the front", full) { $0.insertItems(new, beforeItem: 500_000) }
        }
        let gone = Array(stride(from: 0, to: 1_000_000, by: 64))
        edit("delete each 64th", full) { $0.deleteItems(gone) }
    }

    private static func build<ID: Identifier>(_ sections: [[ID]]) -> Snapshot<Int, ID> {
        var snapshot = Snapshot<Int, ID>()
        snapshot.appendSections(Array(sections.indices))
        for (section, ids) in sections.enumerated() { snapshot.appendItems(ids, toSection: section) }
        return snapshot
    }

    private static func edit<ID: Identifier>(
        _ name: String, _ full: Snapshot<Int, ID>, _ change: @escaping (inout Snapshot<Int, ID>) -> Void
    ) {
        time("copy + \(name)") {
            var copy = full
            change(&copy)
            return copy.numberOfItems
        }
        time("copy + \(name) + diff") {
            var copy = full
            change(&copy)
            return copy.difference(from: full).insertedItems.count
        }
    }

    private static func time(_ name: String, _ body: @escaping () -> Int) {
        Report.line(name, measure([body]))
    }
}
