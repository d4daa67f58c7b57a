extension SectionSnapshot {
    /// Every item, visible or not, depth first. O(*n*).
    public var items: [Item] {
        var items: [Item] = []
        items.reserveCapacity(nodes.count)
        walk(roots) { item, _ in items.append(item) }
        return items
    }

    /// The items on the outermost level. O(1).
    public var rootItems: [Item] { roots }

    /// The items whose ancestors are all unfolded, depth first: what a view shows. O(their number).
    public var visibleItems: [Item] {
        var items: [Item] = []
        walk(roots, descends: \.isExpanded) { item, _ in items.append(item) }
        return items
    }

    /// The items that are unfolded, visible or not, depth first. O(*n*).
    public var expandedItems: [Item] {
        var items: [Item] = []
        walk(roots) { item, node in if node.isExpanded { items.append(item) } }
        return items
    }

    /// Whether `item` is there, visible or not. O(1).
    public func contains(_ item: Item) -> Bool { nodes[item] != nil }

    /// The place of `item` in ``items``, or nil if it is not there. O(*n*).
    public func index(of item: Item) -> Int? {
        contains(item) ? items.firstIndex(of: item) : nil
    }

    /// How many ancestors `item` has: 0 on the outermost level. O(1). The item must be there.
    public func level(of item: Item) -> Int { node(item, "level(of:)").level }

    /// The item whose child `item` is, or nil on the outermost level. O(1). The item must be there.
    public func parent(of item: Item) -> Item? { node(item, "parent(of:)").parent }

    /// Whether `item` is unfolded; false if it is not there. O(1).
    public func isExpanded(_ item: Item) -> Bool { nodes[item]?.isExpanded ?? false }

    /// Whether every ancestor of `item` is unfolded; false if it is not there. O(level).
    public func isVisible(_ item: Item) -> Bool {
        guard let node = nodes[item] else { return false }
        var ancestor = node.parent
        while let next = ancestor {
            guard let node = nodes[next], node.isExpanded else { return false }
            ancestor = node.parent
        }
        return true
    }

    /// The descendants of `parent` as an outline of their own, folded as they are here; with `parent` at its root if asked.
    ///
    /// - Errors: stops at an item that is not there.
    /// - Complexity: O(the answer).
    public func snapshot(of parent: Item, includingParent: Bool = false) -> SectionSnapshot {
        let top = node(parent, "snapshot(of:includingParent:)")
        let lost = includingParent ? top.level : top.level + 1
        var copy = SectionSnapshot()
        copy.roots = includingParent ? [parent] : top.children
        walk(copy.roots) { item, node in
            var node = node
            node.level -= lost
            copy.nodes[item] = node
        }
        for root in copy.roots { copy.nodes[root]?.parent = nil }
        return copy
    }

    /// One line per item, indented by level: `*` visible, `+` unfolded, `-` folded.
    public func visualDescription() -> String {
        var lines: [String] = []
        walk(roots) { item, node in
            let indent = String(repeating: "    ", count: node.level)
            lines.append("\(isVisible(item) ? "*" : " ") \(indent)\(node.isExpanded ? "+" : "-") \(item)")
        }
        return lines.joined(separator: "\n")
    }
}
