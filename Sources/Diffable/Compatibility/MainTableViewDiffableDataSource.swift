public import Diffable

/// The data source of a table of the main actor, whose subclasses are on the main actor, too.
///
/// A module whose code is on the main actor by default needs it for subclasses of its own. Otherwise it is the same as
/// ``TableViewDiffableDataSource``.
///
/// ```swift
/// typealias UITableViewDiffableDataSource<S: Hashable, I: Hashable> =
///     MainTableViewDiffableDataSource<UITableView, S, I>
/// ```
@MainActor
open class MainTableViewDiffableDataSource<View: DiffableView, Section: Hashable, Item: Hashable>:
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
        answers = Answers { [unowned self] path in
            view.map { self.tableView($0, canMoveRowAt: path) } ?? isMovable(at: path)
        } moveRow: { [unowned self] source, destination throws(ReorderError) in
            try drop(source, destination)
        }
    }

    /// Returns true if the row at `indexPath` may be lifted. Without an override, the superclass decides.
    open func tableView(_ tableView: View, canMoveRowAt indexPath: ItemPath) -> Bool { isMovable(at: indexPath) }

    /// Accepts that a row was dropped, or has the view put it back. A subclass that overrides this makes the new
    /// snapshot and applies it. The view may show another order by then, so it reads everything again.
    open func tableView(_ tableView: View, moveRowAt sourceIndexPath: ItemPath, to destinationIndexPath: ItemPath) {
        viewMayDiffer = false
        do {
            try acceptRow(at: sourceIndexPath, to: destinationIndexPath)
        } catch {
            refusal = error
            apply(snapshot(), animatingDifferences: false)
        }
    }

    private func drop(_ source: ItemPath, _ destination: ItemPath) throws(ReorderError) {
        guard let view else { return try acceptRow(at: source, to: destination) }
        (refusal, viewMayDiffer) = (nil, true)
        tableView(view, moveRowAt: source, to: destination)
        if let refusal { throw refusal }
    }
}

/// The data source of a collection view of the main actor, whose subclasses are on the main actor, too.
///
/// A module whose code is on the main actor by default needs it for subclasses of its own. Otherwise it is the same as
/// ``CollectionViewDiffableDataSource``.
@MainActor
open class MainCollectionViewDiffableDataSource<View: DiffableView, Section: Hashable, Item: Hashable>:
    BaseReorderableDiffableDataSource<View, Section, Item>
{
    /// The same as Apple's initialiser, which the initialisers of subclasses call.
    ///
    /// - Errors: stops when the closure returns nil.
    public init(
        collectionView: View, file: StaticString = #fileID, line: UInt = #line,
        cellProvider: @escaping OptionalCellProvider
    ) {
        super.init(view: collectionView, cellProvider: Self.stoppingAtNil(cellProvider, file, line))
    }
}
