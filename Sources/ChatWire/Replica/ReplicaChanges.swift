/// What a frame changed in a replica, for whoever draws it.
///
/// - Shape: each list without repeats; an id stands in one of `deleted`, `inserted` and the rest, and may stand in
///   `moved` as well as in `reloaded` or `reconfigured`.
public struct ReplicaChanges<ID: Hashable & Sendable>: Equatable, Sendable {
    public var deleted: [ID] = []
    public var moved: [ID] = []
    public var inserted: [ID] = []
    /// Their content is new; their layout may be.
    public var reloaded: [ID] = []
    /// They have new light fields and the same layout.
    public var reconfigured: [ID] = []

    public init() {}

    public var isEmpty: Bool {
        deleted.isEmpty && moved.isEmpty && inserted.isEmpty && reloaded.isEmpty && reconfigured.isEmpty
    }
}
