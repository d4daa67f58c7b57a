#if canImport(AppKit) && !canImport(UIKit)
    public import AppKit
    public import Diffable

    /// Answers the questions of an `NSCollectionView` from a data source of Diffable. The view does not keep it alive.
    ///
    /// The list's `supplementaryProvider` is asked for each kind by AppKit's name. If it makes no header or footer by that
    /// name, the data source is asked for its `header(at:)` or `footer(at:)`.
    ///
    /// The tests of this package have no AppKit. They compile it with a stand-in.
    @MainActor
    open class CollectionViewDataSource<Section: Hashable, Item: Hashable>: NSObject,
        NSCollectionViewDataSource
    {
        /// The data source: apply snapshots to it, and look items up in it.
        public let list: DiffableDataSource<NSCollectionView, Section, Item>

        /// Becomes the data source of `collectionView`, with no items at first.
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

        /// Returns the number of sections shown.
        open func numberOfSections(in collectionView: NSCollectionView) -> Int { list.numberOfSections }

        /// Returns the number of items shown in a section.
        open func collectionView(_ collectionView: NSCollectionView, numberOfItemsInSection section: Int) -> Int {
            list.numberOfItems(inSection: section)
        }

        /// Returns the item of AppKit's that the provider makes for an item of the list.
        open func collectionView(
            _ collectionView: NSCollectionView, itemForRepresentedObjectAt indexPath: IndexPath
        ) -> NSCollectionViewItem {
            list.cell(at: ItemPath(indexPath))
        }

        /// Returns an empty view if the list's provider makes none, because a layout that asks must get one.
        open func collectionView(
            _ collectionView: NSCollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
        ) -> NSView {
            let path = ItemPath(indexPath)
            if let view = list.supplementary(SupplementaryKind(rawValue: kind), at: path) { return view }
            let view: NSView? =
                switch kind {
                case NSCollectionView.elementKindSectionHeader: list.header(at: path.section)
                case NSCollectionView.elementKindSectionFooter: list.footer(at: path.section)
                default: nil
                }
            return view ?? NSView()
        }
    }
#endif
