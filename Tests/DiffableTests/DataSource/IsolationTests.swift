import Diffable
import Testing

/// A screen that an actor owns, with its table and its data source.
private actor Screen {
    private let table = RecordingTable<Int, Int>()
    private let source: DiffableDataSource<RecordingTable<Int, Int>, Int, Int>
    private(set) var shown = 0

    init() {
        source = DiffableDataSource(view: table) { _, _, item, _ in "\(item)" }
    }

    func start() {
        table.attach(source)
        source.apply(Snapshot())
    }

    func add(_ item: Int) async {
        var snapshot = source.snapshot()
        if snapshot.isEmpty { snapshot.appendSections([0]) }
        snapshot.appendItems([item])
        await source.apply(snapshot)
        shown += 1
    }

    var rows: [[String]] { table.rows }
    var tornReads: Int { table.tornReads }
}

/// A table of the main actor, as those of the platforms are.
@MainActor
private final class MainTable: @MainActor DiffableView {
    typealias Cell = String
    typealias Header = String
    var rows: [[String]] = []
    var source: DiffableDataSource<MainTable, Int, Int>?

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        update.commit()
        update.changes.apply(to: &rows) { source!.cell(at: $0) }
        completion()
    }

    func reloadData() {}
}

@Suite
struct IsolationTests {
    @Test
    @MainActor
    func theMainActorMayOwnAViewAndItsDataSource() async {
        let table = MainTable()
        let prefix = "row"
        table.source = DiffableDataSource(view: table) { _, _, item, _ in "\(prefix) \(item)" }
        var snapshot = Snapshot<Int, Int>()
        snapshot.appendSections([0])
        snapshot.appendItems([1, 2])

        await table.source?.apply(snapshot)

        #expect(table.rows == [["row 1", "row 2"]])
        table.source = nil
    }

    @Test
    func anActorMayOwnADataSourceAndAwaitItsApplies() async {
        let screen = Screen()
        await screen.start()

        await withTaskGroup(of: Void.self) { group in
            for item in 0..<100 { group.addTask { await screen.add(item) } }
        }

        let items = await screen.rows.flatMap { $0 }
        #expect(items.count == 100 && Set(items).count == 100)
        #expect(await screen.shown == 100)
        #expect(await screen.tornReads == 0)
    }

    @Test
    func aSnapshotMayBeBuiltElsewhere() async {
        let built = await Task.detached {
            var snapshot = Snapshot<Int, Int>()
            snapshot.appendSections([0])
            snapshot.appendItems(Array(0..<1_000))
            return snapshot
        }.value

        #expect(built.numberOfItems == 1_000)
    }
}
