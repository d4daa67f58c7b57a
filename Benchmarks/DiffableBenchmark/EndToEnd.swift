import Diffable
import FoundationEssentials

/// A view that only counts, so that the rest is the data source's own cost.
final class CountingView: DiffableView {
    typealias Cell = Int
    typealias Header = Int

    /// The portions in which the view takes a change.
    enum Portion {
        case all
        /// As UIKit's and AppKit's views do.
        case stages
    }

    private let portion: Portion
    private(set) var changes = 0

    init(taking portion: Portion = .all) {
        self.portion = portion
    }

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        switch portion {
        case .all:
            update.commit()
            count(update.changes)
        case .stages:
            for stage in update.stages() {
                update.commit(stage)
                count(stage.changes)
            }
        }
        completion()
    }

    private func count(_ change: ChangeSet) { changes += change.insertedItems.count + change.deletedItems.count }

    func reloadData() {}
}

/// A table adapter's operations from call to view.
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
}
