extension Snapshot {
    /// Marks for reconfiguring those items that `old` has too, with other contents.
    ///
    /// For identifiers that carry what is shown of them, and are equal whatever that is.
    ///
    /// - `isContentEqual`: whether an item of `old`, and the equal one here, look the same. It is asked of items in pages
    ///   that the two snapshots do not share: others are the same item.
    /// - Complexity: O(items in pages that changed).
    @inlinable
    public mutating func reconfigureItems(
        changedSince old: Snapshot, isContentEqual: (_ old: Item, _ new: Item) -> Bool
    ) {
        let changed = ChangedPages(old.pages, pages)
        let numbers = changed.areMost ? ContiguousArray(pages.homes.indices) : changed.numbers
        for number in numbers where number < pages.homes.count {
            for row in pages[number] {
                guard let before = old.locate(row.item, hash: row.hash) else { continue }
                if !isContentEqual(old.item(at: before), row.item) { reconfigureItems([row.item]) }
            }
        }
    }
}
