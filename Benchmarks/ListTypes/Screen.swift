import Diffable

/// A view that performs changes at once.
final class Screen: DiffableView {
    typealias Cell = String
    typealias Header = String

    private(set) var changes = 0

    func perform<Section, Item>(_ update: ListUpdate<Section, Item>, completion: @escaping () -> Void) {
        update.commit()
        changes += update.changes.insertedItems.count + update.changes.deletedItems.count
        completion()
    }

    func reloadData() {}
}
