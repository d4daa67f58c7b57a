/// The everyday operations of a table, in one call each. Every operation makes a snapshot, changes it and applies it.
///
/// An operation that is called during an apply takes effect after it, on the list shown by then. So two operations in a
/// row never undo each other.
public final class DiffableTableAdapter<View: DiffableView, Section: Hashable, Item: Hashable> {
    /// Computes the height of a row.
    public typealias HeightProvider = (ItemPath, Item) -> Double
    /// Computes an approximate height of a row, without much work.
    public typealias EstimatedHeightProvider = (ItemPath, Item) -> Double

    /// The table. The adapter does not keep it alive.
    public private(set) weak var view: View?
    /// The data source that the operations apply to.
    public let dataSource: DiffableDataSource<View, Section, Item>
    /// True when operations are written to ``log``.
    public var enableLogging: Bool
    /// Receives log lines.
    public var log: (String) -> Void = { print($0) }

    private var heights = Heights.none

    private enum Heights {
        case none
        case automatic(estimated: Double)
        case provided(HeightProvider, estimated: EstimatedHeightProvider?)
    }

    /// - `view`: held weakly.
    public init(view: View, dataSource: DiffableDataSource<View, Section, Item>, enableLogging: Bool = false) {
        self.view = view
        self.dataSource = dataSource
        self.enableLogging = enableLogging
    }

    @inlinable
    func note(_ line: @autoclosure () -> String) {
        if enableLogging { log(line()) }
    }
}

extension DiffableTableAdapter {
    /// Sets closures that compute row heights.
    public func setHeightProviders(height: @escaping HeightProvider, estimated: EstimatedHeightProvider? = nil) {
        heights = .provided(height, estimated: estimated)
    }

    /// Removes the closures: row heights are no longer given.
    public func removeHeightProviders() {
        heights = .none
    }

    /// Has the view measure its cells, and gives it an estimate of their height.
    public func enableAutomaticDimension(estimatedRowHeight: Double = 60) {
        heights = .automatic(estimated: estimatedRowHeight)
    }

    /// Returns the height of the row at `path`, or nil if no height is given or there is no such row.
    public func heightForRow(at path: ItemPath) -> RowHeight? {
        guard let item = dataSource.itemIdentifier(for: path) else { return nil }
        switch heights {
        case .none: return nil
        case .automatic: return .automatic
        case .provided(let height, _): return .fixed(height(path, item))
        }
    }

    /// Returns the estimated height of the row at `path`, or nil if no height is given or there is no such row.
    public func estimatedHeightForRow(at path: ItemPath) -> Double? {
        guard let item = dataSource.itemIdentifier(for: path) else { return nil }
        switch heights {
        case .none: return nil
        case .automatic(let estimated): return estimated
        case .provided(_, let estimated): return estimated?(path, item)
        }
    }
}
