import Diffable
import TestSupport
import Testing

/// Items that get other identifiers.
@Suite
struct RenamingTests {
    private func list(_ items: [String]) -> Snapshot<Int, String> {
        var list = Snapshot<Int, String>()
        list.appendSections([0, 1])
        list.appendItems(items, toSection: 0)
        return list
    }

    @Test
    func aRenamedItemStaysAndIsReconfigured() {
        let shown = list(["a", "draft", "b"])
        var next = shown
        next.renameItem("draft", to: "7")

        var expected = ChangeSet()
        let path = ItemPath(section: 0, item: 1)
        expected.reconfiguredItems = [ChangeSet.Step(from: path, to: path)]
        expected.itemCounts = [3, 0]
        #expect(next.difference(from: shown) == expected)
        #expect(next.itemIdentifiers == ["a", "7", "b"] && next.indexOfItem("7") == 1 && !next.contains("draft"))
        #expect(next.reconfiguredItemIdentifiers == ["7"])
    }

    @Test
    func aRenamedItemMayMoveAndBeReloaded() {
        let shown = list(["a", "draft", "b"])
        var next = shown
        next.reloadItems(["draft"])
        next.renameItem("draft", to: "7")
        next.appendItems(["7"], toSection: 1)
        let changes = next.difference(from: shown)

        let step = ChangeSet.Step(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 1, item: 0))
        #expect(changes.movedItems == [step] && changes.reloadedItems == [step])
        #expect(changes.deletedItems.isEmpty && changes.insertedItems.isEmpty)
    }

    @Test
    func aChainOfNamesIsOneRenameAndTheWayBackIsNone() {
        let shown = list(["a", "b"])
        var next = shown
        next.renameItem("a", to: "x")
        next.renameItem("x", to: "y")
        #expect(next.difference(from: shown).changesPlaces == false && next.itemIdentifiers == ["y", "b"])

        next.renameItem("y", to: "a")
        #expect(next == shown && next.difference(from: shown).changesPlaces == false)
    }

    @Test
    func twoItemsMayExchangeTheirNames() {
        let shown = list(["a", "b", "c"])
        var next = shown
        next.renameItem("a", to: "x")
        next.renameItem("b", to: "a")
        next.renameItem("x", to: "b")

        let changes = next.difference(from: shown)
        #expect(next.itemIdentifiers == ["b", "a", "c"] && !changes.changesPlaces)
        #expect(changes.reconfiguredItems.map(\.to.item) == [0, 1])
    }

    /// The row of the other item stays, because it has the identifier in both lists.
    @Test
    func aNameOfAnotherRowIsNoRename() {
        let shown = list(["draft", "7"])
        var next = shown
        next.deleteItems(["7"])
        next.renameItem("draft", to: "7")
        let changes = next.difference(from: shown)

        #expect(changes.deletedItems == [ItemPath(section: 0, item: 0)] && changes.insertedItems.isEmpty)
    }

    @Test
    func anotherItemMayComeUnderTheOldName() {
        let shown = list(["draft", "a"])
        var next = shown
        next.renameItem("draft", to: "7")
        next.appendItems(["draft"], toSection: 0)
        let changes = next.difference(from: shown)

        #expect(changes.insertedItems == [ItemPath(section: 0, item: 2)] && changes.deletedItems.isEmpty)
        #expect(changes.reconfiguredItems.map(\.to.item) == [0])
    }

    @Test
    func namesFromElsewhereAreChecked() {
        var next = list(["a", "b"])
        #expect(throws: SnapshotError<Int, String>.repeatedItem("b")) { try next.renameItem(validating: "a", to: "b") }
        #expect(throws: SnapshotError<Int, String>.unknownItem("c")) { try next.renameItem(validating: "c", to: "d") }
        #expect(next == list(["a", "b"]) && next.reconfiguredItemIdentifiers.isEmpty)
    }

    /// Random changes of a copy, beside a model that knows which row each name belongs to: rows that stay keep their cells.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func rowsKeepTheirCells(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model = Rows(Array(0..<Int.random(in: 1...200, using: &random)))
        var shown = Snapshot<Int, Int>()
        shown.appendSections([0, 1])
        shown.appendItems(model.cells.keys.sorted(), toSection: 0)
        var cells = [shown.itemIdentifiers, []]

        for _ in 0..<4 {
            var next = shown
            for _ in 0..<Int.random(in: 1...12, using: &random) { model.change(&next, &random) }
            let changes = next.difference(from: shown)
            let known = Set(cells.joined())
            changes.apply(to: &cells) { path in model.cells[next.itemIdentifier(at: path)!]! }

            #expect(cells.joined().elementsEqual(next.itemIdentifiers.map { model.cells[$0]! }))
            #expect(next.stagedDifference(from: shown).last.map { $0.snapshot == next } != false)
            let refreshed = Set(changes.refreshedItems.map { next.itemIdentifier(at: $0)! })
            let renamed = next.itemIdentifiers.filter { !shown.contains($0) && known.contains(model.cells[$0]!) }
            #expect(refreshed.isSuperset(of: renamed))
            next.removeMarks()
            #expect(next.difference(from: next).isEmpty && next.itemIdentifiers.allSatisfy(next.contains))
            shown = next
        }
    }

    /// The cell that belongs to each name.
    private struct Rows {
        private(set) var cells: [Int: Int]
        private var fresh = 1_000

        init(_ names: [Int]) {
            cells = Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })
        }

        mutating func change(_ list: inout Snapshot<Int, Int>, _ random: inout SplitMix64) {
            fresh += 1
            guard let item = list.itemIdentifiers.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                list.deleteItems([item])
                cells[item] = nil
            case 1: list.appendItems([item], toSection: Int.random(in: 0...1, using: &random))
            case 2:
                list.insertItems([fresh], afterItem: item)
                cells[fresh] = fresh
            default:
                list.renameItem(item, to: fresh)
                cells[fresh] = cells.removeValue(forKey: item)
            }
        }
    }
}

/// A view whose items get other identifiers.
extension RenamingTests {
    private typealias Table = RecordingTable<Int, String>

    @Test(arguments: [false, true])
    func aViewKeepsTheCellOfADraft(takesStages: Bool) throws {
        let table = Table()
        table.takesStages = takesStages
        let source = DiffableDataSource<Table, Int, String>(view: table) { _, _, item, _ in item }
        table.attach(source)
        source.apply(list(["a", "draft", "b"]))
        source.update { list in
            list.renameItem("draft", to: "7")
            list.moveItem("7", afterItem: "b")
            list.appendItems(["c"], toSection: 1)
            list.deleteItems(["a"])
        }

        let changes = try #require(table.performed.last)
        #expect(table.rows == [["b", "7"], ["c"]] && table.tornReads == 0)
        #expect(changes.deletedItems.count == 1 && changes.insertedItems.count == 1 && changes.movedItems.count == 1)
        source.update { $0.renameItem("7", to: "8") }
        #expect(table.rows == [["b", "8"], ["c"]] && table.performed.last?.changesPlaces == false)
        #expect(source.indexPath(for: "8") == ItemPath(section: 0, item: 1) && source.indexPath(for: "7") == nil)
    }

    @Test
    func anAdapterRenamesInOneCall() {
        let table = Table()
        let source = DiffableDataSource<Table, Int, String>(view: table) { _, _, item, _ in item }
        table.attach(source)
        let adapter = DiffableTableAdapter(view: table, dataSource: source)
        source.apply(list(["a", "draft"]))
        adapter.rename("draft", to: "7")

        #expect(table.rows == [["a", "7"], []] && table.performed.last?.changesPlaces == false)
    }

    /// Its children stay below it, and folded ones keep their own folding.
    @Test
    func aRenamedParentKeepsItsChildren() {
        let table = Table()
        let source = DiffableDataSource<Table, Int, String>(view: table) { _, _, item, _ in item }
        table.attach(source)
        var outline = SectionSnapshot<String>()
        outline.append(["draft", "roots"])
        outline.append(["apple", "pear"], to: "draft")
        outline.append(["beet"], to: "roots")
        outline.expand(["draft"])
        source.apply(outline, to: 0)
        source.update { list in
            list.renameItem("draft", to: "fruit")
            list.renameItem("roots", to: "draft")
            list.deleteItems(["pear"])
        }

        let renamed = source.snapshot(for: 0)
        #expect(table.rows == [["fruit", "apple", "draft"]] && table.tornReads == 0)
        #expect(renamed.items == ["fruit", "apple", "draft", "beet"])
        #expect(renamed.parent(of: "apple") == "fruit" && renamed.parent(of: "beet") == "draft")
        #expect(renamed.expandedItems == ["fruit"])
        #expect(table.performed.last?.insertedItems == [])
    }
}
