#if canImport(AppKit) && !canImport(UIKit)
    public import AppKit
    public import Diffable

    // The tests of this package have no AppKit. They compile this with a stand-in.

    extension NSCollectionView: @MainActor DiffableView {
        /// A collection view's item.
        public typealias Cell = NSCollectionViewItem
        /// A collection view's header, footer or other supplementary view.
        public typealias Header = NSView

        /// Performs a change in stages, because AppKit refuses some batches. A view without a window reads everything
        /// again.
        public func perform<Section, Item>(_ update: ListUpdate<Section, Item>, completion: @escaping () -> Void) {
            let stages = window == nil || !update.isAnimated ? [] : update.stages()
            guard let last = stages.last else {
                update.commit()
                reloadData()
                return completion()
            }
            for stage in stages {
                animator().performBatchUpdates {
                    update.commit(stage)
                    self.apply(stage.changes)
                } completionHandler: { _ in
                    if stage.purpose == last.purpose { completion() }
                }
            }
        }

        /// Performs the changes of a stage. No two kinds of change in it affect each other. AppKit cannot reconfigure
        /// an item in place, so the item is reloaded.
        private func apply(_ changes: ChangeSet) {
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
