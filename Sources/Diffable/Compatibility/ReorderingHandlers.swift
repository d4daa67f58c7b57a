public import Diffable

/// The handlers for dragged items, as Apple's collection views have them.
public struct ReorderingHandlers<Section: Hashable, Item: Hashable> {
    /// Returns true if an item may be lifted. Nil allows every item, if reordering is on at all.
    public var canReorderItem: ((Item) -> Bool)?
    /// Called before the new order takes effect.
    public var willReorder: ((ReorderTransaction<Section, Item>) -> Void)?
    /// Called after the new order has taken effect.
    public var didReorder: ((ReorderTransaction<Section, Item>) -> Void)?
}

extension BaseReorderableDiffableDataSource {
    /// The three handlers in one. As with Apple's type, setting ``ReorderingHandlers/canReorderItem`` turns reordering
    /// on, also across sections.
    public var reorderingHandlers: ReorderingHandlers<Section, Item> {
        get { ReorderingHandlers(canReorderItem: canMoveItem, willReorder: willReorder, didReorder: didReorder) }
        set {
            if newValue.canReorderItem != nil { (allowReordering, allowCrossSectionMove) = (true, true) }
            (canMoveItem, willReorder, didReorder) =
                (newValue.canReorderItem, newValue.willReorder, newValue.didReorder)
        }
    }

    /// The same as
    /// ``BaseReorderableDiffableDataSource/create(view:allowCrossSectionMove:allowReordering:enableLogging:cellBuilder:)``,
    /// for a closure whose section is optional. It is never nil.
    public static func create(
        tableView: View, allowCrossSectionMove: Bool = false, allowReordering: Bool = false,
        enableLogging: Bool = false, cellBuilder: @escaping (View, ItemPath, Item, Section?) -> View.Cell
    ) -> BaseReorderableDiffableDataSource {
        create(
            view: tableView, allowCrossSectionMove: allowCrossSectionMove, allowReordering: allowReordering,
            enableLogging: enableLogging, cellBuilder: { cellBuilder($0, $1, $2, $3) })
    }
}
