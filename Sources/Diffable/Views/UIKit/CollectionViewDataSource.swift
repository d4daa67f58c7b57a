#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit

    /// What a `UICollectionView` asks, answered by a data source of Diffable. The view does not keep it: somebody else has to.
    ///
    /// Headers and footers come from the list's `supplementaryProvider`; other kinds are asked for by their own names.
    ///
    /// Not run by the tests of this package, which have no UIKit: it is compiled, and driven, with a stand-in for it.
    @MainActor
    open class CollectionViewDataSource<Section: Hashable & Sendable, Item: Hashable & Sendable>: NSObject,
        UICollectionViewDataSource
    {
        /// Where snapshots are applied, and items looked up.
        public let list: BaseReorderableDiffableDataSource<UICollectionView, Section, Item>

        /// Answers `collectionView` from now on, with no items at first.
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

        open func numberOfSections(in collectionView: UICollectionView) -> Int { list.numberOfSections }

        open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
            list.numberOfItems(inSection: section)
        }

        open func collectionView(
            _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
        ) -> UICollectionViewCell {
            list.cell(at: ItemPath(indexPath))
        }

        /// An empty view where the list's provider makes none: a layout that asks must be given one.
        open func collectionView(
            _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
        ) -> UICollectionReusableView {
            let path = ItemPath(indexPath)
            let view =
                switch kind {
                case UICollectionView.elementKindSectionHeader: list.header(at: path.section)
                case UICollectionView.elementKindSectionFooter: list.footer(at: path.section)
                default: list.supplementary(SupplementaryKind(rawValue: kind), at: path)
                }
            return view ?? UICollectionReusableView()
        }

        open func collectionView(_ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool {
            list.canMoveRow(at: ItemPath(indexPath))
        }

        /// Takes an item's new place in, or has the view show it where it was.
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
