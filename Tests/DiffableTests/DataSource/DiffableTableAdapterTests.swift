import Diffable
import TestSupport
import Testing

private typealias Table = RecordingTable<String, Int>

@Suite
struct DiffableTableAdapterTests {
    private let table = Table()
    private let adapter: DiffableTableAdapter<Table, String, Int>

    init() {
        let source = DiffableDataSource<Table, String, Int>(view: table) { _, _, item, _ in "\(item)" }
        table.attach(source)
        adapter = DiffableTableAdapter(view: table, dataSource: source)
        adapter.applyInitialSnapshot(sections: ["a", "b"], itemsBySection: ["a": [1, 2, 3]])
    }

    @Test
    func theFirstSnapshotIsNotAnimated() {
        #expect(table.rows == [["1", "2", "3"], []] && table.wasAnimated == [false])
    }

    @Test
    func itemsAreAppendedDeletedAndMoved() {
        adapter.append([4], to: "b")
        adapter.delete([2, 9])
        adapter.move([1, 9], to: "b")

        #expect(adapter.items(in: "a") == [3] && adapter.items(in: "b") == [4, 1])
        #expect(adapter.items(in: "nowhere") == [] && adapter.sectionIdentifier(at: 1) == "b")
        #expect(table.performed.last?.movedItems.count == 1)
    }

    @Test
    func aShuffleKeepsTheItemsOfTheSection() {
        var random = SplitMix64(seed: 3)
        adapter.append(Array(10..<40), to: "a")

        adapter.shuffle(section: "a", using: &random)

        let items = adapter.items(in: "a")
        #expect(items.sorted() == [1, 2, 3] + Array(10..<40) && items != items.sorted())
        #expect(table.rows[0] == items.map { "\($0)" })
    }

    @Test
    func refreshesComeOneOrMany() {
        adapter.reload(1)
        adapter.reload([1, 2])
        adapter.reconfigure(3)
        adapter.reconfigure([1, 3])

        #expect(table.performed.map(\.reloadedItems.count) == [0, 1, 2, 0, 0])
        #expect(table.performed.map(\.reconfiguredItems.count) == [0, 0, 0, 1, 2])
    }

    @Test
    func heightsComeFromNobodyClosuresOrTheView() {
        let (row, none) = (ItemPath(section: 0, item: 1), ItemPath(section: 1, item: 0))
        #expect(adapter.heightForRow(at: row) == nil && adapter.estimatedHeightForRow(at: row) == nil)

        adapter.setHeightProviders(height: { _, item in Double(item) * 10 }, estimated: { path, _ in Double(path.row) })
        #expect(adapter.heightForRow(at: row) == .fixed(20) && adapter.estimatedHeightForRow(at: row) == 1)

        adapter.enableAutomaticDimension()
        #expect(adapter.heightForRow(at: row) == .automatic && adapter.estimatedHeightForRow(at: row) == 60)
        #expect(adapter.heightForRow(at: none) == nil && adapter.estimatedHeightForRow(at: none) == nil)
    }

    @Test
    func completionsComeWithEveryOperation() {
        let heard = Heard()
        adapter.append([5], to: "a") { heard("append") }
        adapter.delete([77]) { heard("delete nothing") }
        adapter.shuffle(section: "b") { heard("shuffle nothing") }

        #expect(heard.words == ["append", "delete nothing", "shuffle nothing"])
    }

    @Test
    func operationsAreLoggedIfAskedFor() {
        let heard = Heard()
        adapter.log = { heard($0) }
        adapter.delete([1])
        adapter.enableLogging = true

        adapter.append([8], to: "b")

        #expect(heard.words == ["appends [8] to b"])
    }
}
