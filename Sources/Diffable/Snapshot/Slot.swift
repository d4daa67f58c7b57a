/// One section in a snapshot: its identifier, the order of its pages, and its place among the sections.
@frozen
@usableFromInline
struct Slot<Section: Hashable> {
    /// Nil once the section is deleted.
    @usableFromInline var held: Section?
    @usableFromInline var rows = PageOrder()
    @usableFromInline var position: Int

    @inlinable
    init(identifier: Section, position: Int) {
        held = identifier
        self.position = position
    }

    @inlinable
    var identifier: Section {
        @inline(__always)
        get { held! }
    }

    @inlinable
    var count: Int { rows.count }
}

extension Slot: Sendable where Section: Sendable {}
