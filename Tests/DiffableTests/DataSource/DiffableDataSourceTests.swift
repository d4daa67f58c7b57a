import Diffable
import TestSupport
import Testing

private typealias Table = RecordingTable<Int, Int>

private func list(_ sections: KeyValuePairs<Int, [Int]>) -> Snapshot<Int, Int> {
    var snapshot = Snapshot<Int, Int>()
    for (section, items) in sections {
        snapshot.appendSections([section])
        snapshot.appendItems(items, toSection: section)
    }
    return snapshot
}

private func makeSource() -> (Table, DiffableDataSource<Table, Int, Int>) { makeSource(of: Int.self) }

private func makeSource<ID: Numbered>(
    of _: ID.Type
) -> (RecordingTable<Int, ID>, DiffableDataSource<RecordingTable<Int, ID>, Int, ID>) {
    let table = RecordingTable<Int, ID>()
    let source = DiffableDataSource<RecordingTable<Int, ID>, Int, ID>(view: table) { _, _, item, section in
        "\(section)/\(item.number)"
    }
    table.attach(source)
    return (table, source)
}

/// A view that only passes each update on.
private final class Keeper: DiffableView {
    typealias Cell = Int
    typealias Header = Int
    private let keep: (ListUpdate<Int, Int>) -> Void

    init(_ keep: @escaping (ListUpdate<Int, Int>) -> Void) {
        self.keep = keep
    }

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        if let update = update as? ListUpdate<Int, Int> { keep(update) }
    }

    func reloadData() {}
}

@Suite
struct DiffableDataSourceTests {
    @Test
    func theViewShowsWhatWasAppliedAndOnlyAsksForWhatIsNew() {
        let table = Table()
        var asked: [Int] = []
        let source = DiffableDataSource<Table, Int, Int>(view: table) { _, _, item, section in
            asked.append(item)
            return "\(section)/\(item)"
        }
        table.attach(source)
        source.apply(list([1: [10, 11], 2: [20]]))
        asked = []

        source.apply(list([2: [20, 10, 30], 1: [11]]))

        #expect(table.rows == [["2/20", "1/10", "2/30"], ["1/11"]])
        #expect(asked == [30])
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func callbacksSeeTheWholeOldOrTheWholeNewState(seed: UInt64, hashes: Hashes) {
        callbacksSeeOneState(seed, hashes.identifier)
    }

    private func callbacksSeeOneState<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var lists = RandomLists<ID>(seed: seed)
        let (table, source) = makeSource(of: ID.self)

        for _ in 0..<20 {
            let next = lists.pair().new
            source.apply(next)
            #expect(source.snapshot() == next)
            #expect(table.rows.map(\.count) == next.sectionIdentifiers.map(next.numberOfItems(inSection:)))
        }

        #expect(table.tornReads == 0)
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func aViewThatTakesStagesSeesEachListWhole(seed: UInt64, hashes: Hashes) {
        stagesAreWhole(seed, hashes.identifier)
    }

    private func stagesAreWhole<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var lists = RandomLists<ID>(seed: seed)
        let (table, source) = makeSource(of: ID.self)
        table.takesStages = true

        for _ in 0..<20 {
            source.apply(lists.pair().new)
            source.update { $0.reloadItems(Array($0.itemIdentifiers.prefix(1))) }
            #expect(source.snapshot().reloadedItemIdentifiers.isEmpty)
            #expect(table.rows.map(\.count) == (0..<source.numberOfSections).map(source.numberOfItems(inSection:)))
        }

        #expect(table.tornReads == 0)
    }

    @Test
    func aCommitThatComesTooLateDoesNothing() {
        let (table, source) = makeSource()
        var late: ListUpdate<Int, Int>?
        let keeper = Keeper { late = $0 }
        let kept = DiffableDataSource<Keeper, Int, Int>(view: keeper) { _, _, item, _ in item }
        kept.apply(list([0: [1]]))
        kept.apply(list([0: [1, 2]]))
        late?.commit(late!.stages()[0])
        kept.apply(list([0: [7]]))
        late?.commit()

        #expect(kept.snapshot().itemIdentifiers == [7] && late?.finalSnapshot.itemIdentifiers == [7])
        #expect(late?.initialSnapshot.itemIdentifiers == [1, 2] && table.rows.isEmpty && source.numberOfSections == 0)
    }

    @Test
    func rowsComeAndGoAsTheDataSourceSays() {
        let (table, source) = makeSource()
        source.apply(list([0: [1]]))
        source.defaultRowAnimation = .fade
        source.apply(list([0: [1, 2]]))
        source.apply(list([0: [1]]), animatingDifferences: false)

        #expect(table.animations == [.automatic, .fade, .none])
    }

    @Test
    func anApplyFromWithinAnotherWaitsItsTurn() {
        let (table, source) = makeSource()
        let heard = Heard()
        table.whilePerforming = {
            table.whilePerforming = nil
            source.apply(list([1: [1, 2, 3]])) { heard("inner") }
            #expect(source.numberOfSections == 0)
            heard("goes on")
        }

        source.apply(list([1: [1]])) { heard("outer") }

        #expect(heard.words == ["goes on", "outer", "inner"])
        #expect(table.performed.map(\.itemCounts) == [[1], [3]] && table.tornReads == 0)
    }

    @Test
    func aHundredAppliesFromACompletionDoNotNest() {
        let (table, source) = makeSource()
        func next(_ count: Int) {
            guard count <= 100 else { return }
            source.apply(list([0: Array(0..<count)])) { next(count + 1) }
        }

        next(1)

        #expect(table.performed.map(\.itemCounts) == (1...100).map { [$0] })
    }

    @Test
    func completionsComeOnceAndInOrderWhateverTheViewDoes() {
        let (table, source) = makeSource()
        let heard = Heard()
        table.animates = true
        source.apply(list([0: [1]])) { heard("animated") }
        source.apply(list([0: [1]])) { heard("nothing changed") }
        table.forgetsCompletions = true
        source.apply(list([0: [1, 2]])) { heard("forgotten") }

        #expect(heard.words == [])
        table.finishAnimations()
        #expect(heard.words == ["animated", "nothing changed", "forgotten"])
        table.finishAnimations()
        #expect(heard.words.count == 3)
    }

    @Test
    func aReloadEndsWhatIsStillAnimatingAndCallsEveryCompletionOnce() {
        let (table, source) = makeSource()
        let heard = Heard()
        table.animates = true
        source.apply(list([0: [1]])) { heard("superseded") }

        source.applyUsingReloadData(list([0: [2, 3]])) { heard("reloaded") }
        table.finishAnimations()

        #expect(heard.words == ["superseded", "reloaded"])
        #expect(table.rows == [["0/2", "0/3"]] && table.reloads == 1 && table.performed.count == 1)
    }

    @Test
    func appliesGoOnWhenTheViewIsGone() {
        var table: Table? = Table()
        let source = DiffableDataSource<Table, Int, Int>(view: table!) { _, _, item, _ in "\(item)" }
        let heard = Heard()
        table = nil

        source.apply(list([0: [1]])) { heard("done") }
        source.applyUsingReloadData(list([0: [1, 2]])) { heard("reloaded") }

        #expect(source.view == nil && source.numberOfItems(inSection: 0) == 2)
        #expect(heard.words == ["done", "reloaded"])
    }

    @Test
    func aDataSourceDoesNotKeepItselfAlive() {
        let table = Table()
        weak var source: DiffableDataSource<Table, Int, Int>?
        do {
            let made = DiffableDataSource<Table, Int, Int>(view: table) { _, _, item, _ in "\(item)" }
            made.apply(list([0: [1]]))
            source = made
        }

        #expect(source == nil)
    }

    @Test
    func marksAreCarriedOutOnceAndThenGone() {
        let (table, source) = makeSource()
        source.apply(list([0: [1, 2]]))
        var marked = source.snapshot()
        marked.reloadItems([1])
        marked.reconfigureItems([2])

        source.apply(marked, animatingDifferences: false)

        #expect(
            source.snapshot().reloadedItemIdentifiers.isEmpty && source.snapshot().reconfiguredItemIdentifiers.isEmpty)
        #expect(table.performed.last?.reloadedItems.count == 1 && table.wasAnimated == [true, false])
        source.apply(source.snapshot())
        #expect(table.performed.count == 2)
    }

    @Test
    func lookupsGoBothWaysAndAreNilOutside() {
        let (_, source) = makeSource()
        source.apply(list([7: [1, 2], 8: []]))

        #expect(source.itemIdentifier(for: ItemPath(section: 0, item: 1)) == 2)
        #expect(source.indexPath(for: 2) == ItemPath(section: 0, item: 1) && source.indexPath(for: 3) == nil)
        #expect(source.itemIdentifier(for: ItemPath(section: 1, item: 0)) == nil)
        #expect(source.itemIdentifier(for: ItemPath(section: -1, item: 0)) == nil)
        #expect(source.sectionIdentifier(for: 1) == 8 && source.sectionIdentifier(for: 2) == nil)
        #expect(source.index(for: 8) == 1 && source.index(for: 9) == nil)
    }

    @Test
    func headersComeFromTheirProvider() {
        let (table, source) = makeSource()
        source.apply(list([7: [], 8: []]))
        #expect(source.header(at: 1) == nil)

        source.sectionHeaderProvider = { _, place, section in "\(place): \(section)" }

        #expect(source.header(at: 1) == "1: 8" && source.header(at: 2) == nil && table.rows.count == 2)
        #expect(source.footer(at: 1) == nil)
    }

    @Test
    func whatIsNoHeaderComesFromTheSupplementaryProvider() {
        let (table, source) = makeSource()
        source.apply(list([7: [], 8: []]))
        #expect(table.rows == [[], []])
        source.sectionHeaderProvider = { _, place, _ in place == 0 ? "first" : nil }
        source.supplementaryProvider = { _, kind, path in "\(kind.rawValue) \(path)" }

        #expect(source.header(at: 0) == "first" && source.header(at: 1) == "header [1, 0]")
        #expect(source.footer(at: 1) == "footer [1, 0]" && source.footer(at: 2) == nil)
        let badge = SupplementaryKind(rawValue: "badge")
        #expect(source.supplementary(badge, at: ItemPath(section: 0, item: 3)) == "badge [0, 3]")
    }

    @Test
    func anAwaitedApplyReturnsOnceTheChangeHasBeenSeen() async {
        let (table, source) = makeSource()

        await source.apply(list([0: [1]]))
        await source.applyUsingReloadData(list([0: [1, 2]]))

        #expect(table.rows == [["0/1", "0/2"]])
    }

    @Test
    func updatesFromWithinAnApplyDoNotUndoEachOther() {
        let (table, source) = makeSource()
        source.apply(list([0: []]))
        table.whilePerforming = {
            table.whilePerforming = nil
            source.update { $0.appendItems([2]) }
            source.update { $0.appendItems([3]) }
        }

        source.update { $0.appendItems([1]) }

        #expect(source.snapshot().itemIdentifiers == [1, 2, 3])
    }
}
