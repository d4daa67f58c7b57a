import Diffable
import FoundationEssentials
import Glibc

/// A view that only counts: what is left is the data source's own cost.
final class CountingView: DiffableView {
    typealias Cell = Int
    typealias Header = Int

    private(set) var changes = 0

    func perform(_ changes: ChangeSet, animated: Bool, commit: () -> Void, completion: @escaping () -> Void) {
        commit()
        self.changes += changes.insertedItems.count + changes.deletedItems.count
        completion()
    }

    func reloadData() {}
}

/// A table adapter's operations from call to view, and the memory that lists take.
enum EndToEnd {
    static func adapter(_ n: Int) {
        let ids = (0..<n).map(UUID.make)
        let view = CountingView()
        let source = DiffableDataSource<CountingView, Int, UUID>(view: view) { _, _, _, section in section }
        let adapter = DiffableTableAdapter(view: view, dataSource: source)
        let sections = Dictionary(
            uniqueKeysWithValues: (0..<10).map { ($0, Array(ids[$0 * n / 10..<($0 + 1) * n / 10])) })
        adapter.applyInitialSnapshot(sections: Array(0..<10), itemsBySection: sections)
        print("adapter, n = \(n) in 10 sections, UUID")
        var next = n
        let append = measure([
            {
                next += 1
                adapter.append([UUID.make(next)], to: 5)
                return view.changes
            }
        ])
        Report.line("append 1", append)
        let delete = measure([
            {
                adapter.delete([adapter.items(in: 5).first ?? ids[0]])
                return view.changes
            }
        ])
        Report.line("delete first of a section", delete)
    }

    /// Bytes in memory per item: of a snapshot, and of the change set for a shuffle of it.
    static func memory(_ n: Int) {
        let start = bytesInUse()
        let ids = Array((0..<n).map(UUID.make))
        let bare = bytesInUse()
        let snapshot = Contenders.snapshot([NamedSection(id: UUID.make(-1), items: ids)])
        let built = bytesInUse()
        let shuffled = Contenders.snapshot([NamedSection(id: UUID.make(-1), items: ids.shuffled())])
        let both = bytesInUse()
        let changes = shuffled.difference(from: snapshot)
        let after = bytesInUse()
        print("memory, n = \(n), UUID, bytes per item")
        print("    array \((bare - start) / n), snapshot \((built - bare) / n), moves \((after - both) / n)")
        precondition(changes.movedItems.count > 0 && shuffled.numberOfItems == ids.count)
    }

    /// What the process has in memory now: for lists of this size, what the lists have.
    private static func bytesInUse() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (Int(text.split(separator: " ")[1]) ?? 0) * 4_096
    }
}

extension NamedSection {
    init(id: ID, items: [ID]) {
        self.id = id
        self.items = items
    }
}
