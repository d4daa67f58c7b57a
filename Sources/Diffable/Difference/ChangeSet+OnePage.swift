// The most frequent change, of one page, and any change of a list that has only one page. No arrays are allocated for
// the rows to compare.

extension ChangeSet {
    /// Returns the number of a page if clearly no other one differs, including its place. O(1).
    static func onlyPage(_ old: AnyList, _ new: AnyList) -> Int? {
        let number = new.pages.openNumber
        guard number >= 0, number == old.pages.openNumber,
            new.pages.tree.limbs.isShared(with: old.pages.tree.limbs), isInPlace(number, old, new)
        else { return nil }
        return number
    }

    /// Returns true if two lists with the same sections have a page in the same place, and the only one whose rows
    /// differ. O(1). Then all rows of other pages have the same places, too: a page with rows that comes, goes or moves
    /// gets other rows.
    static func isInPlace(
        _ number: Int, _ old: AnyList, _ new: AnyList
    ) -> Bool {
        guard number < old.pages.homes.count, number < new.pages.homes.count else { return false }
        let (before, after) = (old.pages.homes[number], new.pages.homes[number])
        return before.token >= 0 && after.token >= 0 && before.ordinal == after.ordinal
            && old.slots[Int(before.token)].position == new.slots[Int(after.token)].position
    }

    /// Finds the changes of the only page that changed. If they are too many, returns the window in which to look for
    /// them.
    mutating func matchPage(
        _ number: Int, _ old: AnyList, _ new: AnyList, _ type: RowType
    ) -> Window? {
        let (before, after) = (old.pages[number], new.pages[number])
        let (from, to) = (
            old.row(at: Location(page: number, offset: 0)), new.row(at: Location(page: number, offset: 0))
        )
        let section = new.slots[new.token(at: Location(page: number, offset: 0))].position
        var window = Window(oldSection: section, newSection: section, old: 0..<0, new: 0..<0)
        window.extend(before, at: from, after, at: to, type)
        if window.old.isEmpty {
            insert(window.new, in: section)
        } else if window.new.isEmpty {
            delete(window.old, in: section)
        } else if max(window.old.count, window.new.count) <= FewRows.most {
            let rows = unsafe FewRows(
                type.rows(of: before) + (window.old.lowerBound - from) * type.stride, window.old.count,
                type.rows(of: after) + (window.new.lowerBound - to) * type.stride, window.new.count, type)
            rows.addChanges(of: window, to: &self)
        } else {
            return window
        }
        return nil
    }
}
