public import Diffable

/// A table's data source with the methods that subclasses of Apple's type override for dragged rows.
///
/// With a typealias for your own view it is `UITableViewDiffableDataSource`:
///
/// ```swift
/// typealias UITableViewDiffableDataSource<S: Hashable, I: Hashable> =
///     TableViewDiffableDataSource<UITableView, S, I>
/// ```
open class TableViewDiffableDataSource<
    View: DiffableView, Section: Hashable, Item: Hashable
>:
    BaseReorderableDiffableDataSource<View, Section, Item>
{
    /// The reason for which the row that was dropped last must go back.
    private var refusal: ReorderError?

    /// The same as Apple's initialiser, which the initialisers of subclasses call.
    ///
    /// - Errors: stops when the closure returns nil.
    public init(
        tableView: View, file: StaticString = #fileID, line: UInt = #line,
        cellProvider: @escaping OptionalCellProvider
    ) {
        super.init(view: tableView, cellProvider: Self.stoppingAtNil(cellProvider, file, line))
    }

    /// The same as that of the superclass, for a closure that gets the section and always makes a cell.
    public override init(view: View, cellProvider: @escaping CellProvider) {
        super.init(view: view, cellProvider: cellProvider)
    }

    /// Returns true if the row at `indexPath` may be lifted. Without an override, the superclass decides.
    open func tableView(_ tableView: View, canMoveRowAt indexPath: ItemPath) -> Bool {
        super.canMoveRow(at: indexPath)
    }

    /// Accepts that a row was dropped, or has the view put it back. A subclass that overrides this makes the new
    /// snapshot and applies it. The view may show another order by then, so it reads everything again.
    open func tableView(_ tableView: View, moveRowAt sourceIndexPath: ItemPath, to destinationIndexPath: ItemPath) {
        viewMayDiffer = false
        do {
            try super.moveRow(at: sourceIndexPath, to: destinationIndexPath)
        } catch {
            refusal = error
            apply(snapshot(), animatingDifferences: false)
        }
    }

    /// The answer of ``tableView(_:canMoveRowAt:)``.
    open override func canMoveRow(at path: ItemPath) -> Bool {
        guard let view else { return super.canMoveRow(at: path) }
        return tableView(view, canMoveRowAt: path)
    }

    /// Has ``tableView(_:moveRowAt:to:)`` accept that the row at `source` was dropped at `destination`.
    ///
    /// - Errors: ``ReorderError``, if the superclass refused the move.
    open override func moveRow(at source: ItemPath, to destination: ItemPath) throws(ReorderError) {
        guard let view else { return try super.moveRow(at: source, to: destination) }
        (refusal, viewMayDiffer) = (nil, true)
        tableView(view, moveRowAt: source, to: destination)
        if let refusal { throw refusal }
    }
}
