public import Diffable

extension DiffableDataSource {
    /// As Apple's: the closure is not told the section, and may answer nothing, which stops the program.
    public convenience init(tableView: View, cellProvider: @escaping (View, ItemPath, Item) -> View.Cell?) {
        self.init(view: tableView) { view, path, item, _ in
            guard let cell = cellProvider(view, path, item) else {
                fatalError("The cell provider made no cell for item \(item) at \(path)")
            }
            return cell
        }
    }

    /// As ``init(tableView:cellProvider:)``.
    public convenience init(collectionView: View, cellProvider: @escaping (View, ItemPath, Item) -> View.Cell?) {
        self.init(tableView: collectionView, cellProvider: cellProvider)
    }

    /// Makes headers, footers and the like, by kinds that are strings.
    public var supplementaryViewProvider: ((View, String, ItemPath) -> View.Header?)? {
        get {
            supplementaryProvider.map { provider in
                { view, kind, path in provider(view, SupplementaryKind(rawValue: kind), path) }
            }
        }
        set {
            supplementaryProvider = newValue.map { provider in
                { view, kind, path in provider(view, kind.rawValue, path) }
            }
        }
    }

    /// Brings the view to show `snapshot` by reading everything anew, and returns when it does.
    public func applySnapshotUsingReloadData(
        _ snapshot: Snapshot<Section, Item>, isolation: isolated (any Actor)? = #isolation
    ) async {
        await applyUsingReloadData(snapshot)
    }
}
