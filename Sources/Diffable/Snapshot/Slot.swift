/// One section in a snapshot: its identifier, the order of its pages, and its place among the sections.
@frozen
@usableFromInline
struct Slot<Section: Hashable & Sendable>: Sendable {
    @usableFromInline var identifier: Section
    @usableFromInline var rows = PageOrder()
    @usableFromInline var position: Int

    @inlinable
    init(identifier: Section, position: Int) {
        self.identifier = identifier
        self.position = position
    }

    @inlinable
    var count: Int { rows.count }
}
