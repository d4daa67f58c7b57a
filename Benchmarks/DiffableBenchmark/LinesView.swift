import Diffable

/// A view that keeps its cells, as the one of the guide.
final class LinesView<Item: Hashable & Sendable>: DiffableView {
    typealias Cell = Int
    typealias Header = Int

    weak var source: DiffableDataSource<LinesView, Int, Item>?
    private(set) var lines: [[Int]] = []

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        update.commit()
        if let source { update.changes.apply(to: &lines) { source.cell(at: $0) } }
        completion()
    }

    func reloadData() {
        guard let source else { return }
        lines = (0..<source.numberOfSections).map { section in
            (0..<source.numberOfItems(inSection: section)).map { source.cell(at: ItemPath(section: section, item: $0)) }
        }
    }
}
