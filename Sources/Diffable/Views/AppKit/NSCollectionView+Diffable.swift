#if canImport(AppKit) && !canImport(UIKit)
    public import AppKit
    public import Diffable

    // Not run by the tests of this package, which have no AppKit: it is compiled, and driven, with a stand-in for it.

    extension NSCollectionView: @MainActor DiffableView {
        /// What a collection view shows for an item.
        public typealias Cell = NSCollectionViewItem
        /// What a collection view shows for a section besides.
        public typealias Header = NSView

        /// Carries a change out in stages: no batch holds what AppKit refuses. A view that is in no window reads everything anew.
        public func perform<Section, Item>(_ update: ListUpdate<Section, Item>, completion: @escaping () -> Void) {
            let stages = update.stages()
            guard window != nil, update.isAnimated, let last = stages.last else {
                update.commit()
                reloadData()
                return completion()
            }
            for stage in stages {
                animator().performBatchUpdates {
                    update.commit(stage)
                    self.carryOut(stage.changes)
                } completionHandler: { _ in
                    if stage.purpose == last.purpose { completion() }
                }
            }
        }

        /// A stage's changes; none of them are of two kinds that concern each other. AppKit cannot fill an item in again where it
        /// is: it is made anew.
        private func carryOut(_ changes: ChangeSet) {
            deleteSections(IndexSet(changes.deletedSections))
            insertSections(IndexSet(changes.insertedSections))
            for step in changes.movedSections { moveSection(step.from, toSection: step.to) }
            deleteItems(at: Set(changes.deletedItems.map { IndexPath($0) }))
            insertItems(at: Set(changes.insertedItems.map { IndexPath($0) }))
            for step in changes.movedItems { moveItem(at: IndexPath(step.from), to: IndexPath(step.to)) }
            reloadSections(IndexSet(changes.reloadedSections.map(\.to)))
            reloadItems(at: Set((changes.reloadedItems + changes.reconfiguredItems).map { IndexPath($0.to) }))
        }
    }
#endif
