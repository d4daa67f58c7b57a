// The most frequent change, of one page, and any change of a list that has only one page. No arrays are allocated for
// the rows to compare.

extension ChangeSet {
    /// Returns the number of a page if clearly no other one differs, including its place. O(sections).
    @inlinable
    static func onlyPage<Section, Item>(_ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>) -> Int? {
        let number = new.pages.openNumber
        guard number >= 0, number == old.pages.openNumber,
            new.pages.tree.limbs.isShared(with: old.pages.tree.limbs),
            new.pages.homes[number].token >= 0, arePagesInPlace(old, new)
        else { return nil }
        return number
    }

    /// Returns true if the sections of two lists, which are the same, have the same pages.
    @inlinable
    static func arePagesInPlace<Section, Item>(
        _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>
    ) -> Bool {
        for place in new.order.indices {
            let (before, after) = (old.order[place], new.order[place])
            let isSame =
                old.slots[before].rows.numbers.isShared(with: new.slots[after].rows.numbers)
                || old.slots[before].rows.numbers == new.slots[after].rows.numbers
            if !isSame { return false }
        }
        return true
    }

    /// Finds the changes of the only page that changed. If they are too many, returns the window in which to look for
    /// them.
    @inlinable
    mutating func matchPage<Section, Item>(
        _ number: Int, _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>
    ) -> Window? {
        let (before, after) = (old.pages[number], new.pages[number])
        let (from, to) = (
            old.row(at: Location(page: number, offset: 0)), new.row(at: Location(page: number, offset: 0))
        )
        let section = new.slots[new.token(at: Location(page: number, offset: 0))].position
        var window = Window(oldSection: section, newSection: section, old: 0..<0, new: 0..<0)
        window.take(before, at: from, after, at: to)
        if window.old.isEmpty {
            insert(window.new, in: section)
        } else if window.new.isEmpty {
            delete(window.old, in: section)
        } else if max(window.old.count, window.new.count) <= FewRows.most {
            let rows = FewRows(
                before[window.old.lowerBound - from..<window.old.upperBound - from],
                after[window.new.lowerBound - to..<window.new.upperBound - to])
            rows.addChanges(of: window, to: &self)
        } else {
            return window
        }
        return nil
    }
}
