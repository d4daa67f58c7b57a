public import Diffable

extension DiffableDataSource {
    /// The same as Apple's initialiser: the closure does not get the section, and may return nil, which stops the
    /// program.
    public convenience init(tableView: View, cellProvider: @escaping (View, ItemPath, Item) -> View.Cell?) {
        self.init(view: tableView) { view, path, item, _ in
            guard let cell = cellProvider(view, path, item) else {
                fatalError("The cell provider made no cell for item \(item) at \(path)")
            }
            return cell
        }
    }

    /// The same as ``init(tableView:cellProvider:)``.
    public convenience init(collectionView: View, cellProvider: @escaping (View, ItemPath, Item) -> View.Cell?) {
        self.init(tableView: collectionView, cellProvider: cellProvider)
    }

    /// Makes headers, footers and other supplementary views, whose kinds are strings.
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

    /// Shows `snapshot` by having the view read everything again, and returns when the view shows it.
    public func applySnapshotUsingReloadData(
        _ snapshot: Snapshot<Section, Item>, isolation: isolated (any Actor)? = #isolation
    ) async {
        await applyUsingReloadData(snapshot)
    }
}
