#if canImport(AppKit) && !canImport(UIKit)
    public import AppKit
    public import Diffable

    /// What an `NSCollectionView` asks, answered by a data source of Diffable. The view does not keep it: somebody else has to.
    ///
    /// Headers and footers come from the list's `supplementaryProvider`; other kinds are asked for by their own names.
    ///
    /// Not run by the tests of this package, which have no AppKit: it is compiled, and driven, with a stand-in for it.
    @MainActor
    open class CollectionViewDataSource<Section: Hashable & Sendable, Item: Hashable & Sendable>: NSObject,
        NSCollectionViewDataSource
    {
        /// Where snapshots are applied, and items looked up.
        public let list: DiffableDataSource<NSCollectionView, Section, Item>

        /// Answers `collectionView` from now on, with no items at first.
        public init(
            collectionView: NSCollectionView,
            itemProvider: @escaping (NSCollectionView, IndexPath, Item) -> NSCollectionViewItem
        ) {
            list = DiffableDataSource(view: collectionView) { view, path, item, _ in
                itemProvider(view, IndexPath(path), item)
            }
            super.init()
            collectionView.dataSource = self
        }

        open func numberOfSections(in collectionView: NSCollectionView) -> Int { list.numberOfSections }

        open func collectionView(_ collectionView: NSCollectionView, numberOfItemsInSection section: Int) -> Int {
            list.numberOfItems(inSection: section)
        }

        open func collectionView(
            _ collectionView: NSCollectionView, itemForRepresentedObjectAt indexPath: IndexPath
        ) -> NSCollectionViewItem {
            list.cell(at: ItemPath(indexPath))
        }

        /// An empty view where the list's provider makes none: a layout that asks must be given one.
        open func collectionView(
            _ collectionView: NSCollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
        ) -> NSView {
            let path = ItemPath(indexPath)
            let view =
                switch kind {
                case NSCollectionView.elementKindSectionHeader: list.header(at: path.section)
                case NSCollectionView.elementKindSectionFooter: list.footer(at: path.section)
                default: list.supplementary(SupplementaryKind(rawValue: kind), at: path)
                }
            return view ?? NSView()
        }
    }
#endif
