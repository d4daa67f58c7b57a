extension Snapshot {
    /// Returns the changes that turn `old` into this snapshot, with the marks of this one.
    ///
    /// - Complexity: O(changes) if one snapshot is a changed copy of the other, or both are changed copies of a third:
    ///   pages that the two share are skipped. Otherwise O(items), without hashing. Plus O(*m* log *m*) for *m* items
    ///   whose order changed.
    @inlinable
    public func difference(from old: Snapshot) -> ChangeSet {
        var changes = ChangeSet()
        changes.find(from: old, to: self)
        return changes
    }

    /// Returns true if both have the same sections in the same order, with any items.
    @inlinable
    func hasSections(of other: Snapshot) -> Bool {
        guard order.count == other.order.count else { return false }
        // Each change of the sections writes the order, so two lists with the same array are copies. Only the order of a
        // single section may be the array that all lists begin with.
        if order.count > 1, order.isShared(with: other.order) { return true }
        for place in order.indices {
            if name(order[place]) != other.name(other.order[place]) { return false }
        }
        return true
    }

    /// Returns the place that each section had in another list, or -1. O(sections).
    @inlinable
    func placesOfSections(in old: Snapshot) -> [Int] { order.map { old.indexOfSection(name($0)) ?? -1 } }

    @inlinable
    @inline(__always)
    var hasMarks: Bool { !(itemMarks.isEmpty && sectionMarks.isEmpty) }

    @inlinable
    func numberOfItems(at place: Int) -> Int { slots[order[place]].count }
}
