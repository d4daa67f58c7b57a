public import Diffable

/// A collection view's data source whose subclasses may have initialisers of their own, as those of Apple's type.
///
/// With a typealias for your own view it is `UICollectionViewDiffableDataSource`:
///
/// ```swift
/// typealias UICollectionViewDiffableDataSource<S: Hashable, I: Hashable> =
///     CollectionViewDiffableDataSource<UICollectionView, S, I>
/// ```
open class CollectionViewDiffableDataSource<
    View: DiffableView, Section: Hashable, Item: Hashable
>:
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

    /// The same as that of the superclass, for a closure that gets the section and always makes a cell.
    public override init(view: View, cellProvider: @escaping CellProvider) {
        super.init(view: view, cellProvider: cellProvider)
    }
}
