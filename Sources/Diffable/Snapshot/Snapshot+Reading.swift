extension Snapshot {
    /// The number of items in all sections. O(1).
    @inlinable
    public var numberOfItems: Int { index.count }

    /// The number of sections. O(1).
    @inlinable
    public var numberOfSections: Int { order.count }

    /// True when there is no section, and so no item.
    @inlinable
    public var isEmpty: Bool { order.isEmpty }

    /// Returns the number of items in `section`. O(1). The section must be in the snapshot.
    @inlinable
    public func numberOfItems(inSection section: Section, file: StaticString = #fileID, line: UInt = #line) -> Int {
        slots[known(section, "numberOfItems(inSection:)", CallSite(file, line))].count
    }

    /// The same as a function value, as in `map(snapshot.numberOfItems(inSection:))`.
    @inlinable
    @_disfavoredOverload
    public func numberOfItems(inSection section: Section) -> Int {
        slots[known(section, "numberOfItems(inSection:)", CallSite())].count
    }

    /// The sections in order. O(sections).
    @inlinable
    public var sectionIdentifiers: [Section] { order.map { name($0) } }

    /// The items in order, section after section. O(*n*).
    @inlinable
    public var itemIdentifiers: [Item] {
        var items: [Item] = []
        items.reserveCapacity(numberOfItems)
        for token in order { appendItems(of: token, to: &items) }
        return items
    }

    /// Returns the items of `section` in order. O(their number). The section must be in the snapshot.
    @inlinable
    public func itemIdentifiers(
        inSection section: Section, file: StaticString = #fileID, line: UInt = #line
    ) -> [Item] {
        items(of: known(section, "itemIdentifiers(inSection:)", CallSite(file, line)))
    }

    /// The same as a function value, as in `map(snapshot.itemIdentifiers(inSection:))`.
    @inlinable
    @_disfavoredOverload
    public func itemIdentifiers(inSection section: Section) -> [Item] {
        items(of: known(section, "itemIdentifiers(inSection:)", CallSite()))
    }

    /// Returns the section of `item`, or nil if the item is not in the snapshot. O(1).
    @inlinable
    public func sectionIdentifier(containingItem item: Item) -> Section? {
        guard let location = locate(item) else { return nil }
        return name(token(at: location))
    }

    /// Returns the place of `item` in ``itemIdentifiers``, or nil if it is not in the snapshot. O(log sections).
    @inlinable
    public func indexOfItem(_ item: Item) -> Int? {
        guard let location = locate(item) else { return nil }
        return starts.sum(before: slots[token(at: location)].position) + row(at: location)
    }

    /// Returns the place of `section` in ``sectionIdentifiers``, or nil if it is not in the snapshot. O(1).
    @inlinable
    public func indexOfSection(_ section: Section) -> Int? {
        token(of: section).map { slots[$0].position }
    }

    /// Returns true if `item` is in the snapshot. O(1).
    @inlinable
    public func contains(_ item: Item) -> Bool { locate(item) != nil }

    /// Returns the place of `item`, or nil if it is not in the snapshot. O(1).
    @inlinable
    @inline(__always)
    public func path(of item: Item) -> ItemPath? {
        guard let location = locate(item) else { return nil }
        return path(of: location)
    }

    /// Returns the item at `path`, or nil if there is none, also for negative numbers. O(1).
    @inlinable
    @inline(__always)
    public func itemIdentifier(at path: ItemPath) -> Item? {
        guard order.indices.contains(path.section) else { return nil }
        let token = order[path.section]
        guard path.item >= 0, path.item < slots[token].count else { return nil }
        return self.item(at: location(of: path.item, in: token))
    }

    /// Returns the section at `position`, or nil if there is none. O(1).
    @inlinable
    public func sectionIdentifier(at position: Int) -> Section? {
        order.indices.contains(position) ? name(order[position]) : nil
    }

    /// Returns the number of items in the section at `position`; 0 if there is none. O(1).
    @inlinable
    public func numberOfItems(inSectionAt position: Int) -> Int {
        order.indices.contains(position) ? slots[order[position]].count : 0
    }
}

extension Snapshot {
    /// Returns the items of the section with this token.
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
