// A playlist: four kinds of cell, rows that are dragged, swiped away, starred and moved between sections.

import Diffable
import ExampleTerminal

var library = Library()
typealias Table = TerminalTable<PlaylistSection, PlaylistRow>
typealias Source = BaseReorderableDiffableDataSource<Table, PlaylistSection, PlaylistRow>

let table = Table()
let source = Source.create(
    view: table, allowCrossSectionMove: true, allowReordering: true
) { _, _, row, _ in library.cell(row) }
source.sectionHeaderProvider = { _, _, section in section.rawValue.uppercased() }
source.canMoveItem = { $0 != .advert }
table.source = source
let adapter = DiffableTableAdapter(view: table, dataSource: source)

print("The playlist opens")
adapter.applyInitialSnapshot(
    sections: [.favourites, .upNext],
    itemsBySection: [.upNext: [.song(1), .podcast(1), .advert, .song(2), .album(1)]]
)

print("A song is starred: its row is filled in again, and moves to the favourites")
library.starred.insert(.song(2))
source.update { snapshot in
    snapshot.reconfigureItems([.song(2)])
    snapshot.appendItems([.song(2)], toSection: .favourites)
}

print("The podcast is dragged to the top of the favourites")
source.didReorder = { transaction in
    let names = transaction.sectionTransactions.map(\.sectionIdentifier.rawValue)
    print("  written to the store: \(names.joined(separator: ", "))")
}
try table.drag(from: ItemPath(section: 1, item: 1), to: ItemPath(section: 0, item: 0))

print("The advert does not let itself be dragged")
do {
    try table.drag(from: ItemPath(section: 1, item: 1), to: ItemPath(section: 1, item: 0))
} catch {
    print("  \(error)\n")
}

print("The advert is swiped away")
adapter.delete([.advert])

print("A song is replaced by its remaster: another identity, so one row goes and another comes")
library.titles[.song(101)] = "Blue in Green (remastered)"
source.update { snapshot in
    snapshot.insertItems([.song(101)], afterItem: .song(1))
    snapshot.deleteItems([.song(1)])
}
