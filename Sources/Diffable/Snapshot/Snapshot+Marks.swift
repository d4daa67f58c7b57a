extension Snapshot {
    /// Marks items for reload at the next apply: the view makes a new cell, perhaps of another kind or size.
    ///
    /// A mark says which rows to refresh, not what to show. The identifier in the snapshot stays as it is, even if an
    /// equal one with other contents is given; ``reloadItems(carrying:file:line:)`` replaces it.
    ///
    /// - Errors: stops at an unknown item.
    /// - Complexity: O(1) each.
    @inlinable
    public mutating func reloadItems(_ items: [Item], file: StaticString = #fileID, line: UInt = #line) {
        mark(items, .reload, "reloadItems(_:)", CallSite(file, line))
    }

    /// Marks items for reconfiguring at the next apply: the view fills in the cells that they have. An item that is
    /// also marked for reload is reloaded.
    ///
    /// - Errors: stops at an unknown item.
    /// - Complexity: O(1) each.
    @inlinable
    public mutating func reconfigureItems(_ items: [Item], file: StaticString = #fileID, line: UInt = #line) {
        mark(items, .reconfigure, "reconfigureItems(_:)", CallSite(file, line))
    }

    /// Marks sections for reload at the next apply, header and items.
    ///
    /// - Errors: stops at an unknown section.
    /// - Complexity: O(1) each.
    @inlinable
    public mutating func reloadSections(
        _ sections: [Section], file: StaticString = #fileID, line: UInt = #line
    ) {
        for section in sections {
            _ = known(section, "reloadSections(_:)", CallSite(file, line))
            sectionMarks.insert(section)
        }
    }

    /// The items marked for reload, in the order of the list. O(*m* log *m*) in the number of marks.
    @inlinable
    public var reloadedItemIdentifiers: [Item] { marked(.reload) }

    /// The items marked for reconfiguring and not for reload, in the order of the list. O(*m* log *m*).
    @inlinable
    public var reconfiguredItemIdentifiers: [Item] { marked(.reconfigure) }

    /// The sections marked for reload, in the order of the list. O(sections).
    @inlinable
    public var reloadedSectionIdentifiers: [Section] {
        sectionMarks.isEmpty ? [] : sectionIdentifiers.filter(sectionMarks.contains)
    }

    /// Removes all marks, as a data source does once they are carried out.
    @inlinable
    public mutating func removeMarks() {
        if !itemMarks.isEmpty { itemMarks = [:] }
        if !sectionMarks.isEmpty { sectionMarks = [] }
    }
}

extension Snapshot {
    @inlinable
    mutating func mark(_ items: [Item], _ mark: RefreshMark, _ purpose: StaticString, _ caller: CallSite) {
        for item in items {
            let held = self.item(at: known(item, purpose, caller))
            let before = itemMarks[held]
            itemMarks[held] = ItemMark(max(mark, before?.refresh ?? mark), former: before?.former)
        }
    }

    @inlinable
    func marked(_ mark: RefreshMark) -> [Item] {
        itemMarks.filter { $0.value.refresh == mark }
            .map { (path: path(of: known($0.key, "a marked item", CallSite())), item: $0.key) }
            .sorted { $0.path < $1.path }
            .map(\.item)
    }
}
