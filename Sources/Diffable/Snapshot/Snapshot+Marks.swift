extension Snapshot {
    /// Marks items to be shown anew from scratch at the next apply: a new cell, perhaps of another kind or size.
    ///
    /// A mark says where to look again, not what to show: the identifier that the snapshot holds stays as it is, even if
    /// an equal one with other contents is given.
    ///
    /// - Errors: stops at an unknown item.
    /// - Complexity: O(1) each.
    @inlinable
    public mutating func reloadItems(_ items: [Item], file: StaticString = #fileID, line: UInt = #line) {
        mark(items, .reload, "reloadItems(_:)", CallSite(file, line))
    }

    /// Marks items to be filled in again at the next apply, in the cells that they have. An item that is also marked for
    /// reload is reloaded.
    ///
    /// - Errors: stops at an unknown item.
    /// - Complexity: O(1) each.
    @inlinable
    public mutating func reconfigureItems(_ items: [Item], file: StaticString = #fileID, line: UInt = #line) {
        mark(items, .reconfigure, "reconfigureItems(_:)", CallSite(file, line))
    }

    /// Marks sections to be shown anew at the next apply, header and items.
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

    /// The items marked for reload, in the order that they stand in. O(*m* log *m*) in the number of marks.
    @inlinable
    public var reloadedItemIdentifiers: [Item] { marked(.reload) }

    /// The items marked for reconfiguring and not for reload, in the order that they stand in. O(*m* log *m*).
    @inlinable
    public var reconfiguredItemIdentifiers: [Item] { marked(.reconfigure) }

    /// The sections marked for reload, in the order that they stand in. O(sections).
    @inlinable
    public var reloadedSectionIdentifiers: [Section] {
        sectionMarks.isEmpty ? [] : sectionIdentifiers.filter(sectionMarks.contains)
    }

    /// Takes every mark off: what a data source keeps once the marks are carried out.
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
            itemMarks[held] = max(mark, itemMarks[held] ?? mark)
        }
    }

    @inlinable
    func marked(_ mark: RefreshMark) -> [Item] {
        itemMarks.filter { $0.value == mark }
            .map { (path: path(of: known($0.key, "a marked item", CallSite())), item: $0.key) }
            .sorted { $0.path < $1.path }
            .map(\.item)
    }
}
