#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit

    /// Answers the questions of a `UICollectionView` from a data source of Diffable. The view does not keep it alive.
    ///
    /// The list's `supplementaryProvider` is asked for each kind by UIKit's name. If it makes no header or footer by that
    /// name, the data source is asked for its `header(at:)` or `footer(at:)`.
    ///
    /// The tests of this package have no UIKit. They compile and drive it with a stand-in.
    @MainActor
    open class CollectionViewDataSource<Section: Hashable, Item: Hashable>: NSObject,
        UICollectionViewDataSource
    {
        /// The data source: apply snapshots to it, and look items up in it.
        public let list: BaseReorderableDiffableDataSource<UICollectionView, Section, Item>

        /// Becomes the data source of `collectionView`, with no items at first.
        public init(
            collectionView: UICollectionView,
            cellProvider: @escaping (UICollectionView, IndexPath, Item) -> UICollectionViewCell
        ) {
            list = BaseReorderableDiffableDataSource(view: collectionView) { view, path, item, _ in
                cellProvider(view, IndexPath(path), item)
            }
            list.allowReordering = false
            super.init()
            collectionView.dataSource = self
        }

        /// Returns the number of sections shown.
        open func numberOfSections(in collectionView: UICollectionView) -> Int { list.numberOfSections }

        /// Returns the number of items shown in a section.
        open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
            list.numberOfItems(inSection: section)
        }

        /// Returns the cell that the provider makes for an item.
        open func collectionView(
            _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
        ) -> UICollectionViewCell {
            list.cell(at: ItemPath(indexPath))
        }

        /// Returns an empty view if the list's provider makes none, because a layout that asks must get one.
        open func collectionView(
            _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
        ) -> UICollectionReusableView {
            let path = ItemPath(indexPath)
            if let view = list.supplementary(SupplementaryKind(rawValue: kind), at: path) { return view }
            let view: UICollectionReusableView? =
                switch kind {
                case UICollectionView.elementKindSectionHeader: list.header(at: path.section)
                case UICollectionView.elementKindSectionFooter: list.footer(at: path.section)
                default: nil
                }
            return view ?? UICollectionReusableView()
        }

        /// Returns true if an item may be lifted.
        open func collectionView(_ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool {
            list.canMoveRow(at: ItemPath(indexPath))
        }

        /// Accepts an item's new place, or has the view show it at its old place.
        open func collectionView(
            _ collectionView: UICollectionView, moveItemAt sourceIndexPath: IndexPath,
            to destinationIndexPath: IndexPath
        ) {
            do {
                try list.moveRow(at: ItemPath(sourceIndexPath), to: ItemPath(destinationIndexPath))
            } catch {
                list.apply(list.snapshot(), animatingDifferences: false)
            }
        }
    }
#endif
