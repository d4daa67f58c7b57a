import Diffable
import Testing

private typealias Table = RecordingTable<Int, Int>

/// Lists and their changes as asynchronous sequences, and errors with their types.
@Suite
struct WatchingTests {
    private func list(_ items: [Int]) -> Snapshot<Int, Int> {
        var list = Snapshot<Int, Int>()
        list.appendSections([0])
        list.appendItems(items)
        return list
    }

    private func feed(_ lists: [Snapshot<Int, Int>]) -> AsyncStream<Snapshot<Int, Int>> {
        AsyncStream { continuation in
            for list in lists { continuation.yield(list) }
            continuation.finish()
        }
    }

    @Test
    func rowsFollowASequenceOfSnapshots() async {
        let lists = [[1, 2, 3], [1, 2, 3], [3, 1, 4], []].map(list)
        var lines: [[Int]] = []
        var steps: [Int] = []
        for await change in feed(lists).differences() {
            change.changes.apply(to: &lines) { change.snapshot.itemIdentifier(at: $0)! }
            #expect(lines == [change.snapshot.itemIdentifiers])
            steps.append(change.snapshot.numberOfItems)
        }

        #expect(steps == [3, 3, 0])
    }

    @Test
    func theFirstChangeIsFromAGivenList() async {
        var iterator = feed([list([1, 2])]).differences(from: list([1])).makeAsyncIterator()

        #expect(await iterator.next()?.changes.insertedItems == [ItemPath(section: 0, item: 1)])
        #expect(await iterator.next() == nil)
    }

    @Test
    func aSlowReaderGetsTheNetChange() async {
        let table = Table()
        var source: DiffableDataSource<Table, Int, Int>? = DiffableDataSource(view: table) { _, _, item, _ in "\(item)"
        }
        await source?.apply(list([1]))
        var changes = source!.snapshots().differences().makeAsyncIterator()
        let first = await changes.next()
        for number in 2...5 { source?.update { $0.appendItems([number]) } }
        source?.update { $0.deleteItems([2, 3]) }
        let net = await changes.next()
        source = nil
        let end = await changes.next()

        #expect(first?.snapshot == list([1]) && first?.changes.insertedSections == [0])
        #expect(net?.snapshot == list([1, 4, 5]) && net?.changes.insertedItems.count == 2)
        #expect(net?.changes.deletedItems == [] && end == nil)
    }

    @Test
    func everyReaderSeesADraggedRow() async {
        let table = Table()
        let source = BaseReorderableDiffableDataSource<Table, Int, Int>(view: table) { _, _, item, _ in "\(item)" }
        await source.apply(list([1, 2, 3]))
        var readers = [source.snapshots().makeAsyncIterator(), source.snapshots().makeAsyncIterator()]
        try? source.moveRow(at: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 2))

        for reader in readers.indices {
            #expect(await readers[reader].next()?.itemIdentifiers == [2, 3, 1])
        }
    }

    @Test
    func changesThatThrowLeaveASnapshotAsItWas() throws {
        var snapshot = list([1, 2])
        let count = try snapshot.update { list throws(SnapshotError<Int, Int>) in
            try list.appendItems(validating: [3])
            return list.numberOfItems
        }
        do throws(SnapshotError<Int, Int>) {
            try snapshot.update { list throws(SnapshotError<Int, Int>) in
                list.deleteItems([1])
                try list.moveItem(validating: 2, beforeItem: 7)
            }
            Issue.record("An unknown anchor was accepted")
        } catch {
            #expect(error == .unknownItem(7))
        }

        #expect(count == 3 && snapshot == list([1, 2, 3]))
    }

    @Test
    func anUpdateThatThrowsChangesNothingAndKeepsTheTypeOfItsError() async throws {
        let table = Table()
        let source = DiffableDataSource<Table, Int, Int>(view: table) { _, _, item, _ in "\(item)" }
        table.attach(source)
        await source.apply(list([1, 2]))
        try await source.updateThrowing { list throws(SnapshotError<Int, Int>) in
            try list.insertItems(validating: [3], beforeItem: 1)
        }
        do throws(SnapshotError<Int, Int>) {
            try await source.updateThrowing { list throws(SnapshotError<Int, Int>) in
                list.deleteAllItems()
                throw .noSection
            }
            Issue.record("An error was lost")
        } catch {
            #expect(error == .noSection)
        }

        #expect(table.rows == [["3", "1", "2"]] && source.snapshot() == list([3, 1, 2]))
    }

    @Test
    func rowsThatCannotBeMadeLeaveTheOthersAsTheyWere() {
        enum Missing: Error { case row(ItemPath) }
        var new = list([2, 5, 1, 6])
        new.appendSections([1])
        new.appendItems([7, 3], toSection: 1)
        let changes = new.difference(from: list([1, 2, 3]))
        var rows = [[1, 2, 3]]
        do throws(Missing) {
            try changes.apply(to: &rows) { path throws(Missing) in
                if path == ItemPath(section: 1, item: 0) { throw .row(path) }
                return new.itemIdentifier(at: path)!
            }
            Issue.record("An error was lost")
        } catch {
            switch error {
            case .row(let path): #expect(path == ItemPath(section: 1, item: 0))
            }
        }

        #expect(rows == [[1, 2, 3]])
        changes.apply(to: &rows) { new.itemIdentifier(at: $0)! }
        #expect(rows == [[2, 5, 1, 6], [7, 3]])
    }
}
