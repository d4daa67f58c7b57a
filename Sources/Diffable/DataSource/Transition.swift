extension DiffableDataSource {
    /// A change that the view is taking in: behind a ``ListUpdate``.
    ///
    /// What comes takes the place of what was in one swap. Nothing is copied unless somebody asks for it, or keeps it.
    @usableFromInline
    final class Transition {
        /// Nil once the change is over.
        @usableFromInline var source: DiffableDataSource?
        /// What comes; once it is shown, what was.
        @usableFromInline var other = Shown()
        @usableFromInline var itemMarks: [Item: RefreshMark]
        @usableFromInline var sectionMarks: Set<Section>
        @usableFromInline var isCommitted = false
        /// What was, if a stage has taken its place, or the change is over.
        @usableFromInline var before: Snapshot<Section, Item>?
        /// What came, if the change is over.
        @usableFromInline var after: Snapshot<Section, Item>?

        /// - `next`: left empty.
        @inlinable
        init(of source: DiffableDataSource, to next: inout Shown) {
            self.source = source
            itemMarks = next.snapshot.itemMarks
            sectionMarks = next.snapshot.sectionMarks
            next.snapshot.removeMarks()
            swap(&other, &next)
        }

        @inlinable
        func initialSnapshot() -> Snapshot<Section, Item> {
            before ?? (isCommitted ? other.snapshot : source?.shown.snapshot) ?? Snapshot()
        }

        @inlinable
        func finalSnapshot() -> Snapshot<Section, Item> {
            if let after { return after }
            var snapshot = (isCommitted ? source?.shown.snapshot : other.snapshot) ?? Snapshot()
            snapshot.itemMarks = itemMarks
            snapshot.sectionMarks = sectionMarks
            return snapshot
        }

        /// Has the data source answer with a stage, or with what comes. Once it does, or the change is over, nothing.
        @inlinable
        func take(_ stage: Snapshot<Section, Item>?) {
            guard let source, !isCommitted else { return }
            guard var stage else {
                swap(&source.shown, &other)
                isCommitted = true
                return
            }
            if before == nil { before = source.shown.snapshot }
            stage.removeMarks()
            source.shown.snapshot = stage
        }

        /// - `isKept`: whether somebody may ask for the two lists later.
        @inlinable
        func end(isKept: Bool) {
            take(nil)
            if isKept { (before, after) = (initialSnapshot(), finalSnapshot()) }
            source = nil
        }
    }
}
