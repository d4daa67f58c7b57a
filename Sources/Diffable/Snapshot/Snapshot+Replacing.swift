extension Snapshot {
    /// Returns true if both have `section` with the same items in the same order. O(items), except those that both
    /// share.
    @inlinable
    func hasSameItems(in section: Section, as other: Snapshot) -> Bool {
        guard let mine = token(of: section), let theirs = other.token(of: section) else { return false }
        return withAnyList { list in
            other.withAnyList { list.list.hasSameRows(in: mine, as: $0.list, theirs, RowType(Item.self)) }
        }
    }

    /// Replaces the items of `section`. Equal items at the beginning and at the end stay where they are.
    ///
    /// - Complexity: O(items of the section + items given).
    @inlinable
    mutating func replaceItems(inSection section: Section, with items: [Item]) {
        let token = known(section, "replaceItems(inSection:with:)", CallSite())
        let old = self.items(of: token)
        let shorter = min(old.count, items.count)
        var start = 0
        while start < shorter, old[start] == items[start] { start += 1 }
        var end = 0
        while end < shorter - start, old[old.count - 1 - end] == items[items.count - 1 - end] { end += 1 }
        let arriving = Array(items[start..<items.count - end])
        if start + end < old.count {
            let stay = Set(arriving)
            deleteItems(old[start..<old.count - end].filter { !stay.contains($0) })
        }
        if end == 0 {
            appendItems(arriving, toSection: section)
        } else {
            insertItems(arriving, beforeItem: old[old.count - end])
        }
    }
}
