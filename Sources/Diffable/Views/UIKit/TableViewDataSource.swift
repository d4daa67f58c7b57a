#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit

    /// Answers the questions of a `UITableView` from a data source of Diffable. The table does not keep it alive.
    ///
    /// A subclass may answer a table's other questions, for example about titles and editing.
    ///
    /// The tests of this package have no UIKit. They compile and drive it with a stand-in.
    @MainActor
    open class TableViewDataSource<Section: Hashable, Item: Hashable>: NSObject,
        UITableViewDataSource
    {
        /// The data source: apply snapshots to it, and look rows up in it.
        public let list: BaseReorderableDiffableDataSource<UITableView, Section, Item>

        /// Becomes the data source of `tableView`, with no rows at first.
        public init(
            tableView: UITableView, cellProvider: @escaping (UITableView, IndexPath, Item) -> UITableViewCell
        ) {
            list = BaseReorderableDiffableDataSource(view: tableView) { view, path, item, _ in
                cellProvider(view, IndexPath(path), item)
            }
            list.allowReordering = false
            super.init()
            tableView.dataSource = self
        }

        /// Returns the number of sections shown.
        open func numberOfSections(in tableView: UITableView) -> Int { list.numberOfSections }

        /// Returns the number of rows shown in a section.
        open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
            list.numberOfItems(inSection: section)
        }

        /// Returns the cell that the provider makes for a row.
        open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
            list.cell(at: ItemPath(indexPath))
        }

        /// Returns true if a row may be lifted.
        open func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
            list.canMoveRow(at: ItemPath(indexPath))
        }

        /// Accepts a row's new place, or has the table show it at its old place.
        open func tableView(
            _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath
        ) {
            do {
                try list.moveRow(at: ItemPath(sourceIndexPath), to: ItemPath(destinationIndexPath))
            } catch {
                list.apply(list.snapshot(), animatingDifferences: false)
            }
        }
    }
#endif
