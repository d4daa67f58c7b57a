/// One section in a snapshot: the order of its pages, and its place among the sections.
@frozen
@usableFromInline
struct Slot: Sendable {
    @usableFromInline var rows = PageOrder()
    @usableFromInline var position: Int

    @inlinable
    init(position: Int) {
        self.position = position
    }

    @inlinable
    var count: Int { rows.count }
}
