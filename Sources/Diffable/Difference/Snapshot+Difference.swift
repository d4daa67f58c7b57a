extension Snapshot {
    /// What has to happen to a list that shows `old` for it to show this snapshot, with the marks of this one.
    ///
    /// - Complexity: O(1) per section that the two share, else O(items) with no hashing; O(*m* log *m*) for *m* items
    ///   between the first and the last whose order changed.
    @inlinable
    public func difference(from old: Snapshot) -> ChangeSet {
        var changes = ChangeSet()
        changes.find(from: old, to: self)
        return changes
    }

    /// Whether both have the same sections in the same order, whatever is in them.
    @inlinable
    func hasSections(of other: Snapshot) -> Bool {
        guard order.count == other.order.count else { return false }
        for place in order.indices {
            if slots[order[place]].identifier != other.slots[other.order[place]].identifier { return false }
        }
        return true
    }

    /// Whether the section at `place` is that of `other` at `otherPlace`, neither changed since they were copied.
    @inlinable
    func shares(_ place: Int, with other: Snapshot, _ otherPlace: Int) -> Bool {
        slots[order[place]].rows.isIdentical(to: other.slots[other.order[otherPlace]].rows)
    }

    @inlinable
    func numberOfItems(at place: Int) -> Int { slots[order[place]].count }

    @inlinable
    func items(at place: Int) -> ContiguousArray<Item> { slots[order[place]].rows.items }

    @inlinable
    func hashes(at place: Int) -> ContiguousArray<UInt32> { slots[order[place]].rows.hashes }
}
