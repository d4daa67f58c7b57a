public import Diffable

/// A data source with the methods that subclasses of Apple's override to have rows dragged.
///
/// With a typealias for a view of one's own it is `UITableViewDiffableDataSource`:
///
/// ```swift
/// typealias UITableViewDiffableDataSource<S: Hashable & Sendable, I: Hashable & Sendable> =
///     TableViewDiffableDataSource<UITableView, S, I>
/// ```
open class TableViewDiffableDataSource<
    View: DiffableView, Section: Hashable & Sendable, Item: Hashable & Sendable
>:
    BaseReorderableDiffableDataSource<View, Section, Item>
{
    /// Why the last row that was dropped may not stay.
    private var refusal: ReorderError?

    /// Whether the row at `indexPath` may be lifted: as the super class has it, unless it is overridden.
    open func tableView(_ tableView: View, canMoveRowAt indexPath: ItemPath) -> Bool {
        super.canMoveRow(at: indexPath)
    }

    /// Takes in that a row was dropped, or has the view put it back. A subclass that overrides this makes the new snapshot
    /// and applies it: the view, which shows some other order by then, reads everything anew.
    open func tableView(_ tableView: View, moveRowAt sourceIndexPath: ItemPath, to destinationIndexPath: ItemPath) {
        viewMayDiffer = false
        do {
            try super.moveRow(at: sourceIndexPath, to: destinationIndexPath)
        } catch {
            refusal = error
            apply(snapshot(), animatingDifferences: false)
        }
    }

    open override func canMoveRow(at path: ItemPath) -> Bool {
        guard let view else { return super.canMoveRow(at: path) }
        return tableView(view, canMoveRowAt: path)
    }

    open override func moveRow(at source: ItemPath, to destination: ItemPath) throws(ReorderError) {
        guard let view else { return try super.moveRow(at: source, to: destination) }
        (refusal, viewMayDiffer) = (nil, true)
        tableView(view, moveRowAt: source, to: destination)
        if let refusal { throw refusal }
    }
}
