public import Diffable

/// What to ask and whom to tell when an item is dragged, as Apple's collection views have it.
public struct ReorderingHandlers<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    /// Whether an item may be lifted; every one if nil, where reordering is on at all.
    public var canReorderItem: ((Item) -> Bool)?
    /// Called before the new order is taken in.
    public var willReorder: ((ReorderTransaction<Section, Item>) -> Void)?
    /// Called once it has been.
    public var didReorder: ((ReorderTransaction<Section, Item>) -> Void)?
}

extension BaseReorderableDiffableDataSource {
    /// The three handlers in one. As with Apple's, setting ``ReorderingHandlers/canReorderItem`` turns reordering on, across
    /// sections too.
    public var reorderingHandlers: ReorderingHandlers<Section, Item> {
        get { ReorderingHandlers(canReorderItem: canMoveItem, willReorder: willReorder, didReorder: didReorder) }
        set {
            if newValue.canReorderItem != nil { (allowReordering, allowCrossSectionMove) = (true, true) }
            (canMoveItem, willReorder, didReorder) =
                (newValue.canReorderItem, newValue.willReorder, newValue.didReorder)
        }
    }

    /// As ``BaseReorderableDiffableDataSource/create(view:allowCrossSectionMove:allowReordering:enableLogging:cellBuilder:)``;
    /// the section that the closure is told may be nil as far as the compiler knows, and never is.
    public static func create(
        tableView: View, allowCrossSectionMove: Bool = false, allowReordering: Bool = false,
        enableLogging: Bool = false, cellBuilder: @escaping (View, ItemPath, Item, Section?) -> View.Cell
    ) -> BaseReorderableDiffableDataSource {
        create(
            view: tableView, allowCrossSectionMove: allowCrossSectionMove, allowReordering: allowReordering,
            enableLogging: enableLogging, cellBuilder: { cellBuilder($0, $1, $2, $3) })
    }
}
