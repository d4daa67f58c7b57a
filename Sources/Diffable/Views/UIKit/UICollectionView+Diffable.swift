#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit

    // Not run by the tests of this package, which have no UIKit: it is compiled, and driven, with a stand-in for it.

    extension UICollectionView: @MainActor DiffableView {
        /// What a collection view shows for an item.
        public typealias Cell = UICollectionViewCell
        /// What a collection view shows for a section besides.
        public typealias Header = UICollectionReusableView

        /// Carries a change out in stages: no batch holds what UIKit refuses. A view that is in no window reads everything anew.
        public func perform<Section, Item>(_ update: ListUpdate<Section, Item>, completion: @escaping () -> Void) {
            update.perform(
                in: self, reload: reloadData,
                batch: { stage, completion in
                    self.performBatchUpdates {
                        update.commit(stage)
                        self.carryOut(stage.changes)
                    } completion: { _ in
                        completion()
                    }
                }, completion: completion)
        }

        /// A stage's changes; none of them are of two kinds that concern each other.
        private func carryOut(_ changes: ChangeSet) {
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
