/// Computes the outlines of sections after their rows have come, gone and moved.
///
/// - Shape: exactly the rows of the section are visible in its outline. A row that stays keeps its parent, or the
///   nearest ancestor that is still there. A row that moves keeps its parent if it can. Otherwise, like a new row, it
///   comes to the level of the next row that stays. So no row that stays gets a new row as its parent. Folded rows move
///   with their parent, and are deleted with it.
@usableFromInline
struct OutlineFollowing<Section: Hashable, Item: Hashable> {
    /// The list before, with its outlines.
    private let old: Snapshot<Section, Item>
    private let outlines: [Section: SectionSnapshot<Item>]
    /// The list after.
    private let new: Snapshot<Section, Item>

    @usableFromInline
    init(
        from old: Snapshot<Section, Item>, _ outlines: [Section: SectionSnapshot<Item>], to new: Snapshot<Section, Item>
    ) {
        self.old = old
        self.outlines = outlines
        self.new = new
    }

    /// Returns the sections whose outlines change: `sections`, and those that items with children move to. O(items).
    @usableFromInline
    func concerned(by sections: [Section]) -> Set<Section> {
        var concerned = Set(sections)
        for section in sections where old.indexOfSection(section) != nil {
            for item in old.itemIdentifiers(inSection: section) where outlines[section]?.hasChildren(item) == true {
                if let target = new.sectionIdentifier(containingItem: item) { concerned.insert(target) }
            }
        }
        return concerned
    }

    /// Returns the outline of a section, or nil if the section is gone.
    ///
    /// - `moved`: the rows that moved, if known. If two rows changed places, it decides which of them adapts.
    /// - Complexity: O(items of the section · level), plus that of a difference.
    @usableFromInline
    func outline(of section: Section, moved: Set<Item>?) -> SectionSnapshot<Item>? {
        guard new.indexOfSection(section) != nil else { return nil }
        let items = new.itemIdentifiers(inSection: section)
        let moved = moved ?? self.moved(items, in: section)
        var place = OpenPlace<Item>()
        for (item, next) in zip(items, following(items, moved)) {
            let own = level(of: item, at: place)
            let least = moved.contains(item) || !old.contains(item) ? next.map { level(of: $0, at: place) } ?? 0 : 0
            place.add(item, at: max(own, least))
            unfold(item, in: &place.outline)
        }
        return place.outline
    }

    /// Returns, for each row, the next row after it that stays.
    private func following(_ items: [Item], _ moved: Set<Item>) -> [Item?] {
        var next: Item?
        var following: [Item?] = []
        for item in items.reversed() {
            following.append(next)
            if old.contains(item), !moved.contains(item) { next = item }
        }
        return following.reversed()
    }

    /// Returns the rows that a smallest difference moves or inserts.
    private func moved(_ items: [Item], in section: Section) -> Set<Item> {
        let before = old.indexOfSection(section) == nil ? [] : old.itemIdentifiers(inSection: section)
        let changes = Snapshot<Int, Item>(listing: items).difference(from: Snapshot(listing: before))
        return Set((changes.insertedItems + changes.movedItems.map(\.to)).map { items[$0.item] })
    }

    /// Returns the level below the nearest former ancestor that an item can still follow, or 0.
    private func level(of item: Item, at place: OpenPlace<Item>) -> Int {
        guard let origin = origin(of: item) else { return 0 }
        var ancestor = origin.parent(of: item)
        while let next = ancestor {
            if let level = place.levels[next], old.contains(next), origin.isExpanded(next) { return level + 1 }
            ancestor = origin.parent(of: next)
        }
        return 0
    }

    /// Restores an item's folding and its folded descendants, except those that are now shown elsewhere.
    private func unfold(_ item: Item, in outline: inout SectionSnapshot<Item>) {
        guard let origin = origin(of: item) else { return }
        if old.contains(item), origin.isExpanded(item) { return outline.expand([item]) }
        guard origin.hasChildren(item) else { return }
        var descendants = origin.snapshot(of: item)
        descendants.delete(descendants.items.filter { new.contains($0) || outline.contains($0) })
        outline.replace(childrenOf: item, using: descendants)
    }

    /// Returns the outline that an item was in.
    private func origin(of item: Item) -> SectionSnapshot<Item>? {
        if let section = old.sectionIdentifier(containingItem: item) { return outlines[section] }
        return outlines.values.first { $0.contains(item) }
    }
}

/// The end of an outline that is being built: the places where the next item can go.
private struct OpenPlace<Item: Hashable> {
    var outline = SectionSnapshot<Item>()
    /// The last item and its ancestors, each with its level.
    private(set) var levels: [Item: Int] = [:]
    private var path: [Item] = []

    mutating func add(_ item: Item, at level: Int) {
        while path.count > level { levels[path.removeLast()] = nil }
        outline.append([item], to: path.last)
        levels[item] = level
        path.append(item)
    }
}

extension Snapshot where Section == Int {
    /// A list of one section with these items.
    fileprivate init(listing items: [Item]) {
        self.init()
        appendSections([0])
        appendItems(items)
    }
}

extension SectionSnapshot {
    /// Returns true if anything is below `item`, visible or not. O(1).
    @usableFromInline
    func hasChildren(_ item: Item) -> Bool {
        place(of: item).map { nodes[$0].children.first >= 0 } ?? false
    }
}
