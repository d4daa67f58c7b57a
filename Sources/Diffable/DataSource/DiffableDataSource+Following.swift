extension Shown {
    /// Shows `next`. The outline of a section follows the rows of that section. O(1) for a section with the same rows.
    ///
    /// - `moved`: the rows that moved, if known.
    @inlinable
    mutating func show(_ next: Snapshot<Section, Item>, moved: Set<Item>? = nil) {
        if !outlines.isEmpty { follow(next, moved) }
        snapshot = next
    }

    @inlinable
    mutating func follow(_ next: Snapshot<Section, Item>, _ moved: Set<Item>?) {
        let changed = outlines.keys.filter { !next.hasSameItems(in: $0, as: snapshot) }
        if changed.isEmpty { return }
        let following = OutlineFollowing(from: snapshot, outlines, to: next)
        for section in following.concerned(by: changed) {
            outlines[section] = following.outline(of: section, moved: moved)
        }
    }

    /// Returns the outline of a section: a flat one if the section has none, an empty one if there is no such section.
    @inlinable
    func outline(of section: Section) -> SectionSnapshot<Item> {
        if let outline = outlines[section] { return outline }
        var outline = SectionSnapshot<Item>()
        if snapshot.indexOfSection(section) != nil { outline.append(snapshot.itemIdentifiers(inSection: section)) }
        return outline
    }
}

extension Shown {
    /// Returns the visible rows below `item` in its outline. O(their number).
    func visibleDescendants(of item: Item) -> [Item] {
        guard let section = snapshot.sectionIdentifier(containingItem: item), let outline = outlines[section],
            outline.isExpanded(item)
        else { return [] }
        return outline.snapshot(of: item).visibleItems
    }

    /// Returns the list after a move of `item` and its visible descendants. `destination` is counted without it.
    func moving(_ item: Item, to destination: ItemPath) -> Self {
        let descendants = visibleDescendants(of: item)
        var next = snapshot
        next.place(item, at: destination)
        next.insertItems(descendants, afterItem: item)
        var moved = self
        moved.show(next, moved: Set([item] + descendants))
        return moved
    }
}

extension Snapshot {
    /// Moves an item of the snapshot. `destination` is counted without it.
    mutating func place(_ item: Item, at destination: ItemPath) {
        let section = sectionIdentifier(at: destination.section)!
        let others = itemIdentifiers(inSection: section).filter { $0 != item }
        if destination.item < others.count {
            moveItem(item, beforeItem: others[destination.item])
        } else {
            appendItems([item], toSection: section)
        }
    }
}
