extension Shown {
    /// Shows `next`. The outline of a section follows the rows of that section. O(changes), but O(items of a section)
    /// if rows go or move whose visible children stay, or rows move between outlines.
    @inlinable
    mutating func show(_ next: Snapshot<Section, Item>) {
        if !outlines.isEmpty {
            if next.hasRenames { rename(to: next) }
            let changes = next.difference(from: snapshot)
            if changes.changesPlaces { follow(next, changes) }
        }
        snapshot = next
    }

    /// Has the outlines follow `changes`, which turn the list into `next`.
    ///
    /// - `moved`: the rows that moved, if known.
    @usableFromInline
    mutating func follow(_ next: Snapshot<Section, Item>, _ changes: ChangeSet, moved: Set<Item>? = nil) {
        if !changes.changesSections {
            let changed = ChangedOutlines(outlines, from: snapshot, to: next, changes)
            if let changed {
                for (section, outline) in changed.outlines { outlines[section] = outline }
                return
            }
        }
        follow(next, moved: moved)
    }

    /// Has the outlines follow any changes. O(items of the sections concerned).
    mutating func follow(_ next: Snapshot<Section, Item>, moved: Set<Item>?) {
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

    /// Returns the list after a move of the row at `source`, alone and with its visible descendants. `destination` is
    /// counted without the row.
    func moving(from source: ItemPath, to destination: ItemPath) -> (alone: Self, all: Self) {
        guard let item = snapshot.itemIdentifier(at: source) else { return (self, self) }
        var alone = self
        alone.snapshot.place(item, from: source, to: destination)
        if outlines.isEmpty { return (alone, alone) }
        let descendants = visibleDescendants(of: item)
        var all = self
        if descendants.isEmpty {
            var changes = ChangeSet()
            changes.movedItems = [ChangeSet.Step(from: source, to: destination)]
            all.follow(alone.snapshot, changes, moved: [item])
            all.snapshot = alone.snapshot
        } else {
            var next = alone.snapshot
            next.insertItems(descendants, afterItem: item)
            all.follow(next, moved: Set([item] + descendants))
            all.snapshot = next
        }
        return (alone, all)
    }
}

extension Snapshot {
    /// Moves the item at `source`. `destination` is counted without it.
    fileprivate mutating func place(_ item: Item, from source: ItemPath, to destination: ItemPath) {
        var next = destination
        if source.section == destination.section, destination.item >= source.item { next.item += 1 }
        if let anchor = itemIdentifier(at: next) {
            moveItem(item, beforeItem: anchor)
        } else {
            appendItems([item], toSection: sectionIdentifier(at: destination.section)!)
        }
    }
}
