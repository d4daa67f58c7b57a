// The parts of AppKit that Diffable's adapters use, for machines without it: declarations with the signatures of the
// macOS 15 SDK. They show nothing and check nothing.

@_exported public import Foundation

extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public var section: Int { self[0] }
    public var item: Int { self[1] }
}

@MainActor
open class NSView: NSObject {
    public var window: NSView?

    public func animator() -> Self { self }
}

@MainActor
open class NSCollectionViewItem: NSObject {}

@MainActor
public protocol NSCollectionViewDataSource: AnyObject {
    func numberOfSections(in collectionView: NSCollectionView) -> Int
    func collectionView(_ collectionView: NSCollectionView, numberOfItemsInSection section: Int) -> Int
    func collectionView(
        _ collectionView: NSCollectionView, itemForRepresentedObjectAt indexPath: IndexPath
    ) -> NSCollectionViewItem
    func collectionView(
        _ collectionView: NSCollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> NSView
}

@MainActor
open class NSCollectionView: NSView {
    public static let elementKindSectionHeader = "NSCollectionElementKindSectionHeader"
    public static let elementKindSectionFooter = "NSCollectionElementKindSectionFooter"

    public weak var dataSource: (any NSCollectionViewDataSource)?

    public func reloadData() {}
    public func performBatchUpdates(_ updates: (() -> Void)?, completionHandler: ((Bool) -> Void)? = nil) {
        updates?()
        completionHandler?(true)
    }
    public func insertSections(_ sections: IndexSet) {}
    public func deleteSections(_ sections: IndexSet) {}
    public func reloadSections(_ sections: IndexSet) {}
    public func moveSection(_ section: Int, toSection newSection: Int) {}
    public func insertItems(at indexPaths: Set<IndexPath>) {}
    public func deleteItems(at indexPaths: Set<IndexPath>) {}
    public func reloadItems(at indexPaths: Set<IndexPath>) {}
    public func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
}
