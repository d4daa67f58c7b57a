extension Snapshot {
    /// What has to happen to a list that shows `old` for it to show this snapshot, with the marks of this one.
    ///
    /// - Complexity: O(changes) where one snapshot is a changed copy of the other, or both are of a third: pages of rows that
    ///   the two share are not looked into. Else O(items) with no hashing. O(*m* log *m*) for *m* items whose order changed.
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

    @inlinable
    func numberOfItems(at place: Int) -> Int { slots[order[place]].count }
}
