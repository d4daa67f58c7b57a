// Operations for identifiers that come from elsewhere, such as a peer or a file. They throw where the others stop.

extension Snapshot where Section: Sendable, Item: Sendable {
    /// The same as ``appendItems(_:toSection:file:line:)``, for items that may repeat and a section that may be
    /// unknown.
    @inlinable
    @discardableResult
    public mutating func appendItems(
        validating items: [Item], toSection section: Section? = nil
    ) throws(SnapshotError<Section, Item>) -> [Item] {
        if let section { try checkSection(section) } else if isEmpty { throw .noSection }
        try checkOnce(items)
        return appendItems(items, toSection: section)
    }

    /// The same as ``insertItems(_:beforeItem:file:line:)``, for items that may repeat and an anchor that may be
    /// unknown.
    @inlinable
    @discardableResult
    public mutating func insertItems(
        validating items: [Item], beforeItem anchor: Item
    ) throws(SnapshotError<Section, Item>) -> [Item] {
        try checkItem(anchor)
        try checkOnce(items)
        return insertItems(items, beforeItem: anchor)
    }

    /// The same as ``insertItems(_:afterItem:file:line:)``, for items that may repeat and an anchor that may be
    /// unknown.
    @inlinable
    @discardableResult
    public mutating func insertItems(
        validating items: [Item], afterItem anchor: Item
    ) throws(SnapshotError<Section, Item>) -> [Item] {
        try checkItem(anchor)
        try checkOnce(items)
        return insertItems(items, afterItem: anchor)
    }

    /// The same as ``moveItem(_:beforeItem:file:line:)``, for items that may be unknown.
    @inlinable
    public mutating func moveItem(
        validating item: Item, beforeItem anchor: Item
    ) throws(SnapshotError<Section, Item>) {
        try checkItem(item)
        try checkItem(anchor)
        moveItem(item, beforeItem: anchor)
    }

    /// The same as ``moveItem(_:afterItem:file:line:)``, for items that may be unknown.
    @inlinable
    public mutating func moveItem(
        validating item: Item, afterItem anchor: Item
    ) throws(SnapshotError<Section, Item>) {
        try checkItem(item)
        try checkItem(anchor)
        moveItem(item, afterItem: anchor)
    }

    /// The same as ``reloadItems(_:file:line:)``, for items that may be unknown.
    @inlinable
    public mutating func reloadItems(validating items: [Item]) throws(SnapshotError<Section, Item>) {
        for item in items { try checkItem(item) }
        reloadItems(items)
    }

    /// The same as ``reconfigureItems(_:file:line:)``, for items that may be unknown.
    @inlinable
    public mutating func reconfigureItems(validating items: [Item]) throws(SnapshotError<Section, Item>) {
        for item in items { try checkItem(item) }
        reconfigureItems(items)
    }
}

extension Snapshot where Section: Sendable, Item: Sendable {
    /// The same as ``appendSections(_:file:line:)``, for sections that may repeat.
    @inlinable
    public mutating func appendSections(validating sections: [Section]) throws(SnapshotError<Section, Item>) {
        try checkNew(sections)
        appendSections(sections)
    }

    /// The same as ``insertSections(_:beforeSection:file:line:)``, for sections that may repeat and an anchor that may
    /// be unknown.
    @inlinable
    public mutating func insertSections(
        validating sections: [Section], beforeSection anchor: Section
    ) throws(SnapshotError<Section, Item>) {
        try checkSection(anchor)
        try checkNew(sections)
        insertSections(sections, beforeSection: anchor)
    }

    /// The same as ``insertSections(_:afterSection:file:line:)``, for sections that may repeat and an anchor that may
    /// be unknown.
    @inlinable
    public mutating func insertSections(
        validating sections: [Section], afterSection anchor: Section
    ) throws(SnapshotError<Section, Item>) {
        try checkSection(anchor)
        try checkNew(sections)
        insertSections(sections, afterSection: anchor)
    }

    /// The same as ``moveSection(_:beforeSection:file:line:)``, for sections that may be unknown.
    @inlinable
    public mutating func moveSection(
        validating section: Section, beforeSection anchor: Section
    ) throws(SnapshotError<Section, Item>) {
        try checkSection(section)
        try checkSection(anchor)
        moveSection(section, beforeSection: anchor)
    }

    /// The same as ``moveSection(_:afterSection:file:line:)``, for sections that may be unknown.
    @inlinable
    public mutating func moveSection(
        validating section: Section, afterSection anchor: Section
    ) throws(SnapshotError<Section, Item>) {
        try checkSection(section)
        try checkSection(anchor)
        moveSection(section, afterSection: anchor)
    }

    /// The same as ``reloadSections(_:file:line:)``, for sections that may be unknown.
    @inlinable
    public mutating func reloadSections(validating sections: [Section]) throws(SnapshotError<Section, Item>) {
        for section in sections { try checkSection(section) }
        reloadSections(sections)
    }
}

extension Snapshot where Section: Sendable, Item: Sendable {
    @inlinable
    func checkItem(_ item: Item) throws(SnapshotError<Section, Item>) {
        guard contains(item) else { throw .unknownItem(item) }
    }

    @inlinable
    func checkSection(_ section: Section) throws(SnapshotError<Section, Item>) {
        guard indexOfSection(section) != nil else { throw .unknownSection(section) }
    }

    @inlinable
    func checkOnce(_ items: [Item]) throws(SnapshotError<Section, Item>) {
        if items.count < 2 { return }
        var seen = Set<Item>(minimumCapacity: items.count)
        for item in items {
            guard seen.insert(item).inserted else { throw .repeatedItem(item) }
        }
    }

    @inlinable
    func checkNew(_ sections: [Section]) throws(SnapshotError<Section, Item>) {
        var seen: Set<Section> = []
        for section in sections {
            guard indexOfSection(section) == nil, seen.insert(section).inserted else { throw .repeatedSection(section) }
        }
    }
}
