/// A change that a view is taking in: behind a ``ListUpdate``.
///
/// What comes takes the place of what was in one swap. Nothing is copied unless somebody asks for it.
@usableFromInline
final class Transition<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    @usableFromInline let list: ShownList<Section, Item>
    /// What comes; once it is shown, what was.
    @usableFromInline var other: Shown<Section, Item>
    @usableFromInline let itemMarks: [Item: RefreshMark]
    @usableFromInline let sectionMarks: Set<Section>
    @usableFromInline var isCommitted = false
    /// What was, if a stage has taken its place.
    @usableFromInline var before: Snapshot<Section, Item>?

    @inlinable
    init(of list: ShownList<Section, Item>, to next: consuming Shown<Section, Item>) {
        self.list = list
        itemMarks = next.snapshot.itemMarks
        sectionMarks = next.snapshot.sectionMarks
        next.snapshot.removeMarks()
        other = next
    }

    @inlinable
    var initialSnapshot: Snapshot<Section, Item> {
        before ?? (isCommitted ? other.snapshot : list.shown.snapshot)
    }

    @inlinable
    var finalSnapshot: Snapshot<Section, Item> {
        var snapshot = isCommitted ? list.shown.snapshot : other.snapshot
        snapshot.itemMarks = itemMarks
        snapshot.sectionMarks = sectionMarks
        return snapshot
    }

    /// Has the data source answer with a stage, or with what comes. Once it does, nothing.
    @inlinable
    func take(_ stage: Snapshot<Section, Item>?) {
        if isCommitted { return }
        guard var stage else { return commit() }
        if before == nil { before = list.shown.snapshot }
        stage.removeMarks()
        list.shown.snapshot = stage
    }

    /// Has the data source answer with what comes. Once it does, nothing.
    @inlinable
    func commit() {
        if isCommitted { return }
        swap(&list.shown, &other)
        isCommitted = true
    }
}
