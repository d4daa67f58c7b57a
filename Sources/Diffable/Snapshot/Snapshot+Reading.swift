extension Snapshot {
    /// O(1).
    @inlinable
    public var numberOfItems: Int { index.count }

    /// O(1).
    @inlinable
    public var numberOfSections: Int { order.count }

    /// Whether there is no section and so no item.
    @inlinable
    public var isEmpty: Bool { order.isEmpty }

    /// How many items `section` has, O(1). The section must be in the snapshot.
    @inlinable
    public func numberOfItems(inSection section: Section) -> Int {
        slots[known(section, "numberOfItems(inSection:)")].count
    }

    /// The sections in order. O(sections).
    @inlinable
    public var sectionIdentifiers: [Section] { order.map { slots[$0].identifier } }

    /// The items in order, section after section. O(*n*).
    @inlinable
    public var itemIdentifiers: [Item] {
        var items: [Item] = []
        items.reserveCapacity(numberOfItems)
        for token in order { items.append(contentsOf: slots[token].rows.items) }
        return items
    }

    /// The items of `section` in order, O(their number). The section must be in the snapshot.
    @inlinable
    public func itemIdentifiers(inSection section: Section) -> [Item] {
        Array(slots[known(section, "itemIdentifiers(inSection:)")].rows.items)
    }

    /// The section that `item` stands in, or nil for an item that is not there. O(1).
    @inlinable
    public func sectionIdentifier(containingItem item: Item) -> Section? {
        locate(item).map { slots[$0.token].identifier }
    }

    /// The place of `item` in ``itemIdentifiers``, or nil for an item that is not there. O(log sections).
    @inlinable
    public func indexOfItem(_ item: Item) -> Int? {
        locate(item).map { starts.sum(before: slots[$0.token].position) + $0.row }
    }

    /// The place of `section` in ``sectionIdentifiers``, or nil for a section that is not there. O(1).
    @inlinable
    public func indexOfSection(_ section: Section) -> Int? {
        token(of: section).map { slots[$0].position }
    }

    /// Whether `item` is in the snapshot. O(1).
    @inlinable
    public func contains(_ item: Item) -> Bool { locate(item) != nil }

    /// Where `item` stands, or nil for an item that is not there. O(1).
    @inlinable
    public func path(of item: Item) -> ItemPath? { locate(item).map(path(of:)) }

    /// The item at `path`, or nil where there is none, negative numbers included. O(1).
    @inlinable
    public func itemIdentifier(at path: ItemPath) -> Item? {
        guard order.indices.contains(path.section) else { return nil }
        let items = slots[order[path.section]].rows.items
        return items.indices.contains(path.item) ? items[path.item] : nil
    }

    /// The section at `position`, or nil where there is none. O(1).
    @inlinable
    public func sectionIdentifier(at position: Int) -> Section? {
        order.indices.contains(position) ? slots[order[position]].identifier : nil
    }

    /// How many items the section at `position` has: 0 where there is none. O(1).
    @inlinable
    public func numberOfItems(inSectionAt position: Int) -> Int {
        order.indices.contains(position) ? slots[order[position]].count : 0
    }
}
