import Diffable
import Testing

private typealias Table = RecordingTable<String, String>
private typealias Source = BaseReorderableDiffableDataSource<Table, String, String>

private func path(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }

/// The outline of a section whose rows come, go and move.
@Suite
struct OutlineFollowingTests {
    private let table = Table()
    private let source: Source

    /// `pantry` shows an unfolded item, two folded ones and a bare one; `cellar` is a plain list.
    init() {
        source = Source.create(view: table, allowCrossSectionMove: true, allowReordering: true) { _, _, item, _ in item
        }
        table.attach(source)
        var outline = SectionSnapshot<String>()
        outline.append(["fruit", "roots", "bread"])
        outline.append(["apple", "citrus", "pear"], to: "fruit")
        outline.append(["lemon", "orange"], to: "citrus")
        outline.append(["carrot", "beet"], to: "roots")
        outline.expand(["fruit"])
        source.apply(outline, to: "pantry")
        source.update { snapshot in
            snapshot.appendSections(["cellar"])
            snapshot.appendItems(["wine", "beer"], toSection: "cellar")
        }
    }

    private func tree(_ section: String) -> [String] {
        let outline = source.snapshot(for: section)
        return outline.items.map { String(repeating: ".", count: outline.level(of: $0)) + $0 }
    }

    private func expectAgreement() {
        let snapshot = source.snapshot()
        #expect(table.rows == snapshot.sectionIdentifiers.map(snapshot.itemIdentifiers(inSection:)))
        #expect(table.rows == snapshot.sectionIdentifiers.map { source.snapshot(for: $0).visibleItems })
        #expect(table.tornReads == 0)
    }

    @Test
    func itemsThatAreAppendedComeOnTheOutermostLevel() {
        source.update { $0.appendItems(["salt"], toSection: "pantry") }

        #expect(
            tree("pantry") == [
                "fruit", ".apple", ".citrus", "..lemon", "..orange", ".pear", "roots", ".carrot", ".beet", "bread",
                "salt",
            ])
        expectAgreement()
    }

    @Test
    func anItemThatIsInsertedTakesTheLevelOfTheNext() {
        source.update { $0.insertItems(["plum"], beforeItem: "pear") }
        source.update { $0.insertItems(["salt"], afterItem: "pear") }

        #expect(
            tree("pantry") == [
                "fruit", ".apple", ".citrus", "..lemon", "..orange", ".plum", ".pear", "salt", "roots", ".carrot",
                ".beet", "bread",
            ])
        expectAgreement()
    }

    @Test
    func whatGoesTakesItsFoldedChildrenAlongAndLeavesThoseThatStay() {
        source.update { $0.deleteItems(["fruit", "roots"]) }

        #expect(tree("pantry") == ["apple", "citrus", ".lemon", ".orange", "pear", "bread"])
        expectAgreement()
    }

    @Test
    func aRowThatIsDraggedTakesItsFoldedChildrenAlong() throws {
        try table.drag(from: path(0, 4), to: path(0, 0))

        #expect(tree("pantry").prefix(4) == ["roots", ".carrot", ".beet", "fruit"])
        expectAgreement()
    }

    @Test
    func aRowStaysWithItsParentWhereItMay() throws {
        try table.drag(from: path(0, 1), to: path(0, 3))

        #expect(tree("pantry").prefix(6) == ["fruit", ".citrus", "..lemon", "..orange", ".pear", ".apple"])
        expectAgreement()
    }

    @Test
    func aRowThatIsDroppedAmongChildrenBecomesOne() throws {
        try table.drag(from: path(0, 5), to: path(0, 2))

        #expect(tree("pantry").prefix(4) == ["fruit", ".apple", ".bread", ".citrus"])
        expectAgreement()
    }

    @Test
    func aParentThatIsDraggedIsFollowedByItsChildren() throws {
        var difference: CollectionDifference<String>?
        let before = source.snapshot().itemIdentifiers
        source.didReorder = { difference = $0.difference }

        try table.drag(from: path(0, 0), to: path(0, 5))

        #expect(
            tree("pantry") == [
                "roots", ".carrot", ".beet", "bread", "fruit", ".apple", ".citrus", "..lemon", "..orange", ".pear",
            ])
        #expect(before.applying(try #require(difference)) == source.snapshot().itemIdentifiers)
        expectAgreement()
    }

    @Test
    func aParentCannotBeDroppedAmongItsOwnChildren() {
        for place in 1...3 {
            #expect(throws: ReorderError.noPlace(at: path(0, place))) {
                try source.moveRow(at: path(0, 0), to: path(0, place))
            }
        }
    }

    @Test
    func foldedChildrenGoToAnotherSectionWithTheirParent() throws {
        try table.drag(from: path(0, 4), to: path(1, 1))
        #expect(tree("cellar") == ["wine", "roots", ".carrot", ".beet", "beer"])
        expectAgreement()

        source.update { $0.moveItem("citrus", beforeItem: "wine") }
        #expect(tree("cellar") == ["citrus", ".lemon", ".orange", "wine", "roots", ".carrot", ".beet", "beer"])
        #expect(tree("pantry") == ["fruit", ".apple", ".pear", "bread"])
        expectAgreement()
    }

    @Test
    func anItemThatIsShownElsewhereLeavesItsFoldedParent() {
        source.update { $0.appendItems(["beet"], toSection: "cellar") }
        source.expandItem("roots")

        #expect(tree("cellar") == ["wine", "beer", "beet"])
        #expect(tree("pantry").suffix(3) == ["roots", ".carrot", "bread"])
        expectAgreement()
    }

    @Test
    func transactionsHaveTheOutlines() throws {
        var transactions: [ReorderTransaction<String, String>] = []
        source.didReorder = { transactions.append($0) }

        try table.drag(from: path(0, 4), to: path(1, 0))

        let sections = try #require(transactions.first).sectionTransactions
        #expect(sections.map(\.sectionIdentifier) == ["pantry", "cellar"])
        #expect(sections[0].initialSnapshot.contains("carrot") && !sections[0].finalSnapshot.contains("carrot"))
        #expect(sections[1].finalSnapshot.parent(of: "carrot") == "roots")
        #expect(sections[1].finalSnapshot == source.snapshot(for: "cellar"))
    }
}
