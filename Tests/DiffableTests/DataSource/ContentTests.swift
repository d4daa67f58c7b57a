import Diffable
import TestSupport
import Testing

/// An identifier that carries its own content.
private struct Note<ID: Numbered>: Hashable, Sendable {
    var id: ID
    var text: String

    static func == (a: Note, b: Note) -> Bool { a.id == b.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A table of notes.
private struct Notebook<ID: Numbered> {
    let table = RecordingTable<Int, Note<ID>>()
    let source: DiffableDataSource<RecordingTable<Int, Note<ID>>, Int, Note<ID>>

    init() {
        source = DiffableDataSource(view: table) { _, _, note, _ in note.text }
        table.attach(source)
        source.isContentEqual = { $0.text == $1.text }
    }

    func show(_ notes: [Note<ID>]) {
        var snapshot = Snapshot<Int, Note<ID>>()
        snapshot.appendSections([0])
        snapshot.appendItems(notes)
        source.apply(snapshot)
    }
}

@Suite
struct ContentTests {
    private let notebook = Notebook<Int>()
    private var table: RecordingTable<Int, Note<Int>> { notebook.table }
    private var source: DiffableDataSource<RecordingTable<Int, Note<Int>>, Int, Note<Int>> { notebook.source }

    private func show(_ notes: [Note<Int>]) { notebook.show(notes) }

    @Test
    func whatHasOtherContentsIsFilledInAgain() {
        show([Note(id: 1, text: "a"), Note(id: 2, text: "b"), Note(id: 3, text: "c")])
        show([Note(id: 3, text: "c"), Note(id: 1, text: "A"), Note(id: 2, text: "b"), Note(id: 4, text: "d")])

        #expect(table.rows == [["c", "A", "b", "d"]])
        #expect(table.performed.last?.reconfiguredItems.map(\.to) == [ItemPath(section: 0, item: 1)])
        #expect(table.performed.last?.reloadedItems.isEmpty == true)
    }

    @Test
    func nothingIsAskedOfWhatIsShared() {
        show((0..<1_000).map { Note(id: $0, text: "\($0)") })
        var asked = 0
        source.isContentEqual = { old, new in
            asked += 1
            return old.text == new.text
        }

        source.update { $0.appendItems([Note(id: 1_000, text: "new")]) }

        #expect(asked <= 128)
    }

    @Test(arguments: UInt64(0)..<10, Hashes.allCases)
    func theTableShowsTheContentsThatCameLast(seed: UInt64, hashes: Hashes) {
        showsTheLast(seed, hashes.identifier)
    }

    private func showsTheLast<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        let notebook = Notebook<ID>()
        for _ in 0..<10 {
            let numbers = (0..<200).shuffled(using: &random).prefix(Int.random(in: 0..<200, using: &random))
            let notes = numbers.map { Note(id: ID($0), text: "\($0) \(Int.random(in: 0..<2, using: &random))") }
            notebook.show(notes)
            #expect(notebook.table.rows == [notes.map(\.text)])
        }
    }
}
