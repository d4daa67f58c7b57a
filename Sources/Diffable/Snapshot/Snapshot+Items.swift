extension Snapshot {
    /// Appends items to `section`, or to the last section if none is given.
    ///
    /// An item that is in the snapshot already moves to its new place and keeps its marks.
    ///
    /// - Returns: the items that were in the snapshot already, in the order given, for callers that expect all of them
    ///   to be new.
    /// - Errors: stops at an unknown section, when there is no section at all, and at an item given twice.
    /// - Complexity: O(1) amortised per item.
    @inlinable
    @discardableResult
    public mutating func appendItems(
        _ items: [Item], toSection section: Section? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> [Item] {
        let token = tokenForAppending(to: section, items, CallSite(file, line))
        if appendNew(items, to: token) == nil { return [] }
        return place(items, in: token, CallSite(file, line)) { $0.slots[token].count }
    }

    /// Inserts items before `anchor`. As in ``appendItems(_:toSection:file:line:)``, items that are in the snapshot
    /// already move. The anchor keeps its place, even if it is among the items.
    ///
    /// - Errors: stops at an unknown anchor, and at an item given twice.
    /// - Complexity: O(items given), and a small part of the items of the sections that change.
    @inlinable
    @discardableResult
    public mutating func insertItems(
        _ items: [Item], beforeItem anchor: Item, file: StaticString = #fileID, line: UInt = #line
    ) -> [Item] {
        insert(items, beside: anchor, offset: 0, CallSite(file, line))
    }

    /// Inserts items after `anchor`. As in ``appendItems(_:toSection:file:line:)``, items that are in the snapshot
    /// already move. The anchor keeps its place, even if it is among the items.
    ///
    /// - Errors: stops at an unknown anchor, and at an item given twice.
    /// - Complexity: O(items given), and a small part of the items of the sections that change.
    @inlinable
    @discardableResult
    public mutating func insertItems(
        _ items: [Item], afterItem anchor: Item, file: StaticString = #fileID, line: UInt = #line
    ) -> [Item] {
        insert(items, beside: anchor, offset: 1, CallSite(file, line))
    }

    /// Deletes items and their marks. Unknown identifiers are ignored.
    ///
    /// - Complexity: O(items deleted), and a small part of the items of their sections.
    @inlinable
    public mutating func deleteItems(_ items: [Item]) {
        var locations: ContiguousArray<Location> = []
        for item in items {
            guard let location = locate(item) else { continue }
            locations.append(location)
            if !itemMarks.isEmpty { itemMarks[item] = nil }
        }
        removeRows(locations)
    }

    /// Deletes everything, including sections and marks, as Apple's type does.
    @inlinable
    public mutating func deleteAllItems() {
        self = Snapshot()
    }

    /// Moves `item` before `anchor`, also into another section. The item keeps its marks.
    ///
    /// Moving an item beside itself changes nothing.
    ///
    /// - Errors: stops at an unknown item or anchor.
    /// - Complexity: O(items given), and a small part of the items of the sections that change.
    @inlinable
    public mutating func moveItem(
        _ item: Item, beforeItem anchor: Item, file: StaticString = #fileID, line: UInt = #line
    ) {
        move(item, beside: anchor, offset: 0, CallSite(file, line))
    }

    /// Moves `item` after `anchor`, also into another section. The item keeps its marks.
    ///
    /// Moving an item beside itself changes nothing.
    ///
    /// - Errors: stops at an unknown item or anchor.
    /// - Complexity: O(items given), and a small part of the items of the sections that change.
    @inlinable
    public mutating func moveItem(
        _ item: Item, afterItem anchor: Item, file: StaticString = #fileID, line: UInt = #line
    ) {
        move(item, beside: anchor, offset: 1, CallSite(file, line))
    }
}

extension Snapshot {
    @inlinable
    func tokenForAppending(to section: Section?, _ items: [Item], _ caller: CallSite) -> Int {
        if let section { return known(section, "appendItems(_:toSection:)", caller) }
        guard let last = order.last else { misuse("No section to append the items \(items) to", caller) }
        return last
    }

    @inlinable
    func repeated(_ item: Item, _ caller: CallSite) -> Never {
        misuse("Item \(item) stands twice among the items given", caller)
    }

    /// Places items, some of which may be in the snapshot already, in the section. `row` returns their row after those
    /// were removed from their old places. Returns the items that were in the snapshot.
    @inlinable
    mutating func place(
        _ items: [Item], in token: Int, _ caller: CallSite, at row: (Snapshot) -> Int
    ) -> [Item] {
        var places = ItemIndex(isWhole: true)  // of the items given, to find repeated ones
        var rows: ContiguousArray<Row<Item>> = []
        var moved: [Item] = []
        var locations: ContiguousArray<Location> = []
        if items.count > 1 { places.reserve(items.count) }
        for item in items {
            var row = Row(item)
            if items.count > 1 {
                let isGiven = places.position(of: row.hash) { rows[Int($0.bits)].item == item } != nil
                if isGiven { repeated(item, caller) }
                let place = ItemIndex.Place(bits: UInt32(truncatingIfNeeded: rows.count))
                places.insert(ItemIndex.Bucket(hash: row.hash, place: place))
            }
            if let location = locate(item, hash: row.hash) {
                row.item = self.item(at: location)
                moved.append(item)
                locations.append(location)
            }
            rows.append(row)
        }
        removeRows(locations)
        insertNew(rows, in: token, at: row(self))
        return moved
    }

    @inlinable
    mutating func insert(
        _ items: [Item], beside anchor: Item, offset: Int, _ caller: CallSite
    ) -> [Item] {
        let hash = rowHash(anchor)
        let token = self.token(at: known(anchor, hash: hash, "the anchor of an insertion", caller))
        let others = items.contains(anchor) ? items.filter { $0 != anchor } : items
        if items.count > others.count + 1 { repeated(anchor, caller) }
        return place(others, in: token, caller) { list in
            list.row(at: list.known(anchor, hash: hash, "the anchor of an insertion", caller)) + offset
        }
    }

    @inlinable
    mutating func move(_ item: Item, beside anchor: Item, offset: Int, _ caller: CallSite) {
        let location = known(item, "the item of a move", caller)
        let hash = rowHash(anchor)
        let token = self.token(at: known(anchor, hash: hash, "the anchor of a move", caller))
        if item == anchor { return }
        let held = pages.row(location.page, location.offset)
        removeFromPage(location)
        tidy(location.page)
        let target = row(at: known(anchor, hash: hash, "the anchor of a move", caller)) + offset
        insertNew([held], in: token, at: target, from: location.page)
    }
}
