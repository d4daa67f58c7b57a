/// A data source whose rows can be dragged to other places.
///
/// The view asks ``canMoveRow(at:)`` before it lifts a row and calls ``moveRow(at:to:)`` once it is dropped and stands there.
/// The list then has the new order without the view being told: it shows it already.
open class BaseReorderableDiffableDataSource<
    View: DiffableView, Section: Hashable & Sendable, Item: Hashable & Sendable
>:
    DiffableDataSource<View, Section, Item>
{
    /// What ``willReorder`` and ``didReorder`` are called with.
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
    /// Called with what is about to happen; the data source still answers as before. What it applies waits for the move.
    public var willReorder: ((Transaction) -> Void)?
    /// Called with what has happened: the time to write the new order to one's own store. What it applies waits for its end.
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

    /// Takes in that the row at `source` was dropped at `destination`, where the view shows it.
    ///
    /// In an outline a row takes its folded children along, and an unfolded one is followed by those that show. It stays
    /// with its parent if it can there, and else comes to the level of the row that it stands in front of.
    ///
    /// - `destination`: the row's place once it stands there, counted without it where it was. In another section
    ///   it may equal that section's count, 0 for an empty one.
    /// - Errors: ``ReorderError``. The list is then as it was, and `willReorder` has not been called. The next apply, of
    ///   the same ``DiffableDataSource/snapshot()`` for one, has the view read everything anew, which puts the row back.
    /// - Complexity: O(items of the sections concerned).
    open func moveRow(at source: ItemPath, to destination: ItemPath) throws(ReorderError) {
        let item: Item
        do {
            item = try movable(from: source, to: destination)
        } catch {
            viewMayDiffer = true
            throw error
        }
        if source == destination { return }
        alone {
            var dropped = list.shown
            dropped.snapshot.place(item, at: destination)
            let final = list.shown.moving(item, to: destination)
            let transaction = Transaction(moving: item, from: list.shown, to: final)
            willReorder?(transaction)
            // The view shows the one row where it was dropped; its children it has to be told of.
            perform(.silent, { $0 = dropped }, nil)
            perform(.animated, { $0 = final }, nil)
            if enableLogging { log("moved \(item) from \(source) to \(destination)") }
            didReorder?(transaction)
        }
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
        // Counted without the row, what shows below it stands from its own place on.
        let children = list.shown.visibleDescendants(of: item).count
        if !crosses, destination.item > source.item, destination.item <= source.item + children {
            throw .noPlace(at: destination)
        }
        return item
    }
}
