/// The list of a view: its visible rows, and the outlines behind them.
@frozen
@usableFromInline
struct Shown<Section: Hashable, Item: Hashable> {
    @usableFromInline var snapshot: Snapshot<Section, Item>
    /// The outlines of the sections that were given one.
    @usableFromInline var outlines: [Section: SectionSnapshot<Item>] = [:]

    @inlinable
    init(_ snapshot: Snapshot<Section, Item> = Snapshot()) {
        self.snapshot = snapshot
    }
}

extension Shown: Sendable where Section: Sendable, Item: Sendable {}
