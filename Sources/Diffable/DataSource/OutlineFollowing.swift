/// Works out what becomes of outlines when rows of their sections come, go and move.
///
/// - Shape: the outline of a section lets exactly the rows be seen that the section has. A row that stays keeps its parent,
///   or the nearest ancestor that is still there. A row that moves keeps it where it can, and else comes, like a new one,
///   to the level of the next row that stays: no row that stays changes its parent for one that comes. What is folded
///   goes where its parent goes, and with it.
@usableFromInline
struct OutlineFollowing<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    /// What was shown, with its outlines.
    private let old: Snapshot<Section, Item>
    private let outlines: [Section: SectionSnapshot<Item>]
    /// What will be.
    private let new: Snapshot<Section, Item>

    @usableFromInline
    init(
        from old: Snapshot<Section, Item>, _ outlines: [Section: SectionSnapshot<Item>], to new: Snapshot<Section, Item>
    ) {
        self.old = old
        self.outlines = outlines
        self.new = new
    }

    /// The sections whose outlines change with those of `sections`: these, and where items with children go. O(items).
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

    /// The outline of a section, or nil if the section is no more.
    ///
    /// - `moved`: the rows that moved, if that is known: of two rows that changed places it decides which one adapts.
    /// - Complexity: O(items of the section · level), and that of a difference.
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

    /// For each row the next behind it that stays.
    private func following(_ items: [Item], _ moved: Set<Item>) -> [Item?] {
        var next: Item?
        var following: [Item?] = []
        for item in items.reversed() {
            following.append(next)
            if old.contains(item), !moved.contains(item) { next = item }
        }
        return following.reversed()
    }

    /// Those that a least difference moves or inserts.
    private func moved(_ items: [Item], in section: Section) -> Set<Item> {
        let before = old.indexOfSection(section) == nil ? [] : old.itemIdentifiers(inSection: section)
        let changes = Snapshot<Int, Item>(listing: items).difference(from: Snapshot(listing: before))
        return Set((changes.insertedItems + changes.movedItems.map(\.to)).map { items[$0.item] })
    }

    /// The level of the nearest place that an item may take below what was above it.
    private func level(of item: Item, at place: OpenPlace<Item>) -> Int {
        guard let origin = origin(of: item) else { return 0 }
        var ancestor = origin.parent(of: item)
        while let next = ancestor {
            if let level = place.levels[next], old.contains(next), origin.isExpanded(next) { return level + 1 }
            ancestor = origin.parent(of: next)
        }
        return 0
    }

    /// Gives an item the folding that it had, and its folded descendants, less those that are shown by themselves.
    private func unfold(_ item: Item, in outline: inout SectionSnapshot<Item>) {
        guard let origin = origin(of: item) else { return }
        if old.contains(item), origin.isExpanded(item) { return outline.expand([item]) }
        guard origin.hasChildren(item) else { return }
        var descendants = origin.snapshot(of: item)
        descendants.delete(descendants.items.filter { new.contains($0) || outline.contains($0) })
        outline.replace(childrenOf: item, using: descendants)
    }

    /// The outline that an item was in.
    private func origin(of item: Item) -> SectionSnapshot<Item>? {
        if let section = old.sectionIdentifier(containingItem: item) { return outlines[section] }
        return outlines.values.first { $0.contains(item) }
    }
}

/// The end of an outline that is being written: what the next item may be put below.
private struct OpenPlace<Item: Hashable & Sendable> {
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
    /// One section with these items.
    fileprivate init(listing items: [Item]) {
        self.init()
        appendSections([0])
        appendItems(items)
    }
}

extension SectionSnapshot {
    /// Whether anything is below `item`, visible or not. O(1).
    @usableFromInline
    func hasChildren(_ item: Item) -> Bool {
        place(of: item).map { nodes[Int($0)].children.first >= 0 } ?? false
    }
}
