/// The change behind a ``ListUpdate``, while a view performs it.
///
/// The new list takes the place of the old one in one swap. Nothing is copied before it is requested. A data source
/// uses a transition again for its next change, unless the view has kept it.
@usableFromInline
final class Transition<Section: Hashable, Item: Hashable> {
    @usableFromInline let list: ShownList<Section, Item>
    /// The new list; once it is shown, the old one.
    @usableFromInline var other = Shown<Section, Item>()
    @usableFromInline var itemMarks: [Item: ItemMark<Item>] = [:]
    @usableFromInline var sectionMarks: Set<Section> = []
    @usableFromInline var isCommitted = false
    /// The old list, if a stage has replaced it.
    @usableFromInline var before: Snapshot<Section, Item>?

    @inlinable
    init(of list: ShownList<Section, Item>) {
        self.list = list
    }

    /// Begins the change to `next`, whose marks are kept apart.
    @inlinable
    func begin(_ next: consuming Shown<Section, Item>) {
        swap(&itemMarks, &next.snapshot.itemMarks)
        swap(&sectionMarks, &next.snapshot.sectionMarks)
        other = next
    }

    /// Forgets the change, so that another can begin. Frees what only the old list had.
    @inlinable
    func reset() {
        other = Shown()
        if !itemMarks.isEmpty { itemMarks = [:] }
        if !sectionMarks.isEmpty { sectionMarks = [] }
        if before != nil { before = nil }
        isCommitted = false
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

    /// Has the data source answer with a stage, or with the new list. Does nothing after the commit.
    @inlinable
    func show(_ stage: Snapshot<Section, Item>?) {
        if isCommitted { return }
        guard var stage else { return commit() }
        if before == nil { before = list.shown.snapshot }
        stage.removeMarks()
        swap(&list.shown.snapshot, &stage)
    }

    /// Has the data source answer with the new list. A second call does nothing.
    @inlinable
    func commit() {
        if isCommitted { return }
        swap(&list.shown, &other)
        isCommitted = true
    }
}
