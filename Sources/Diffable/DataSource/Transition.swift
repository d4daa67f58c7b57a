extension DiffableDataSource {
    /// A change that the view is taking in: behind a ``ListUpdate``.
    ///
    /// What comes takes the place of what was in one swap. Nothing is copied unless somebody asks for it.
    @usableFromInline
    final class Transition {
        @usableFromInline let source: DiffableDataSource
        /// What comes; once it is shown, what was.
        @usableFromInline var other: Shown
        @usableFromInline let itemMarks: [Item: RefreshMark]
        @usableFromInline let sectionMarks: Set<Section>
        @usableFromInline var isCommitted = false
        /// What was, if a stage has taken its place.
        @usableFromInline var before: Snapshot<Section, Item>?

        /// - `next`: left empty.
        @inlinable
        init(of source: DiffableDataSource, to next: inout Shown) {
            self.source = source
            itemMarks = next.snapshot.itemMarks
            sectionMarks = next.snapshot.sectionMarks
            next.snapshot.removeMarks()
            other = Shown()
            swap(&other, &next)
        }

        @inlinable
        func initialSnapshot() -> Snapshot<Section, Item> {
            before ?? (isCommitted ? other.snapshot : source.shown.snapshot)
        }

        @inlinable
        func finalSnapshot() -> Snapshot<Section, Item> {
            var snapshot = isCommitted ? source.shown.snapshot : other.snapshot
            snapshot.itemMarks = itemMarks
            snapshot.sectionMarks = sectionMarks
            return snapshot
        }

        /// Has the data source answer with a stage, or with what comes. Once it does, nothing.
        @inlinable
        func take(_ stage: Snapshot<Section, Item>?) {
            if isCommitted { return }
            guard var stage else {
                swap(&source.shown, &other)
                isCommitted = true
                return
            }
            if before == nil { before = source.shown.snapshot }
            stage.removeMarks()
            source.shown.snapshot = stage
        }
    }
}
