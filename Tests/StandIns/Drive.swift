// Drives the adapters for UIKit with random lists, against a stand-in that holds every batch to UIKit's rule of counts.

import Diffable
import DiffableCompatibility
import DiffableViews
import UIKit

@main
@MainActor
enum Drive {
    static func main() {
        drivePlainViews()
        driveNamesOfUIKit()
    }

    private static func drivePlainViews() {
        var random = SplitMix64(seed: 7)
        let table = UITableView()
        let rows = TableViewDataSource<Int, Int>(tableView: table) { _, _, _ in UITableViewCell() }
        let grid = UICollectionView()
        let cells = CollectionViewDataSource<Int, Int>(collectionView: grid) { _, _, _ in UICollectionViewCell() }
        (table.window, grid.window) = (UIView(), UIView())
        var completions = 0
        for round in 0..<2_000 {
            let list = anyList(&random, marking: rows.list.snapshot())
            rows.list.apply(list, animatingDifferences: round % 2 == 0) { completions += 1 }
            cells.list.apply(list) { completions += 1 }
        }
        precondition(completions == 4_000 && table.reloads == 0 && grid.reloads == 0)
        precondition(table.batches.count > 2_000 && grid.batches.count == table.batches.count)

        table.window = nil
        rows.list.update { $0.deleteAllItems() }
        precondition(table.reloads == 1 && rows.numberOfSections(in: table) == 0)
        rows.tableView(table, moveRowAt: IndexPath(item: 0, section: 0), to: IndexPath(item: 1, section: 0))
        precondition(table.reloads == 2)
        print("\(table.batches.count) batches of 2,000 changes kept the rule of counts")
    }

    /// Headers and footers by Diffable's kinds, by a provider of their own, and by UIKit's kinds with the names of UIKit.
    private static func driveNamesOfUIKit() {
        let grid = UICollectionView()
        let cells = CollectionViewDataSource<Int, Int>(collectionView: grid) { _, _, _ in UICollectionViewCell() }
        var list = NSDiffableDataSourceSnapshot<Int, Int>()
        list.appendSections([0])
        cells.list.apply(list)
        let kinds = [UICollectionView.elementKindSectionHeader, UICollectionView.elementKindSectionFooter, "badge"]
        let views = kinds.map { _ in UICollectionReusableView() }
        func expectViews() {
            for (kind, view) in zip(kinds, views) {
                let shown = cells.collectionView(
                    grid, viewForSupplementaryElementOfKind: kind, at: IndexPath(item: 0, section: 0))
                precondition(shown === view, "another view of kind \(kind)")
            }
        }

        cells.list.supplementaryProvider = { _, kind, _ in
            [.header: views[0], .footer: views[1], SupplementaryKind(rawValue: "badge"): views[2]][kind]
        }
        expectViews()
        cells.list.sectionHeaderProvider = { _, _, _ in views[0] }
        cells.list.supplementaryProvider = { _, kind, _ in
            [.footer: views[1], SupplementaryKind(rawValue: "badge"): views[2]][kind]
        }
        expectViews()
        cells.list.sectionHeaderProvider = nil
        cells.list.supplementaryViewProvider = { _, kind, _ in
            switch kind {
            case UICollectionView.elementKindSectionHeader: return views[0]
            case UICollectionView.elementKindSectionFooter: return views[1]
            case "badge": return views[2]
            default: preconditionFailure("asked for the kind \(kind), which is none of UIKit's")
            }
        }
        expectViews()
        print("headers and footers come by UIKit's kinds, too")
    }

    private static func anyList(_ random: inout SplitMix64, marking shown: Snapshot<Int, Int>) -> Snapshot<Int, Int> {
        var list = Snapshot<Int, Int>()
        var items = (0..<20).shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random))
        for section in (0..<5).shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random)) {
            list.appendSections([section])
            let count = Int.random(in: 0...items.count, using: &random)
            list.appendItems(Array(items.prefix(count)))
            items = items.dropFirst(count)
        }
        list.reloadItems(list.itemIdentifiers.filter { $0 % 5 == 0 && shown.contains($0) })
        list.reconfigureItems(list.itemIdentifiers.filter { $0 % 5 == 1 && shown.contains($0) })
        list.reloadSections(list.sectionIdentifiers.filter { $0 == 4 })
        return list
    }
}
