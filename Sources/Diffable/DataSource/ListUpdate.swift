/// One change of a list, which a view performs all at once or stage by stage.
///
/// The view decides when the data source begins to answer with the new list: by ``commit()``, or by ``commit(_:)`` for
/// each of the ``stages()`` in turn. When the view's `perform` returns, the change takes effect in any case, and later
/// commits do nothing.
public struct ListUpdate<Section: Hashable, Item: Hashable> {
    /// The changes that turn the old list into the new one, all at once.
    public let changes: ChangeSet
    /// The animation of rows that come and go.
    public let animation: RowAnimation

    @usableFromInline let transition: Transition<Section, Item>

    @inlinable
    init(_ changes: consuming ChangeSet, _ animation: RowAnimation, _ transition: Transition<Section, Item>) {
        self.changes = changes
        self.animation = animation
        self.transition = transition
    }

    /// The old list, which the view shows.
    @inlinable
    public var initialSnapshot: Snapshot<Section, Item> { transition.initialSnapshot }

    /// The new list, with the marks for refreshes. Read it before `perform` returns: later it is the list that the data
    /// source shows by then.
    @inlinable
    public var finalSnapshot: Snapshot<Section, Item> { transition.finalSnapshot }

    /// True when the change may be animated.
    @inlinable
    public var isAnimated: Bool { animation != .none }

    /// Has the data source answer with the new list.
    @inlinable
    public func commit() { transition.commit() }

    /// Returns the same changes one kind at a time, for views that refuse some batches. See
    /// ``Snapshot/stagedDifference(from:)``.
    ///
    /// - Complexity: O(changes), and O(sections) if sections come, go or move.
    public func stages() -> [ChangeStage<Section, Item>] { finalSnapshot.stages(of: changes, from: initialSnapshot) }

    /// Has the data source answer with the list after a stage.
    @inlinable
    public func commit(_ stage: ChangeStage<Section, Item>) { transition.show(stage.snapshot) }
}
