/// A data source whose rows can be dragged to other places.
///
/// The view asks ``canMoveRow(at:)`` before it lifts a row, and calls ``moveRow(at:to:)`` when the row was dropped. The
/// list then has the new order. The view is not notified, because it already shows the row in its new place.
open class BaseReorderableDiffableDataSource<
    View: DiffableView, Section: Hashable, Item: Hashable
>:
    DiffableDataSource<View, Section, Item>
{
    /// The argument of ``willReorder`` and ``didReorder``.
    public typealias Transaction = ReorderTransaction<Section, Item>

    /// True when rows may leave their section.
    public var allowCrossSectionMove = false
    /// True when rows may be moved at all.
    public var allowReordering = true
    /// True when moves are written to ``log``.
    public var enableLogging = false
    /// Receives log lines.
    public var log: (String) -> Void = { print($0) }

    /// Returns true if an item may be moved. Nil allows every item.
    public var canMoveItem: ((Item) -> Bool)?
    /// Called before a move, while the data source still answers with the old order. An apply in it waits for the move.
    public var willReorder: ((Transaction) -> Void)?
    /// Called after a move: the time to write the new order to your own store. An apply in it waits until the move
    /// ends.
    public var didReorder: ((Transaction) -> Void)?

    /// Answers in place of this class, for a subclass that is isolated to the main actor and so cannot override.
    package struct Answers {
        package var canMoveRow: (ItemPath) -> Bool
        package var moveRow: (_ source: ItemPath, _ destination: ItemPath) throws(ReorderError) -> Void

        package init(
            canMoveRow: @escaping (ItemPath) -> Bool,
            moveRow: @escaping (_ source: ItemPath, _ destination: ItemPath) throws(ReorderError) -> Void
        ) {
            self.canMoveRow = canMoveRow
            self.moveRow = moveRow
        }
    }

    package var answers: Answers?

    /// Makes a data source with all its settings in one call.
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

    /// Returns true if the row at `path` may be lifted.
    open func canMoveRow(at path: ItemPath) -> Bool { answers?.canMoveRow(path) ?? isMovable(at: path) }

    package final func isMovable(at path: ItemPath) -> Bool {
        guard allowReordering, let item = itemIdentifier(for: path) else { return false }
        return canMoveItem?(item) ?? true
    }

    /// Accepts that the row at `source` was dropped at `destination`, where the view already shows it.
    ///
    /// In an outline, a folded row takes its children along, and the visible children of an unfolded row follow it. The
    /// row keeps its parent if it can. Otherwise it comes to the level of the row after it.
    ///
    /// - `destination`: the row's new place, counted without the row at its old place. In another section it may be
    ///   equal to that section's count; it is 0 for an empty section.
    /// - Errors: ``ReorderError``. The list is then unchanged, and `willReorder` was not called. The next apply, for
    ///   example of the same ``DiffableDataSource/snapshot()``, has the view read everything again, which puts the row
    ///   back.
    /// - Complexity: O(1), plus a small part of the sections concerned. In an outline, O(the row's descendants), too.
    open func moveRow(at source: ItemPath, to destination: ItemPath) throws(ReorderError) {
        if let answers { return try answers.moveRow(source, destination) }
        try acceptRow(at: source, to: destination)
    }

    package final func acceptRow(at source: ItemPath, to destination: ItemPath) throws(ReorderError) {
        let item: Item
        do {
            item = try movable(from: source, to: destination)
        } catch {
            viewMayDiffer = true
            throw error
        }
        if source == destination { return }
        alone {
            let (dropped, final) = list.shown.moving(from: source, to: destination)
            let transaction = Transaction(moving: item, from: list.shown, to: final)
            willReorder?(transaction)
            // The view already shows the one row where it was dropped, but not the new places of the row's children.
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
        // The answer may have come after an apply, which took effect at once.
        guard itemIdentifier(for: source) == item else { throw .noRow(at: source) }
        let crosses = source.section != destination.section
        if crosses, !allowCrossSectionMove { throw .crossesSections }
        let places = numberOfItems(inSection: destination.section) + (crosses ? 1 : 0)
        guard (0..<numberOfSections).contains(destination.section), (0..<places).contains(destination.item)
        else { throw .noPlace(at: destination) }
        // Counted without the row, its visible children begin at its own place.
        let children = list.shown.visibleDescendants(of: item).count
        if !crosses, destination.item > source.item, destination.item <= source.item + children {
            throw .noPlace(at: destination)
        }
        return item
    }
}
