extension SectionSnapshot {
    /// Appends items behind the children of `parent`, or on the outermost level.
    ///
    /// - Errors: stops at an unknown parent, and at an item that is there already or given twice.
    /// - Complexity: O(1) amortised each.
    public mutating func append(_ items: [Item], to parent: Item? = nil) {
        let level = parent.map { node($0, "append(_:to:)").level + 1 } ?? 0
        for item in items { add(item, Node(parent: parent, level: level)) }
        withChildren(of: parent) { $0 += items }
    }

    /// Inserts items in front of `sibling`, on its level.
    ///
    /// - Errors: stops at an unknown sibling, and at an item that is there already or given twice.
    /// - Complexity: O(children of the parent).
    public mutating func insert(_ items: [Item], before sibling: Item) {
        insert(items, beside: sibling, offset: 0)
    }

    /// Inserts items behind `sibling` and all its descendants, on its level.
    ///
    /// - Errors: stops at an unknown sibling, and at an item that is there already or given twice.
    /// - Complexity: O(children of the parent).
    public mutating func insert(_ items: [Item], after sibling: Item) {
        insert(items, beside: sibling, offset: 1)
    }

    /// Inserts a whole outline, folded as it is, in front of `sibling`, on its level.
    ///
    /// - Errors: stops at an unknown sibling, and at an item that is there already.
    /// - Complexity: O(items inserted + children of the parent).
    public mutating func insert(_ snapshot: SectionSnapshot, before sibling: Item) {
        insert(snapshot, beside: sibling, offset: 0)
    }

    /// Inserts a whole outline, folded as it is, behind `sibling` and all its descendants, on its level.
    ///
    /// - Errors: stops at an unknown sibling, and at an item that is there already.
    /// - Complexity: O(items inserted + children of the parent).
    public mutating func insert(_ snapshot: SectionSnapshot, after sibling: Item) {
        insert(snapshot, beside: sibling, offset: 1)
    }

    /// Puts an outline in the place of all descendants of `parent`.
    ///
    /// - Errors: stops at an unknown parent, and at an item that stands elsewhere already.
    /// - Complexity: O(items deleted + items inserted).
    public mutating func replace(childrenOf parent: Item, using snapshot: SectionSnapshot) {
        delete(node(parent, "replace(childrenOf:using:)").children)
        adopt(snapshot, under: parent, at: 0)
    }

    /// Deletes items with all their descendants. Items that are not there are ignored.
    ///
    /// - Complexity: O(items deleted + children of their parents).
    public mutating func delete(_ items: [Item]) {
        var gone: Set<Item> = []
        var parents: Set<Item?> = []
        for item in items where !gone.contains(item) {
            guard let node = nodes[item] else { continue }
            parents.insert(node.parent)
            walk([item]) { item, _ in gone.insert(item) }
        }
        for parent in parents { withChildren(of: parent) { $0.removeAll(where: gone.contains) } }
        for item in gone { nodes[item] = nil }
    }

    /// Deletes everything.
    public mutating func deleteAll() {
        self = SectionSnapshot()
    }

    /// Unfolds items, with or without children. Items that are not there are ignored. O(1) each.
    public mutating func expand(_ items: [Item]) {
        for item in items { nodes[item]?.isExpanded = true }
    }

    /// Folds items. Their descendants keep their own folding. Items that are not there are ignored. O(1) each.
    public mutating func collapse(_ items: [Item]) {
        for item in items { nodes[item]?.isExpanded = false }
    }
}

extension SectionSnapshot {
    private mutating func add(_ item: Item, _ node: Node) {
        if nodes.updateValue(node, forKey: item) != nil { misuse("Item \(item) is in the section snapshot already") }
    }

    private mutating func insert(_ items: [Item], beside sibling: Item, offset: Int) {
        let (parent, level) = (node(sibling, "the anchor of an insertion").parent, level(of: sibling))
        for item in items { add(item, Node(parent: parent, level: level)) }
        let place = children(of: parent).firstIndex(of: sibling)! + offset
        withChildren(of: parent) { $0.insert(contentsOf: items, at: place) }
    }

    private mutating func insert(_ snapshot: SectionSnapshot, beside sibling: Item, offset: Int) {
        let parent = node(sibling, "the anchor of an insertion").parent
        adopt(snapshot, under: parent, at: children(of: parent).firstIndex(of: sibling)! + offset)
    }

    /// Takes in another outline among the children of `parent`.
    private mutating func adopt(_ snapshot: SectionSnapshot, under parent: Item?, at place: Int) {
        let gained = parent.map { level(of: $0) + 1 } ?? 0
        for (item, node) in snapshot.nodes {
            var node = node
            node.level += gained
            node.parent = node.parent ?? parent
            add(item, node)
        }
        withChildren(of: parent) { $0.insert(contentsOf: snapshot.roots, at: place) }
    }
}
