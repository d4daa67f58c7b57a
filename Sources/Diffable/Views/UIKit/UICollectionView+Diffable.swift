#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit

    // The tests of this package have no UIKit. They compile and drive this with a stand-in.

    extension UICollectionView: @MainActor DiffableView {
        /// A collection view's cell.
        public typealias Cell = UICollectionViewCell
        /// A collection view's header, footer or other supplementary view.
        public typealias Header = UICollectionReusableView

        /// Performs a change in stages, because UIKit refuses some batches. A view without a window reads everything
        /// again.
        public func perform<Section, Item>(_ update: ListUpdate<Section, Item>, completion: @escaping () -> Void) {
            update.perform(
                in: self, reload: reloadData, completion: completion,
                batch: { self.performBatchUpdates($0, completion: $1) }, apply: { self.apply($0) })
        }

        /// Performs the changes of a stage. No two kinds of change in it affect each other.
        private func apply(_ changes: ChangeSet) {
            deleteSections(IndexSet(changes.deletedSections))
            insertSections(IndexSet(changes.insertedSections))
            for step in changes.movedSections { moveSection(step.from, toSection: step.to) }
            deleteItems(at: changes.deletedItems.map { IndexPath($0) })
            insertItems(at: changes.insertedItems.map { IndexPath($0) })
            for step in changes.movedItems { moveItem(at: IndexPath(step.from), to: IndexPath(step.to)) }
            reloadSections(IndexSet(changes.reloadedSections.map(\.to)))
            reloadItems(at: changes.reloadedItems.map { IndexPath($0.to) })
            let reconfigured = changes.reconfiguredItems.map { IndexPath($0.to) }
            if #available(iOS 15, tvOS 15, *) {
                reconfigureItems(at: reconfigured)
            } else {
                reloadItems(at: reconfigured)
            }
        }
    }
#endif
