import Diffable
import Testing

/// A screen that an actor owns, and with it the table and its data source.
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

@Suite
struct IsolationTests {
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
