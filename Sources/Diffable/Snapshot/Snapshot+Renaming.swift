// An item that gets another identifier, such as a draft that the server gives its number.

extension Snapshot {
    /// Gives an item another identifier. It keeps its place, and in the next apply its cell, which is reconfigured.
    ///
    /// ```swift
    /// snapshot.renameItem(draft, to: answer.id)
    /// ```
    ///
    /// It may move in the same change. Other items may have the old identifier afterwards, and two items may exchange
    /// theirs by way of a third. The item gets another cell only if the new identifier is that of another row of the list
    /// that is shown, which then keeps its own.
    ///
    /// A rename is a mark: ``removeMarks()`` and an apply end it, and deleting the item forgets it.
    ///
    /// - Errors: stops at an unknown item, and at an identifier that another item has.
    /// - Complexity: O(1). The next difference takes O(renames) more.
    public mutating func renameItem(
        _ item: Item, to identifier: Item, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        let location = known(item, "renameItem(_:to:)", caller)
        if item != identifier, contains(identifier) {
            misuse("Item \(item) cannot be renamed to \(identifier), which is in the snapshot already", caller)
        }
        let mark = itemMarks.removeValue(forKey: item)
        let former = mark?.former ?? self.item(at: location)
        forget(location)
        replace(location, with: identifier)
        itemMarks[identifier] = ItemMark(
            mark?.refresh ?? .reconfigure, former: former == identifier ? nil : former)
    }
}

// An identifier may carry what its cell shows, and be equal to another one whatever that is. A mark may bring a new copy.

extension Snapshot {
    /// Marks items for reconfiguring, and has the list carry these copies of them from now on.
    ///
    /// ```swift
    /// song.isFavorite.toggle()
    /// snapshot.reconfigureItems(carrying: [song])
    /// ```
    ///
    /// - Errors: stops at an unknown item.
    /// - Complexity: O(1) each. The next difference takes O(items given) more.
    public mutating func reconfigureItems(
        carrying copies: [Item], file: StaticString = #fileID, line: UInt = #line
    ) {
        renameToCopies(copies, .reconfigure, "reconfigureItems(carrying:)", CallSite(file, line))
    }

    /// Marks items for reload, and has the list carry these copies of them from now on.
    ///
    /// - Errors: stops at an unknown item.
    /// - Complexity: O(1) each. The next difference takes O(items given) more.
    public mutating func reloadItems(carrying copies: [Item], file: StaticString = #fileID, line: UInt = #line) {
        renameToCopies(copies, .reload, "reloadItems(carrying:)", CallSite(file, line))
    }

    /// Renames each item to its copy, so that all that belongs to it follows.
    private mutating func renameToCopies(
        _ copies: [Item], _ refresh: RefreshMark, _ purpose: StaticString, _ caller: CallSite
    ) {
        // Copies of these are the same.
        if RowType(Item.self).plainSize > 0 { return mark(copies, refresh, purpose, caller) }
        for copy in copies {
            let location = known(copy, purpose, caller)
            let mark = itemMarks.removeValue(forKey: copy)
            let former = mark?.former ?? item(at: location)
            pages.change(location.page) { $0[location.offset].item = copy }
            itemMarks[copy] = ItemMark(max(refresh, mark?.refresh ?? refresh), former: former)
        }
    }
}

extension Snapshot where Section: Sendable, Item: Sendable {
    /// The same as ``renameItem(_:to:file:line:)``, for an item that may be unknown and an identifier that another item
    /// may have.
    public mutating func renameItem(validating item: Item, to identifier: Item) throws(SnapshotError<Section, Item>) {
        try checkItem(item)
        if item != identifier, contains(identifier) { throw .repeatedItem(identifier) }
        renameItem(item, to: identifier)
    }
}

extension Snapshot {
    /// True when an item was renamed since the last apply. O(marks).
    @inlinable
    var hasRenames: Bool { !itemMarks.isEmpty && itemMarks.values.contains { $0.former != nil } }

    /// Returns the new identifiers of the items here that are renamed in `next`, by their old ones. All of them together
    /// leave identifiers unique. O(renames).
    func renames(to next: Snapshot) -> [Item: Item] {
        var names: [Item: Item] = [:]
        for (item, mark) in next.itemMarks {
            guard let former = mark.former, contains(former) else { continue }
            // An item that was renamed, and another one that came under its old name and was renamed, too.
            if let other = names[former], next.path(of: other)! < next.path(of: item)! { continue }
            names[former] = item
        }
        let formers = Dictionary(uniqueKeysWithValues: names.map { ($0.value, $0.key) })
        var refused = names.filter { contains($0.value) && names[$0.value] == nil }.map(\.key)
        while let former = refused.popLast() {
            names[former] = nil
            // This item keeps its name, so no other can have it.
            if let other = formers[former], names[other] != nil { refused.append(other) }
        }
        return names
    }

    /// Returns the same list with other identifiers for some of its items. O(names).
    func renamed(by names: [Item: Item]) -> Snapshot {
        let places = names.map { (location: locate($0.key)!, name: $0.value) }
        var copy = self
        for place in places { copy.forget(place.location) }
        for place in places { copy.replace(place.location, with: place.name) }
        return copy
    }

    /// Puts another identifier in a place that the index does not have.
    private mutating func replace(_ location: Location, with item: Item) {
        let row = Row(item)
        pages.change(location.page) { $0[location.offset] = row }
        enter(row, at: location, from: nil)
    }
}

extension Shown {
    /// Gives the rows, and the items of outlines, the identifiers that they have in `next`. Changes nothing if an outline
    /// has an item of a new name already.
    @usableFromInline
    mutating func rename(to next: Snapshot<Section, Item>) {
        let names = snapshot.renames(to: next)
        let isTaken = names.values.contains { name in
            names[name] == nil && outlines.values.contains { $0.contains(name) }
        }
        if isTaken { return }
        for section in outlines.keys { outlines[section]?.rename(names) }
        snapshot = snapshot.renamed(by: names)
    }
}

extension SectionSnapshot {
    /// Gives some items other identifiers, which together leave them unique. Others may be among them. O(names).
    mutating func rename(_ names: [Item: Item]) {
        let places = names.compactMap { name in place(of: name.key).map { (place: $0, name: name.value) } }
        if places.isEmpty { return }
        prepareToChange()
        for (place, _) in places {
            let isRight = { (found: ItemIndex.Place) in found.bits == UInt32(place) }
            if let position = index.position(of: nodes[place].hash, where: isRight) { index.remove(at: position) }
        }
        for (place, name) in places {
            let hash = rowHash(name)
            nodes[place].held = name
            nodes[place].hash = hash
            index.insert(ItemIndex.Bucket(hash: hash, place: ItemIndex.Place(bits: UInt32(place))))
        }
    }
}
