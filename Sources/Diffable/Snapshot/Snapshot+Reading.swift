extension Snapshot {
    /// How many items there are in all sections. O(1).
    @inlinable
    public var numberOfItems: Int { index.count }

    /// How many sections there are. O(1).
    @inlinable
    public var numberOfSections: Int { order.count }

    /// Whether there is no section and so no item.
    @inlinable
    public var isEmpty: Bool { order.isEmpty }

    /// How many items `section` has, O(1). The section must be in the snapshot.
    @inlinable
    public func numberOfItems(inSection section: Section, file: StaticString = #fileID, line: UInt = #line) -> Int {
        slots[known(section, "numberOfItems(inSection:)", CallSite(file, line))].count
    }

    /// The same as a function to pass on, as in `map(snapshot.numberOfItems(inSection:))`.
    @inlinable
    @_disfavoredOverload
    public func numberOfItems(inSection section: Section) -> Int {
        slots[known(section, "numberOfItems(inSection:)", CallSite())].count
    }

    /// The sections in order. O(sections).
    @inlinable
    public var sectionIdentifiers: [Section] { order.map { slots[$0].identifier } }

    /// The items in order, section after section. O(*n*).
    @inlinable
    public var itemIdentifiers: [Item] {
        var items: [Item] = []
        items.reserveCapacity(numberOfItems)
        for token in order { appendItems(of: token, to: &items) }
        return items
    }

    /// The items of `section` in order, O(their number). The section must be in the snapshot.
    @inlinable
    public func itemIdentifiers(
        inSection section: Section, file: StaticString = #fileID, line: UInt = #line
    ) -> [Item] {
        items(of: known(section, "itemIdentifiers(inSection:)", CallSite(file, line)))
    }

    /// The same as a function to pass on, as in `map(snapshot.itemIdentifiers(inSection:))`.
    @inlinable
    @_disfavoredOverload
    public func itemIdentifiers(inSection section: Section) -> [Item] {
        items(of: known(section, "itemIdentifiers(inSection:)", CallSite()))
    }

    /// The section that `item` stands in, or nil for an item that is not there. O(1).
    @inlinable
    public func sectionIdentifier(containingItem item: Item) -> Section? {
        guard let location = locate(item) else { return nil }
        return slots[token(at: location)].identifier
    }

    /// The place of `item` in ``itemIdentifiers``, or nil for an item that is not there. O(log sections).
    @inlinable
    public func indexOfItem(_ item: Item) -> Int? {
        guard let location = locate(item) else { return nil }
        return starts.sum(before: slots[token(at: location)].position) + row(at: location)
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
    @inline(__always)
    public func path(of item: Item) -> ItemPath? {
        guard let location = locate(item) else { return nil }
        return path(of: location)
    }

    /// The item at `path`, or nil where there is none, negative numbers included. O(1).
    @inlinable
    public func itemIdentifier(at path: ItemPath) -> Item? {
        guard order.indices.contains(path.section) else { return nil }
        let token = order[path.section]
        guard path.item >= 0, path.item < slots[token].count else { return nil }
        return self.item(at: location(of: path.item, in: token))
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

extension Snapshot {
    /// The items of the section with this token.
    @inlinable
    func items(of token: Int) -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(slots[token].count)
        appendItems(of: token, to: &items)
        return items
    }

    @inlinable
    func appendItems(of token: Int, to items: inout [Item]) {
        for number in slots[token].rows.numbers {
            for row in pages[Int(number)] { items.append(row.item) }
        }
    }
}
