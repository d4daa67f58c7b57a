/// The changes that a frame made to a replica, for the code that draws it.
///
/// - Shape: no list has repeats. An id stands in one of `deleted`, `inserted` and the rest; it may stand in `moved` as
///   well as in `reloaded` or `reconfigured`.
public struct ReplicaChanges<ID: Hashable & Sendable>: Equatable, Sendable {
    public var deleted: [ID] = []
    public var moved: [ID] = []
    public var inserted: [ID] = []
    /// Rows with new content, and perhaps a new layout.
    public var reloaded: [ID] = []
    /// Rows with new light fields and the same layout.
    public var reconfigured: [ID] = []

    public init() {}

    public var isEmpty: Bool {
        deleted.isEmpty && moved.isEmpty && inserted.isEmpty && reloaded.isEmpty && reconfigured.isEmpty
    }
}
