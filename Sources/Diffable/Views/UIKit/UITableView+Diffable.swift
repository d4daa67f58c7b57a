#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit

    // The tests of this package have no UIKit. They compile and drive this with a stand-in.

    extension UITableView: @MainActor DiffableView {
        /// A table's cell.
        public typealias Cell = UITableViewCell
        /// A table's view above or below a section.
        public typealias Header = UIView

        /// Performs a change in stages, because UIKit refuses some batches. A table without a window reads everything
        /// again.
        public func perform<Section, Item>(_ update: ListUpdate<Section, Item>, completion: @escaping () -> Void) {
            let animation = UITableView.RowAnimation(update.animation)
            update.perform(
                in: self, reload: reloadData, completion: completion,
                batch: { self.performBatchUpdates($0, completion: $1) }, apply: { self.apply($0, animation) })
        }

        /// Performs the changes of a stage. No two kinds of change in it affect each other.
        private func apply(_ changes: ChangeSet, _ animation: UITableView.RowAnimation) {
            deleteSections(IndexSet(changes.deletedSections), with: animation)
            insertSections(IndexSet(changes.insertedSections), with: animation)
            for step in changes.movedSections { moveSection(step.from, toSection: step.to) }
            deleteRows(at: changes.deletedItems.map { IndexPath($0) }, with: animation)
            insertRows(at: changes.insertedItems.map { IndexPath($0) }, with: animation)
            for step in changes.movedItems { moveRow(at: IndexPath(step.from), to: IndexPath(step.to)) }
            reloadSections(IndexSet(changes.reloadedSections.map(\.to)), with: animation)
            reloadRows(at: changes.reloadedItems.map { IndexPath($0.to) }, with: animation)
            let reconfigured = changes.reconfiguredItems.map { IndexPath($0.to) }
            if #available(iOS 15, tvOS 15, *) {
                reconfigureRows(at: reconfigured)
            } else {
                reloadRows(at: reconfigured, with: animation)
            }
        }
    }

    extension UITableView.RowAnimation {
        /// The same animation in UIKit's terms.
        public init(_ animation: Diffable.RowAnimation) {
            self =
                switch animation {
                case .automatic: .automatic
                case .fade: .fade
                case .left: .left
                case .right: .right
                case .top: .top
                case .bottom: .bottom
                case .middle: .middle
                case .none: .none
                }
        }
    }
#endif
