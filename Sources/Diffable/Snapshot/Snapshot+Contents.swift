extension Snapshot {
    /// Marks for reconfiguring the items that `old` has, too, with other contents.
    ///
    /// It is for identifiers that carry the contents that are shown, but are equal whatever the contents are.
    ///
    /// - `isContentEqual`: returns true if an item of `old`, and the equal one here, look the same. It is called for
    ///   items in pages that the two snapshots do not share, because the others are identical.
    /// - Complexity: O(items in pages that changed).
    @inlinable
    public mutating func reconfigureItems(
        changedSince old: Snapshot, isContentEqual: (_ old: Item, _ new: Item) -> Bool
    ) {
        let changed = withAnyList { list in old.withAnyList { list.list.pagesChanged(since: $0.list) } }
        for number in changed where number < pages.homes.count {
            for row in pages[number] {
                guard let before = old.locate(row.item, hash: row.hash) else { continue }
                if !isContentEqual(old.item(at: before), row.item) { reconfigureItems([row.item]) }
            }
        }
    }
}

extension Snapshot<AnyIdentifier, AnyIdentifier> {
    /// Returns the numbers of the pages that may have other rows than those of another list.
    @usableFromInline
    func pagesChanged(since old: AnyList) -> ContiguousArray<Int> {
        let changed = ChangedPages(old.pages, pages)
        return changed.areMost ? ContiguousArray(pages.homes.indices) : changed.numbers
    }
}
