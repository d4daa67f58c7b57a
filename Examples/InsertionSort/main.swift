// Insertion sort, one snapshot per step: each step that changes anything is one row that moves.

import Diffable
import ExampleTerminal

/// Bars of one length are still different bars: the identifier is the bar's number.
struct Bar: Hashable, Sendable {
    var number: Int
    var length: Int
}

let lengths = [5, 2, 8, 1, 9, 3, 3, 7]
let table = TerminalTable<Int, Bar>()
let source = DiffableDataSource<TerminalTable<Int, Bar>, Int, Bar>(view: table) { _, _, bar, _ in
    String(repeating: "█", count: bar.length)
}
table.source = source

var snapshot = Snapshot<Int, Bar>()
snapshot.appendSections([0])
snapshot.appendItems(lengths.enumerated().map { Bar(number: $0.offset, length: $0.element) })
print("Unsorted")
source.apply(snapshot)

for bar in snapshot.itemIdentifiers.dropFirst() {
    let place = snapshot.indexOfItem(bar)!
    let sorted = snapshot.itemIdentifiers.prefix(place)
    guard let next = sorted.first(where: { $0.length > bar.length }) else { continue }
    snapshot.moveItem(bar, beforeItem: next)
    print("\(bar.length) goes before \(next.length)")
    source.apply(snapshot)
}
print("Sorted: \(snapshot.itemIdentifiers.map(\.length))")
