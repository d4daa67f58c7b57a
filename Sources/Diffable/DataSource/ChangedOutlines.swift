/// The outlines of sections after a few of their rows came, went or moved.
///
/// The result is that of ``OutlineFollowing``, which makes the outlines of whole sections anew.
///
/// - Complexity: O(changes · level), and O(descendants) for a row whose level changes.
struct ChangedOutlines<Section: Hashable, Item: Hashable> {
    /// The outlines that are different afterwards.
    private(set) var outlines: [Section: SectionSnapshot<Item>] = [:]

    /// Nil if a row goes or moves whose visible children stay, if a row with children moves between sections, or any row
    /// between outlines, or if a row comes that was folded somewhere.
    ///
    /// - `changes`: changes of items only, which turn `before` into `after`.
    init?(
        _ old: [Section: SectionSnapshot<Item>], from before: Snapshot<Section, Item>,
        to after: Snapshot<Section, Item>, _ changes: ChangeSet
    ) {
        var rows: [Int: OutlineRows<Section, Item>] = [:]
        func outlined(_ place: Int) -> Bool {
            if rows[place] != nil { return true }
            guard let section = before.sectionIdentifier(at: place), let outline = old[section] else { return false }
            rows[place] = OutlineRows(outline, of: section, at: place, before, after)
            return true
        }
        for path in changes.deletedItems where outlined(path.section) { rows[path.section]?.delete(path.item) }
        for step in changes.movedItems {
            switch (outlined(step.from.section), outlined(step.to.section)) {
            case (true, true) where step.from.section == step.to.section:
                rows[step.from.section]?.move(step.from.item, step.to.item)
            case (true, true): return nil
            case (true, false):
                if rows[step.from.section]?.hasChildren(step.from.item) == true { return nil }
                rows[step.from.section]?.delete(step.from.item)
            case (false, true): rows[step.to.section]?.insert(step.to.item)
            case (false, false): break
            }
        }
        for path in changes.insertedItems where outlined(path.section) {
            guard let item = after.itemIdentifier(at: path), !old.values.contains(where: { $0.contains(item) }) else {
                return nil
            }
            rows[path.section]?.insert(path.item)
        }
        for (place, var section) in rows {
            guard section.follow() else { return nil }
            rows[place] = nil
            outlines[section.section] = section.outline
        }
    }
}

/// The outline of one section, whose rows are detached from it and attached again elsewhere.
private struct OutlineRows<Section: Hashable, Item: Hashable> {
    let section: Section
    private(set) var outline: SectionSnapshot<Item>

    private let original: SectionSnapshot<Item>
    private let place: Int
    private let (before, after): (Snapshot<Section, Item>, Snapshot<Section, Item>)

    /// The rows that go or move, by their old places, and those that come or move, by their new ones.
    private var (leaving, arriving): ([Int], [Int]) = ([], [])
    private var moved: Set<Item> = []

    init(
        _ outline: SectionSnapshot<Item>, of section: Section, at place: Int, _ before: Snapshot<Section, Item>,
        _ after: Snapshot<Section, Item>
    ) {
        self.section = section
        self.outline = outline
        original = outline
        self.place = place
        (self.before, self.after) = (before, after)
    }

    mutating func delete(_ row: Int) { leaving.append(row) }

    mutating func insert(_ row: Int) { arriving.append(row) }

    mutating func move(_ from: Int, _ to: Int) {
        leaving.append(from)
        arriving.append(to)
        moved.insert(old(from))
    }

    func hasChildren(_ row: Int) -> Bool { outline.hasChildren(old(row)) }

    private func old(_ row: Int) -> Item { before.itemIdentifier(at: ItemPath(section: place, item: row))! }

    private func new(_ row: Int) -> Item? { after.itemIdentifier(at: ItemPath(section: place, item: row)) }

    /// Changes the outline. Returns false if a row that leaves its place has visible children that stay.
    mutating func follow() -> Bool {
        outline.prepareToChange()
        // From below, so that children leave before their parents.
        for row in leaving.sorted(by: >) {
            let item = old(row)
            guard let node = outline.place(of: item) else { return false }
            if outline.nodes[node].isExpanded, outline.nodes[node].children.first >= 0 { return false }
            if moved.contains(item) { outline.unlink(node) } else { outline.delete(at: node) }
        }
        arriving.sort()
        let next = nextThatStay()
        for (row, next) in zip(arriving, next) {
            guard let item = new(row) else { return false }
            let stays = next.flatMap { new($0) }.flatMap { outline.place(of: $0) } ?? -1
            let previous = row == 0 ? -1 : outline.place(of: new(row - 1)!) ?? -1
            if !moved.contains(item), outline.contains(item) { return false }
            attach(item, after: previous, before: stays)
        }
        return true
    }

    /// Returns, for each row that arrives, the next row that stays.
    private func nextThatStay() -> [Int?] {
        let count = after.numberOfItems(inSectionAt: place)
        var next = count
        var rows: [Int?] = []
        for (offset, row) in arriving.enumerated().reversed() {
            if offset + 1 == arriving.count || arriving[offset + 1] > row + 1 { next = row + 1 }
            rows.append(next < count ? next : nil)
        }
        return rows.reversed()
    }

    /// Adds a row, or one that was taken out, between two nodes that follow each other: at the level below the nearest
    /// former ancestor that it can still follow, but not above the next row.
    private mutating func attach(_ item: Item, after previous: Int32, before next: Int32) {
        var path: [Int32] = []
        var node = previous
        while node >= 0 {
            path.append(node)
            node = outline.nodes[node].parent
        }
        path.reverse()
        let least = next < 0 ? 0 : Int(outline.nodes[next].level)
        let level = min(path.count, max(least, moved.contains(item) ? levelBelowAncestor(of: item, in: path) : 0))
        let parent = level == 0 ? -1 : path[level - 1]
        let sibling = next >= 0 && outline.nodes[next].parent == parent ? next : -1
        if moved.contains(item), let node = outline.place(of: item) {
            outline.relink(node, to: parent, before: sibling)
        } else {
            outline.add(item, to: parent, before: sibling, CallSite())
        }
    }

    private func levelBelowAncestor(of item: Item, in path: [Int32]) -> Int {
        var ancestor = original.parent(of: item)
        while let next = ancestor {
            if original.isExpanded(next), let node = outline.place(of: next) {
                let level = Int(outline.nodes[node].level)
                if level < path.count, path[level] == node { return level + 1 }
            }
            ancestor = original.parent(of: next)
        }
        return 0
    }
}
