// A search in a list of mountains: every keystroke makes a snapshot of the matches.

import Diffable
import ExampleTerminal

struct Mountain: Hashable, Sendable {
    var name: String
    var metres: Int
}

let mountains = [
    Mountain(name: "Mount Everest", metres: 8849), Mountain(name: "K2", metres: 8611),
    Mountain(name: "Kangchenjunga", metres: 8586), Mountain(name: "Lhotse", metres: 8516),
    Mountain(name: "Makalu", metres: 8485), Mountain(name: "Aconcagua", metres: 6961),
    Mountain(name: "Denali", metres: 6190), Mountain(name: "Kilimanjaro", metres: 5895),
    Mountain(name: "Mont Blanc", metres: 4806), Mountain(name: "Mount Fuji", metres: 3776),
]

let table = TerminalTable<Int, Mountain>()
let source = DiffableDataSource<TerminalTable<Int, Mountain>, Int, Mountain>(view: table) { _, _, mountain, _ in
    "\(mountain.name), \(mountain.metres) m"
}
table.source = source

for search in ["", "k", "ka", "k", "mo", "mount", ""] {
    print("Search: \"\(search)\"")
    var snapshot = Snapshot<Int, Mountain>()
    snapshot.appendSections([0])
    snapshot.appendItems(mountains.filter { search.isEmpty || $0.name.lowercased().contains(search) })
    source.apply(snapshot)
}
