/// The everyday operations of a table in one call each: every one makes a snapshot, changes it and applies it.
///
/// Operations that are called while an apply is under way take effect after it, on what is shown by then: two in a row
/// never undo each other.
public final class DiffableTableAdapter<View: DiffableView, Section: Hashable & Sendable, Item: Hashable & Sendable> {
    /// Computes how tall a row is.
    public typealias HeightProvider = (ItemPath, Item) -> Double
    /// Computes about how tall a row is, without much work.
    public typealias EstimatedHeightProvider = (ItemPath, Item) -> Double

    /// The table, as long as somebody else holds it.
    public private(set) weak var view: View?
    /// What the operations apply to.
    public let dataSource: DiffableDataSource<View, Section, Item>
    /// Whether ``log`` hears of the operations.
    public var enableLogging: Bool
    /// Where log lines go.
    public var log: (String) -> Void = { print($0) }

    private var heights = Heights.none

    private enum Heights {
        case none
        case automatic(estimated: Double)
        case provided(HeightProvider, estimated: EstimatedHeightProvider?)
    }

    /// - `view`: kept weakly.
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
    /// Has row heights computed by closures from now on.
    public func setHeightProviders(height: @escaping HeightProvider, estimated: EstimatedHeightProvider? = nil) {
        heights = .provided(height, estimated: estimated)
    }

    /// Has nobody say how tall rows are from now on.
    public func removeHeightProviders() {
        heights = .none
    }

    /// Has the view measure its cells from now on, which it expects to be about so tall.
    public func enableAutomaticDimension(estimatedRowHeight: Double = 60) {
        heights = .automatic(estimated: estimatedRowHeight)
    }

    /// How tall the row at `path` is to be, or nil if nobody has said so or there is no such row.
    public func heightForRow(at path: ItemPath) -> RowHeight? {
        guard let item = dataSource.itemIdentifier(for: path) else { return nil }
        switch heights {
        case .none: return nil
        case .automatic: return .automatic
        case .provided(let height, _): return .fixed(height(path, item))
        }
    }

    /// How tall the row at `path` may be expected to be, or nil if nobody has said so or there is no such row.
    public func estimatedHeightForRow(at path: ItemPath) -> Double? {
        guard let item = dataSource.itemIdentifier(for: path) else { return nil }
        switch heights {
        case .none: return nil
        case .automatic(let estimated): return estimated
        case .provided(_, let estimated): return estimated?(path, item)
        }
    }
}
