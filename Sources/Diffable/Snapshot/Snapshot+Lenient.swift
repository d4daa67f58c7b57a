// Operations for identifiers that may be there already, or not any more.

extension Snapshot {
    /// Appends the items that are not in the snapshot, each once, to `section` or to the last section. Items that are
    /// there already stay where they are.
    ///
    /// ```swift
    /// snapshot.appendNewItems(page, toSection: .history)
    /// ```
    ///
    /// - Returns: the items that were appended.
    /// - Errors: stops at an unknown section, and when there is no section at all.
    /// - Complexity: O(1) amortised per item.
    @discardableResult
    public mutating func appendNewItems(
        _ items: [Item], toSection section: Section? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> [Item] {
        var seen: Set<Item> = []
        let new = items.filter { !contains($0) && seen.insert($0).inserted }
        appendItems(new, toSection: section, file: file, line: line)
        return new
    }

    /// Marks those of the items for reconfiguring that are in the snapshot. O(1) each.
    ///
    /// ```swift
    /// snapshot.reconfigureItemsIfPresent(edited)
    /// ```
    public mutating func reconfigureItemsIfPresent(_ items: [Item]) {
        reconfigureItems(items.filter(contains))
    }

    /// Marks those of the items for reload that are in the snapshot. O(1) each.
    ///
    /// ```swift
    /// snapshot.reloadItemsIfPresent(edited)
    /// ```
    public mutating func reloadItemsIfPresent(_ items: [Item]) {
        reloadItems(items.filter(contains))
    }
}

extension SectionSnapshot {
    /// Folds and unfolds items as they are in another outline. O(items of both).
    ///
    /// ```swift
    /// rebuilt.keepExpansion(of: dataSource.snapshot(for: .folders))
    /// ```
    ///
    /// Items that the other outline does not have keep their own folding.
    public mutating func keepExpansion(of other: SectionSnapshot) {
        collapse(items.filter { other.contains($0) && !other.isExpanded($0) })
        expand(other.expandedItems)
    }
}
