// Insertion sort of many rows at once, with one snapshot for each step. Each row is a section whose bars are deleted
// and appended again in their new order: the difference is the one bar that moved.

import Diffable
import ExampleTerminal

var rows = [[5, 2, 8, 1, 9, 3], [3, 1, 2], [4, 4, 7, 6, 1]].enumerated().map { number, lengths in
    SortingRow(lengths, from: number * 100)
}
let table = TerminalTable<Int, Bar>()
let source = DiffableDataSource<TerminalTable<Int, Bar>, Int, Bar>(view: table) { _, _, bar, _ in
    String(repeating: "█", count: bar.length)
}
source.sectionHeaderProvider = { _, place, _ in rows[place].isSorted ? "sorted" : "row \(place)" }
table.source = source

var snapshot = Snapshot<Int, Bar>()
for (number, row) in rows.enumerated() {
    snapshot.appendSections([number])
    snapshot.appendItems(row.bars, toSection: number)
}
print("Unsorted")
source.apply(snapshot)

var step = 0
while let unsorted = rows.firstIndex(where: { !$0.isSorted }) {
    step += 1
    print("Step \(step)")
    snapshot = source.snapshot()
    for number in rows.indices.dropFirst(unsorted) where !rows[number].isSorted {
        snapshot.deleteItems(rows[number].bars)
        rows[number].step()
        snapshot.appendItems(rows[number].bars, toSection: number)
    }
    source.apply(snapshot)
}
print("Sorted: \(rows.map { $0.bars.map(\.length) })")
