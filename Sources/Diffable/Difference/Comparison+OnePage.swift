// The most frequent change, of one page, and any change of a list that has only one page. No arrays are allocated for
// the rows to compare.

extension Comparison {
    /// Returns the number of the only page whose rows differ, if everything else is the same, including the sections.
    @inlinable
    func onlyPage(_ changed: ChangedPages, _ old: List, _ new: List) -> Int? {
        guard oldPlaces.places.isEmpty, !changed.areMost, changed.numbers.count == 1,
            changed.numbers[0] < min(old.pages.homes.count, new.pages.homes.count),
            new.pages.homes[changed.numbers[0]].token >= 0
        else { return nil }
        for place in new.order.indices {
            let (before, after) = (old.order[place], new.order[place])
            let isSame =
                old.slots[before].rows.numbers.isShared(with: new.slots[after].rows.numbers)
                || old.slots[before].rows.numbers == new.slots[after].rows.numbers
            if !isSame { return nil }
        }
        return changed.numbers[0]
    }

    /// Finds the changes of the only page that changed, or opens the window in which to look for them.
    @inlinable
    mutating func matchPage(_ number: Int, _ old: List, _ new: List) {
        let (before, after) = (old.pages[number], new.pages[number])
        let (from, to) = (
            old.row(at: Location(page: number, offset: 0)), new.row(at: Location(page: number, offset: 0))
        )
        let section = new.slots[new.token(at: Location(page: number, offset: 0))].position
        let shorter = min(before.count, after.count)
        var (start, end) = (0, 0)
        while start < shorter, before[start].isSame(as: after[start]) { start += 1 }
        while end < shorter - start, before[before.count - 1 - end].isSame(as: after[after.count - 1 - end]) {
            end += 1
        }
        let window = Window(
            oldSection: section, newSection: section, old: from + start..<from + before.count - end,
            new: to + start..<to + after.count - end)
        if window.old.isEmpty {
            changes.insert(window.new, in: section)
        } else if window.new.isEmpty {
            changes.delete(window.old, in: section)
        } else if max(window.old.count, window.new.count) <= FewRows.most {
            let rows = FewRows(before[start..<before.count - end], after[start..<after.count - end])
            rows.addChanges(of: window, to: &changes)
        } else {
            open(window)
        }
    }
}
