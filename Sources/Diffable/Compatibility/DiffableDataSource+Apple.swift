public import Diffable

extension DiffableDataSource {
    /// The same as Apple's initialiser of a table's data source.
    ///
    /// - Errors: stops when the closure returns nil.
    @_disfavoredOverload
    public convenience init(tableView: View, cellProvider: @escaping OptionalCellProvider) {
        self.init(view: tableView, cellProvider: Self.stoppingAtNil(cellProvider, #fileID, #line))
    }

    /// The same as Apple's initialiser of a collection view's data source.
    ///
    /// - Errors: stops when the closure returns nil.
    @_disfavoredOverload
    public convenience init(collectionView: View, cellProvider: @escaping OptionalCellProvider) {
        self.init(view: collectionView, cellProvider: Self.stoppingAtNil(cellProvider, #fileID, #line))
    }
}

extension DiffableDataSource {
    /// A cell provider as Apple's types have it: it does not get the section. If it returns nil, the program stops.
    public typealias OptionalCellProvider = (View, ItemPath, Item) -> View.Cell?

    static func stoppingAtNil(
        _ cellProvider: @escaping OptionalCellProvider, _ file: StaticString, _ line: UInt
    ) -> CellProvider {
        { view, path, item, _ in
            guard let cell = cellProvider(view, path, item) else {
                fatalError("The cell provider made no cell for item \(item) at \(path)", file: file, line: line)
            }
            return cell
        }
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
