/// What a view shows: the rows, and what stands behind those of outlines.
@frozen
@usableFromInline
struct Shown<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    @usableFromInline var snapshot: Snapshot<Section, Item>
    /// The outlines of those sections that were given as such.
    @usableFromInline var outlines: [Section: SectionSnapshot<Item>] = [:]

    @inlinable
    init(_ snapshot: Snapshot<Section, Item> = Snapshot()) {
        self.snapshot = snapshot
    }
}
