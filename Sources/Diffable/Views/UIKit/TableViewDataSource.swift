#if canImport(UIKit) && !os(watchOS)
    public import Diffable
    public import UIKit

    /// What a `UITableView` asks, answered by a data source of Diffable. The table does not keep it: somebody else has to.
    ///
    /// A subclass may add what else a table asks of its data source: titles, what may be edited, what is done then.
    ///
    /// Not run by the tests of this package, which have no UIKit: it is compiled, and driven, with a stand-in for it.
    @MainActor
    open class TableViewDataSource<Section: Hashable & Sendable, Item: Hashable & Sendable>: NSObject,
        UITableViewDataSource
    {
        /// Where snapshots are applied, and rows looked up.
        public let list: BaseReorderableDiffableDataSource<UITableView, Section, Item>

        /// Answers `tableView` from now on, with no rows at first.
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

        open func numberOfSections(in tableView: UITableView) -> Int { list.numberOfSections }

        open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
            list.numberOfItems(inSection: section)
        }

        open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
            list.cell(at: ItemPath(indexPath))
        }

        open func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
            list.canMoveRow(at: ItemPath(indexPath))
        }

        /// Takes a row's new place in, or has the table show it where it was.
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
