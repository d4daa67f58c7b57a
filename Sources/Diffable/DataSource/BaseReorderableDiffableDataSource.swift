/// A data source whose rows can be dragged to other places.
///
/// The view asks ``canMoveRow(at:)`` before it lifts a row and says ``moveRow(at:to:)`` once it is dropped. The list then
/// has the new order without the view being told: it shows it already.
open class BaseReorderableDiffableDataSource<
    View: DiffableView, Section: Hashable & Sendable, Item: Hashable & Sendable
>:
    DiffableDataSource<View, Section, Item>
{
    public typealias Transaction = ReorderTransaction<Section, Item>

    /// Whether rows may leave their section.
    public var allowCrossSectionMove = false
    /// Whether rows may be moved at all.
    public var allowReordering = true
    /// Whether ``log`` hears of moves.
    public var enableLogging = false
    /// Where log lines go.
    public var log: (String) -> Void = { print($0) }

    /// Whether one item may be moved; every one if nil.
    public var canMoveItem: ((Item) -> Bool)?
    /// Called with what is about to happen; the data source still answers as before.
    public var willReorder: ((Transaction) -> Void)?
    /// Called with what has happened: the time to write the new order to one's own store.
    public var didReorder: ((Transaction) -> Void)?

    /// Makes a data source with everything decided in one call.
    public static func create(
        view: View, allowCrossSectionMove: Bool = false, allowReordering: Bool = false, enableLogging: Bool = false,
        cellBuilder: @escaping CellProvider
    ) -> BaseReorderableDiffableDataSource {
        let source = BaseReorderableDiffableDataSource(view: view, cellProvider: cellBuilder)
        source.allowCrossSectionMove = allowCrossSectionMove
        source.allowReordering = allowReordering
        source.enableLogging = enableLogging
        return source
    }

    /// Whether the row at `path` may be lifted.
    open func canMoveRow(at path: ItemPath) -> Bool {
        guard allowReordering, let item = itemIdentifier(for: path) else { return false }
        return canMoveItem?(item) ?? true
    }

    /// Takes in that the row at `source` was dropped at `destination`.
    ///
    /// - `destination`: the row's place once it stands there, counted without it where it was. In another section
    ///   it may equal that section's count, 0 for an empty one.
    /// - Errors: ``ReorderError``. The list is then as it was, and `willReorder` has not been called.
    /// - Complexity: O(items of the sections concerned).
    open func moveRow(at source: ItemPath, to destination: ItemPath) throws(ReorderError) {
        let item = try movable(from: source, to: destination)
        if source == destination { return }
        let initial = snapshot()
        var final = initial
        final.place(item, at: destination)
        let transaction = Transaction(moving: item, from: initial, to: final)
        willReorder?(transaction)
        adopt(final)
        if enableLogging { log("moved \(item) from \(source) to \(destination)") }
        didReorder?(transaction)
    }

    private func movable(from source: ItemPath, to destination: ItemPath) throws(ReorderError) -> Item {
        guard allowReordering else { throw .reorderingIsOff }
        if isBusy { throw .busy }
        guard let item = itemIdentifier(for: source) else { throw .noRow(at: source) }
        guard canMoveRow(at: source) else { throw .rowStays(at: source) }
        let crosses = source.section != destination.section
        if crosses, !allowCrossSectionMove { throw .crossesSections }
        let places = numberOfItems(inSection: destination.section) + (crosses ? 1 : 0)
        guard (0..<numberOfSections).contains(destination.section), (0..<places).contains(destination.item)
        else { throw .noPlace(at: destination) }
        return item
    }
}

extension Snapshot {
    /// Moves an item that is there to a place counted without it.
    fileprivate mutating func place(_ item: Item, at destination: ItemPath) {
        let section = sectionIdentifier(at: destination.section)!
        let others = itemIdentifiers(inSection: section).filter { $0 != item }
        if destination.item < others.count {
            moveItem(item, beforeItem: others[destination.item])
        } else {
            appendItems([item], toSection: section)
        }
    }
}
