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

    /// Each handler, called for an item that is being unfolded.
    enum Moment: CaseIterable {
        case asked, told, askedForChildren
    }

    @Test(arguments: Moment.allCases)
    func whatAHandlerAppliesStaysWhenTheItemUnfolds(moment: Moment) {
        call(at: moment) { [source] in
            var outline = source.snapshot(for: "pantry")
            outline.delete(["nuts"])
            outline.append(["bread"])
            source.apply(outline, to: "pantry")
        }

        source.expandItem("fruit")

        #expect(table.rows == [["fruit", "apple", "pear", "bread"]])
        #expect(source.snapshot(for: "pantry").visibleItems == ["fruit", "apple", "pear", "bread"])
    }

    @Test(arguments: Moment.allCases)
    func anItemThatAHandlerUnfoldsKeepsItsChildren(moment: Moment) {
        call(at: moment) { [source] in
            var outline = source.snapshot(for: "pantry")
            outline.append(["plum"], to: "fruit")
            outline.expand(["fruit"])
            source.apply(outline, to: "pantry")
        }

        source.expandItem("fruit")

        #expect(table.rows == [["fruit", "apple", "pear", "plum", "nuts"]])
    }

    @Test(arguments: Moment.allCases)
    func anItemThatAHandlerDeletesDoesNotComeBack(moment: Moment) {
        call(at: moment) { [source] in source.update { $0.deleteItems(["fruit"]) } }

        source.expandItem("fruit")

        #expect(table.rows == [["nuts"]])
        #expect(source.snapshot(for: "pantry").items == ["nuts"])
    }

    private func call(at moment: Moment, _ body: @escaping () -> Void) {
        switch moment {
        case .asked:
            source.sectionSnapshotHandlers.shouldExpandItem = { _ in
                body()
                return true
            }
        case .told: source.sectionSnapshotHandlers.willExpandItem = { _ in body() }
        case .askedForChildren:
            source.sectionSnapshotHandlers.snapshotForExpandingParent = { _, children in
                body()
                return children
            }
        }
    }

    @Test
    func whatAHandlerAppliesStaysWhenTheItemFolds() {
        source.expandItem("fruit")
        source.sectionSnapshotHandlers.willCollapseItem = { [source] _ in
            source.update { $0.appendItems(["bread"], toSection: "pantry") }
        }

        source.collapseItem("fruit")

        #expect(table.rows == [["fruit", "nuts", "bread"]])
        #expect(source.snapshot(for: "pantry").contains("pear"))
    }

    @Test
    func anItemThatUnfoldsDuringAnApplyUndoesNoneThatWaits() {
        table.whilePerforming = { [table, source] in
            table.whilePerforming = nil
            source.update { $0.appendItems(["bread"], toSection: "pantry") }
            source.expandItem("fruit")
        }

        source.update { $0.deleteItems(["nuts"]) }

        #expect(table.rows == [["fruit", "apple", "pear", "bread"]])
    }

    @Test
    func anItemThatFoldsDuringAnApplyUndoesNoneThatWaits() {
        source.expandItem("fruit")
        table.whilePerforming = { [table, source] in
            table.whilePerforming = nil
            source.update { $0.appendItems(["bread"], toSection: "pantry") }
            source.collapseItem("fruit")
        }

        source.update { $0.deleteItems(["nuts"]) }

        #expect(table.rows == [["fruit", "bread"]])
        #expect(source.snapshot(for: "pantry").items == ["fruit", "apple", "pear", "bread"])
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
