import Diffable
import TestSupport
import Testing

/// An identifier that carries its own content.
private struct Note: Hashable, Sendable {
    var id: Int
    var text: String

    static func == (a: Note, b: Note) -> Bool { a.id == b.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@Suite
struct ContentTests {
    private let table = RecordingTable<Int, Note>()
    private let source: DiffableDataSource<RecordingTable<Int, Note>, Int, Note>

    init() {
        source = DiffableDataSource(view: table) { _, _, note, _ in note.text }
        table.attach(source)
        source.isContentEqual = { $0.text == $1.text }
    }

    private func show(_ notes: [Note]) {
        var snapshot = Snapshot<Int, Note>()
        snapshot.appendSections([0])
        snapshot.appendItems(notes)
        source.apply(snapshot)
    }

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

    @Test(arguments: UInt64(0)..<30)
    func theTableShowsTheContentsThatCameLast(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20 {
            let ids = (0..<300).shuffled(using: &random).prefix(Int.random(in: 0..<300, using: &random))
            let notes = ids.map { Note(id: $0, text: "\($0) \(Int.random(in: 0..<2, using: &random))") }
            show(notes)
            #expect(table.rows == [notes.map(\.text)])
        }
    }
}
