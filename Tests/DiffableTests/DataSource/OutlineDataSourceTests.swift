import Diffable
import Testing

private typealias Table = RecordingTable<String, String>

@Suite
struct OutlineDataSourceTests {
    private let table = Table()
    private let source: DiffableDataSource<Table, String, String>

    init() {
        source = DiffableDataSource(view: table) { _, _, item, _ in item }
        table.attach(source)
        var outline = SectionSnapshot<String>()
        outline.append(["fruit", "nuts"])
        outline.append(["apple", "pear"], to: "fruit")
        source.apply(outline, to: "pantry")
    }

    @Test
    func anUnknownSectionIsAppendedAndShowsWhatIsVisible() {
        #expect(source.snapshot().sectionIdentifiers == ["pantry"])
        #expect(table.rows == [["fruit", "nuts"]])
        #expect(source.snapshot(for: "pantry").items == ["fruit", "apple", "pear", "nuts"])
    }

    @Test
    func unfoldingInsertsTheChildrenAndFoldingTakesThemAway() {
        source.expandItem("fruit")
        #expect(table.rows == [["fruit", "apple", "pear", "nuts"]])

        source.collapseItem("fruit")
        #expect(table.rows == [["fruit", "nuts"]])
        #expect(table.performed.last?.deletedItems.count == 2)
    }

    @Test
    func handlersMayRefuseAndAreTold() {
        let heard = Heard()
        source.sectionSnapshotHandlers.shouldExpandItem = { $0 != "nuts" }
        source.sectionSnapshotHandlers.willExpandItem = { heard("unfolds \($0)") }
        source.sectionSnapshotHandlers.shouldCollapseItem = { _ in false }
        source.sectionSnapshotHandlers.willCollapseItem = { heard("folds \($0)") }

        for item in ["nuts", "fruit", "fruit", "nobody"] { source.expandItem(item) }
        source.collapseItem("fruit")

        #expect(heard.words == ["unfolds fruit"])
        #expect(table.rows == [["fruit", "apple", "pear", "nuts"]])
    }

    @Test
    func childrenMayComeWhenTheyAreAskedFor() {
        source.sectionSnapshotHandlers.snapshotForExpandingParent = { parent, children in
            var more = children
            more.append(["\(parent) 1"])
            return more
        }

        source.expandItem("nuts")

        #expect(table.rows == [["fruit", "nuts", "nuts 1"]])
    }

    @Test
    func aSectionWithoutAnOutlineIsAFlatOne() {
        var snapshot = source.snapshot()
        snapshot.appendSections(["cellar"])
        snapshot.appendItems(["wine"])
        source.apply(snapshot)

        #expect(source.snapshot(for: "cellar").rootItems == ["wine"])
        #expect(source.snapshot(for: "attic").items.isEmpty)
        #expect(source.snapshot(for: "pantry").contains("apple"))
    }

    @Test
    func anOutlineFollowsTheRowsOfItsSection() {
        source.update { $0.deleteItems(["nuts"]) }

        #expect(source.snapshot(for: "pantry").items == ["fruit", "apple", "pear"])
    }

    @Test
    func anEqualOutlineChangesNothingAndAnOtherOnlyWhatIsDifferent() {
        source.expandItem("fruit")
        var outline = source.snapshot(for: "pantry")
        let performed = table.performed.count
        source.apply(outline, to: "pantry")
        #expect(table.performed.count == performed)

        outline.delete(["apple"])
        outline.insert(["bread", "pear tree"], before: "nuts")
        source.apply(outline, to: "pantry")

        #expect(table.rows == [["fruit", "pear", "bread", "pear tree", "nuts"]])
        #expect(table.performed.last?.deletedItems.count == 1 && table.performed.last?.insertedItems.count == 2)
        #expect(source.snapshot(for: "pantry") == outline)
    }

    @Test
    func whatHappensInOtherSectionsLeavesAnOutlineAlone() {
        source.update { snapshot in
            snapshot.insertSections(["cellar"], beforeSection: "pantry")
            snapshot.appendItems(["wine"], toSection: "cellar")
        }

        #expect(source.snapshot(for: "pantry").contains("apple"))
    }
}
