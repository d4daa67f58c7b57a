// The parts of UIKit that Diffable's adapters use, for machines without it: declarations with the signatures of the iOS
// 18 SDK, and, for a table and a collection view, UIKit's rule for batches. They show nothing.

@_exported public import Foundation

extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public var section: Int { self[0] }
    public var item: Int { self[1] }
    public var row: Int { self[1] }
}

@MainActor
open class UIView: NSObject {
    public var window: UIView?

    public static func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) { actionsWithoutAnimation() }
}

open class UITableViewCell: UIView {}
open class UICollectionReusableView: UIView {}
open class UICollectionViewCell: UICollectionReusableView {}

@MainActor
public protocol UITableViewDataSource: AnyObject {
    func numberOfSections(in tableView: UITableView) -> Int
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool
    func tableView(_ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath)
}

@MainActor
public protocol UICollectionViewDataSource: AnyObject {
    func numberOfSections(in collectionView: UICollectionView) -> Int
    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
    func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell
    func collectionView(
        _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView
    func collectionView(_ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool
    func collectionView(
        _ collectionView: UICollectionView, moveItemAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath)
}

/// The effect of a batch on sections and items, and whether the counts before and after agree with it.
public struct Batch {
    var deletedSections = IndexSet()
    var insertedSections = IndexSet()
    var movedSections: [(from: Int, to: Int)] = []
    var deleted: [IndexPath] = []
    var inserted: [IndexPath] = []
    var moved: [(from: IndexPath, to: IndexPath)] = []
    var reloadedSections = IndexSet()
    var reloaded: [IndexPath] = []

    /// UIKit ends a program whose batch breaks this, and refuses some pairs in one batch.
    func check(_ before: [Int], _ after: [Int]) {
        let restructures = !deletedSections.isEmpty || !insertedSections.isEmpty || !movedSections.isEmpty
        let changesItems = !deleted.isEmpty || !inserted.isEmpty || !moved.isEmpty
        let refreshes = !reloadedSections.isEmpty || !reloaded.isEmpty
        precondition([restructures, changesItems, refreshes].filter { $0 }.count <= 1, "kinds are mixed in a batch")
        var counts: [Int?] = Array(repeating: nil, count: after.count)
        for step in movedSections { counts[step.to] = before[step.from] }
        for section in insertedSections { counts[section] = 0 }
        let leaving = deletedSections.union(IndexSet(movedSections.map(\.from)))
        var staying = before.indices.filter { !leaving.contains($0) }.map { before[$0] }[...]
        for place in counts.indices where counts[place] == nil { counts[place] = staying.popFirst() }
        precondition(staying.isEmpty, "invalid number of sections")
        for path in deleted + moved.map(\.from) { counts[path.section]! -= 1 }
        for path in inserted + moved.map(\.to) { counts[path.section]! += 1 }
        precondition(counts == after, "invalid number of items: \(counts) where the data source has \(after)")
    }
}

@MainActor
open class UITableView: UIView {
    public enum RowAnimation { case fade, right, left, top, bottom, none, middle, automatic }

    public weak var dataSource: (any UITableViewDataSource)?
    public private(set) var batches: [Batch] = []
    public private(set) var reloads = 0
    private var batch: Batch?
    private var counts: [Int] = []

    private var wanted: [Int] {
        guard let dataSource else { return [] }
        return (0..<dataSource.numberOfSections(in: self)).map { dataSource.tableView(self, numberOfRowsInSection: $0) }
    }

    public func reloadData() {
        reloads += 1
        counts = wanted
    }

    public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        precondition(wanted == counts, "the data source changed before the batch: \(wanted) for \(counts)")
        batch = Batch()
        updates?()
        batch!.check(counts, wanted)
        batches.append(batch!)
        counts = wanted
        batch = nil
        completion?(true)
    }

    public func insertSections(_ sections: IndexSet, with animation: RowAnimation) {
        batch!.insertedSections.formUnion(sections)
    }
    public func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {
        batch!.deletedSections.formUnion(sections)
    }
    public func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {
        batch!.reloadedSections.formUnion(sections)
    }
    public func moveSection(_ section: Int, toSection newSection: Int) {
        batch!.movedSections.append((section, newSection))
    }
    public func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) { batch!.inserted += indexPaths }
    public func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) { batch!.deleted += indexPaths }
    public func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) { batch!.reloaded += indexPaths }
    public func reconfigureRows(at indexPaths: [IndexPath]) { batch!.reloaded += indexPaths }
    public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        batch!.moved.append((indexPath, newIndexPath))
    }
}

@MainActor
open class UICollectionView: UIView {
    public static let elementKindSectionHeader = "UICollectionElementKindSectionHeader"
    public static let elementKindSectionFooter = "UICollectionElementKindSectionFooter"

    public weak var dataSource: (any UICollectionViewDataSource)?
    public private(set) var batches: [Batch] = []
    public private(set) var reloads = 0
    private var batch: Batch?
    private var counts: [Int] = []

    private var wanted: [Int] {
        guard let dataSource else { return [] }
        return (0..<dataSource.numberOfSections(in: self)).map {
            dataSource.collectionView(self, numberOfItemsInSection: $0)
        }
    }

    public func reloadData() {
        reloads += 1
        counts = wanted
    }

    public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        precondition(wanted == counts, "the data source changed before the batch: \(wanted) for \(counts)")
        batch = Batch()
        updates?()
        batch!.check(counts, wanted)
        batches.append(batch!)
        counts = wanted
        batch = nil
        completion?(true)
    }

    public func insertSections(_ sections: IndexSet) { batch!.insertedSections.formUnion(sections) }
    public func deleteSections(_ sections: IndexSet) { batch!.deletedSections.formUnion(sections) }
    public func reloadSections(_ sections: IndexSet) { batch!.reloadedSections.formUnion(sections) }
    public func moveSection(_ section: Int, toSection newSection: Int) {
        batch!.movedSections.append((section, newSection))
    }
    public func insertItems(at indexPaths: [IndexPath]) { batch!.inserted += indexPaths }
    public func deleteItems(at indexPaths: [IndexPath]) { batch!.deleted += indexPaths }
    public func reloadItems(at indexPaths: [IndexPath]) { batch!.reloaded += indexPaths }
    public func reconfigureItems(at indexPaths: [IndexPath]) { batch!.reloaded += indexPaths }
    public func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        batch!.moved.append((indexPath, newIndexPath))
    }
}
