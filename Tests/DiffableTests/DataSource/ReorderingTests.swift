import Diffable
import TestSupport
import Testing

private typealias Table = RecordingTable<String, Int>
private typealias Source = BaseReorderableDiffableDataSource<Table, String, Int>

private func path(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }

/// A table of six rows in two sections, and an empty one.
private func makeSource<ID: Numbered>(
    of _: ID.Type
) -> (RecordingTable<String, ID>, BaseReorderableDiffableDataSource<RecordingTable<String, ID>, String, ID>) {
    let table = RecordingTable<String, ID>()
    let source = BaseReorderableDiffableDataSource<RecordingTable<String, ID>, String, ID>.create(
        view: table, allowCrossSectionMove: true, allowReordering: true
    ) { _, _, item, _ in "\(item.number)" }
    table.attach(source)
    var snapshot = Snapshot<String, ID>()
    snapshot.appendSections(["a", "b", "empty"])
    snapshot.appendItems([0, 1, 2, 3].map { ID($0) }, toSection: "a")
    snapshot.appendItems([10, 11].map { ID($0) }, toSection: "b")
    source.apply(snapshot)
    return (table, source)
}

@Suite
struct ReorderingTests {
    private let table: Table
    private let source: Source

    init() {
        (table, source) = makeSource(of: Int.self)
    }

    private func items(_ section: String) -> [Int] { source.snapshot().itemIdentifiers(inSection: section) }

    @Test(arguments: 0..<4, 0..<4)
    func aRowEndsWhereItWasDropped(from: Int, to: Int) throws {
        var expected = [0, 1, 2, 3]
        expected.insert(expected.remove(at: from), at: to)

        try source.moveRow(at: path(0, from), to: path(0, to))

        #expect(items("a") == expected)
    }

    @Test(arguments: 0...2)
    func aRowMayCrossIntoAnyPlaceOfAnotherSection(to: Int) throws {
        var expected = [10, 11]
        expected.insert(2, at: to)

        try source.moveRow(at: path(0, 2), to: path(1, to))

        #expect(items("a") == [0, 1, 3] && items("b") == expected)
    }

    @Test
    func aRowMayCrossIntoAnEmptySection() throws {
        try source.moveRow(at: path(0, 0), to: path(2, 0))

        #expect(items("empty") == [0])
    }

    @Test
    func theViewIsNotToldWhatItShowsAlready() throws {
        let told = table.performed.count

        try source.moveRow(at: path(0, 0), to: path(0, 3))

        #expect(table.performed.count == told)
    }

    @Test
    func refusalsNameTheReasonAndChangeNothing() {
        source.willReorder = { _ in Issue.record("asked before the move was allowed") }
        let before = source.snapshot()
        #expect(throws: ReorderError.noRow(at: path(0, 4))) { try source.moveRow(at: path(0, 4), to: path(0, 0)) }
        #expect(throws: ReorderError.noPlace(at: path(0, 4))) { try source.moveRow(at: path(0, 0), to: path(0, 4)) }
        #expect(throws: ReorderError.noPlace(at: path(1, 3))) { try source.moveRow(at: path(0, 0), to: path(1, 3)) }
        #expect(throws: ReorderError.noPlace(at: path(3, 0))) { try source.moveRow(at: path(0, 0), to: path(3, 0)) }
        source.canMoveItem = { $0 != 1 }
        #expect(throws: ReorderError.rowStays(at: path(0, 1))) { try source.moveRow(at: path(0, 1), to: path(0, 0)) }
        source.allowCrossSectionMove = false
        #expect(throws: ReorderError.crossesSections) { try source.moveRow(at: path(0, 0), to: path(1, 0)) }
        source.allowReordering = false
        #expect(throws: ReorderError.reorderingIsOff) { try source.moveRow(at: path(0, 0), to: path(0, 1)) }

        #expect(source.snapshot() == before)
        #expect(!source.canMoveRow(at: path(0, 0)))
    }

    @Test
    func aRowCannotMoveWhileTheListChanges() {
        table.whilePerforming = { [source] in
            #expect(throws: ReorderError.busy) { try source.moveRow(at: path(0, 0), to: path(0, 1)) }
        }

        source.update { $0.deleteItems([3]) }
    }

    private var shown: [[String]] {
        source.snapshot().sectionIdentifiers.map { items($0).map(String.init) }
    }

    @Test
    func whatIsAppliedWhileARowIsDroppedTakesEffectAfterIt() throws {
        source.willReorder = { [source] _ in source.update { $0.appendItems([12], toSection: "b") } }
        source.didReorder = { [source] _ in source.update { $0.deleteItems([3]) } }

        try table.drag(from: path(0, 0), to: path(1, 0))

        #expect(items("a") == [1, 2] && items("b") == [0, 10, 11, 12])
        #expect(table.rows == shown && table.tornReads == 0)
    }

    @Test
    func aRowCannotMoveWhileAnotherIsDropped() throws {
        source.willReorder = { [source] _ in
            #expect(throws: ReorderError.busy) { try source.moveRow(at: path(0, 0), to: path(0, 1)) }
        }
        source.didReorder = source.willReorder

        try source.moveRow(at: path(0, 3), to: path(0, 2))

        #expect(items("a") == [0, 1, 3, 2])
    }

    @Test
    func aRowThatGoesWhileItIsAskedAboutIsNotMoved() {
        source.canMoveItem = { [source] item in
            source.update { $0.deleteItems([item]) }
            return true
        }

        #expect(throws: ReorderError.noRow(at: path(0, 1))) { try table.drag(from: path(0, 1), to: path(0, 2)) }
        #expect(throws: ReorderError.noRow(at: path(1, 1))) { try source.moveRow(at: path(1, 1), to: path(0, 0)) }

        source.apply(source.snapshot())
        #expect(items("a") == [0, 2, 3] && items("b") == [10] && table.rows == shown)
    }

    @Test
    func aRowThatMayNotMoveIsPutBackByTheNextApply() {
        source.canMoveItem = { $0 != 1 }
        #expect(throws: ReorderError.rowStays(at: path(0, 1))) { try table.drag(from: path(0, 1), to: path(1, 0)) }
        #expect(table.rows != shown)

        source.apply(source.snapshot(), animatingDifferences: false)
        #expect(table.rows == shown && table.reloads == 1)

        source.apply(source.snapshot())
        source.update { $0.deleteItems([1]) }
        #expect(table.rows == shown && table.reloads == 1 && table.tornReads == 0)
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func whateverIsDraggedTheTableShowsTheList(seed: UInt64, hashes: Hashes) {
        showsWhatIsDragged(seed, hashes.identifier)
    }

    private func showsWhatIsDragged<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        let (table, source) = makeSource(of: ID.self)
        source.canMoveItem = { $0.number % 4 != 1 }
        source.willReorder = { [source] _ in source.update { $0.reloadItems($0.itemIdentifiers.suffix(1)) } }
        func anyPath() -> ItemPath {
            path(Int.random(in: 0..<4, using: &random), Int.random(in: 0..<5, using: &random))
        }

        for _ in 0..<50 {
            do {
                try table.drag(from: anyPath(), to: anyPath())
            } catch {
                source.apply(source.snapshot(), animatingDifferences: false)
            }
            let list = source.snapshot()
            let rows = list.sectionIdentifiers.map { list.itemIdentifiers(inSection: $0).map { "\($0.number)" } }
            #expect(table.rows == rows)
        }

        #expect(table.tornReads == 0 && source.snapshot().numberOfItems == 6)
    }

    @Test
    func transactionsTellWhatHappensBeforeAndAfter() throws {
        let heard = Heard()
        var store = source.snapshot().itemIdentifiers
        source.willReorder = { [source] _ in heard("will \(source.snapshot().itemIdentifiers)") }
        source.didReorder = { transaction in
            heard("did \(transaction.finalSnapshot.itemIdentifiers)")
            store = store.applying(transaction.difference)!
            heard(transaction.sectionTransactions.map { "\($0.sectionIdentifier)\($0.finalSnapshot.items)" }.joined())
        }

        try source.moveRow(at: path(0, 1), to: path(1, 1))

        #expect(
            heard.words == ["will [0, 1, 2, 3, 10, 11]", "did [0, 2, 3, 10, 1, 11]", "a[0, 2, 3]b[10, 1, 11]"])
        #expect(store == [0, 2, 3, 10, 1, 11])
    }

    @Test(arguments: 0..<4, 0..<4)
    func aTransactionsDifferenceIsOneRemovalAndOneInsertion(from: Int, to: Int) throws {
        var transactions: [ReorderTransaction<String, Int>] = []
        source.didReorder = { transactions.append($0) }

        try source.moveRow(at: path(0, from), to: path(0, to))

        guard from != to else { return #expect(transactions.isEmpty) }
        let difference = try #require(transactions.first).difference
        #expect(difference.removals.count == 1 && difference.insertions.count == 1)
        #expect([0, 1, 2, 3, 10, 11].applying(difference) == source.snapshot().itemIdentifiers)
        #expect(transactions[0].sectionTransactions.map(\.sectionIdentifier) == ["a"])
    }

    @Test
    func movesAreLoggedIfAskedFor() throws {
        let heard = Heard()
        source.log = { heard($0) }
        try source.moveRow(at: path(0, 0), to: path(0, 1))
        source.enableLogging = true

        try source.moveRow(at: path(0, 0), to: path(0, 1))

        #expect(heard.words == ["moved 1 from [0, 0] to [0, 1]"])
    }
}
