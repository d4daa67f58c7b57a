/// One change of a list, as a view takes it in: all at once, or stage by stage.
///
/// The view says when the data source is to answer with what comes: by ``commit()``, or by ``commit(_:)`` for each of its
/// ``stages()`` in turn. When the view's `perform` returns, the change has been made whatever it said, and what it says later
/// does nothing.
public struct ListUpdate<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    /// What makes the one list the other, all at once.
    public let changes: ChangeSet
    /// How rows are to be seen to come and go.
    public let animation: RowAnimation

    @usableFromInline let transition: Transition<Section, Item>

    @inlinable
    init(_ changes: ChangeSet, _ animation: RowAnimation, _ transition: Transition<Section, Item>) {
        self.changes = changes
        self.animation = animation
        self.transition = transition
    }

    /// The list before: what the view shows.
    @inlinable
    public var initialSnapshot: Snapshot<Section, Item> { transition.initialSnapshot }

    /// The list after, with the marks that lead to refreshes. To be asked for until `perform` returns: later it is the list
    /// that the data source shows by then.
    @inlinable
    public var finalSnapshot: Snapshot<Section, Item> { transition.finalSnapshot }

    /// Whether the change may take time to be seen.
    @inlinable
    public var isAnimated: Bool { animation != .none }

    /// Has the data source answer with the list after.
    @inlinable
    public func commit() { transition.commit() }

    /// The same changes one kind at a time, for views that refuse some batches: ``Snapshot/stagedDifference(from:)``.
    @inlinable
    public func stages() -> [ChangeStage<Section, Item>] { finalSnapshot.stagedDifference(from: initialSnapshot) }

    /// Has the data source answer with the list that a stage leads to.
    @inlinable
    public func commit(_ stage: ChangeStage<Section, Item>) { transition.take(stage.snapshot) }
}
