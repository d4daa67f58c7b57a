// Rows that are as tall as their text needs, computed, guessed, or left to the view.

import Diffable
import ExampleTerminal

struct Note: Hashable, Sendable {
    var number: Int
    var text: String

    /// Returns the number of lines at a width in columns.
    func lines(of columns: Int) -> Int { (text.count + columns - 1) / columns }
}

let notes = [
    Note(number: 1, text: "Milk"),
    Note(number: 2, text: "Ask whether the room on the second floor is free on Tuesday afternoon"),
    Note(number: 3, text: "Call Ann about the tickets"),
]
let table = TerminalTable<String, Note>()
let source = DiffableDataSource<TerminalTable<String, Note>, String, Note>(view: table) { _, _, note, _ in note.text }
table.source = source
let adapter = DiffableTableAdapter(view: table, dataSource: source)

@MainActor
func tell() {
    for item in 0..<source.numberOfItems(inSection: 0) {
        let path = ItemPath(row: item, section: 0)
        let height = adapter.heightForRow(at: path).map { "\($0)" } ?? "nobody says"
        let estimate = adapter.estimatedHeightForRow(at: path).map { "\($0)" } ?? "nobody guesses"
        print("  \(path): \(height), \(estimate)")
    }
    print("")
}

print("The notes")
adapter.applyInitialSnapshot(sections: ["notes"], itemsBySection: ["notes": notes])

print("Nobody has said how tall they are")
tell()

print("Computed for 20 columns; a guess is one line")
adapter.setHeightProviders(
    height: { _, note in Double(note.lines(of: 20)) },
    estimated: { _, _ in 1 })
tell()

print("The long one is gone, and so is its height")
adapter.delete([notes[1]])
tell()

print("Left to the view, about 2 lines each")
adapter.enableAutomaticDimension(estimatedRowHeight: 2)
tell()
