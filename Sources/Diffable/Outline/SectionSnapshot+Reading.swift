extension SectionSnapshot {
    /// Every item, visible or not, depth first. O(*n*).
    @inlinable
    public var items: [Item] {
        var items: [Item] = []
        items.reserveCapacity(index.count)
        walk(under: -1) { items.append($1.item) }
        return items
    }

    /// The items on the outermost level. O(their number).
    @inlinable
    public var rootItems: [Item] {
        var items: [Item] = []
        walk(under: -1, descends: { _ in false }, { items.append($1.item) })
        return items
    }

    /// The items that a view shows: those whose ancestors are all unfolded, depth first. O(their number).
    @inlinable
    public var visibleItems: [Item] {
        var items: [Item] = []
        walk(under: -1, descends: { $0.isExpanded }, { items.append($1.item) })
        return items
    }

    /// The items that are unfolded, visible or not, depth first. O(*n*).
    @inlinable
    public var expandedItems: [Item] {
        var items: [Item] = []
        walk(under: -1) { if $1.isExpanded { items.append($1.item) } }
        return items
    }

    /// Returns true if `item` is in the outline, visible or not. O(1).
    @inlinable
    public func contains(_ item: Item) -> Bool { place(of: item) != nil }

    /// Returns the place of `item` in ``items``, or nil if it is not in the outline. O(*n*).
    @inlinable
    public func index(of item: Item) -> Int? {
        contains(item) ? items.firstIndex(of: item) : nil
    }

    /// Returns the number of ancestors of `item`: 0 on the outermost level. O(1). The item must be in the outline.
    @inlinable
    public func level(of item: Item, file: StaticString = #fileID, line: UInt = #line) -> Int {
        Int(nodes[known(item, "level(of:)", CallSite(file, line))].level)
    }

    /// The same as a function value, as in `map(outline.level(of:))`.
    @inlinable
    @_disfavoredOverload
    public func level(of item: Item) -> Int { Int(nodes[known(item, "level(of:)", CallSite())].level) }

    /// Returns the parent of `item`, or nil on the outermost level. O(1). The item must be in the outline.
    @inlinable
    public func parent(of item: Item, file: StaticString = #fileID, line: UInt = #line) -> Item? {
        let parent = nodes[known(item, "parent(of:)", CallSite(file, line))].parent
        return parent < 0 ? nil : nodes[parent].item
    }

    /// The same as a function value, as in `map(outline.parent(of:))`.
    @inlinable
    @_disfavoredOverload
    public func parent(of item: Item) -> Item? {
        let parent = nodes[known(item, "parent(of:)", CallSite())].parent
        return parent < 0 ? nil : nodes[parent].item
    }

    /// Returns true if `item` is unfolded, false if it is folded or not in the outline. O(1).
    @inlinable
    public func isExpanded(_ item: Item) -> Bool { place(of: item).map { nodes[$0].isExpanded } ?? false }

    /// Returns true if every ancestor of `item` is unfolded, false if it is not in the outline. O(level).
    @inlinable
    public func isVisible(_ item: Item) -> Bool {
        guard let place = place(of: item) else { return false }
        var ancestor = nodes[place].parent
        while ancestor >= 0 {
            if !nodes[ancestor].isExpanded { return false }
            ancestor = nodes[ancestor].parent
        }
        return true
    }

    /// Returns the descendants of `parent` as a separate outline with the same folding, and on request `parent` as its
    /// root.
    ///
    /// - Errors: stops at an unknown item.
    /// - Complexity: O(items returned).
    @inlinable
    public func snapshot(
        of parent: Item, includingParent: Bool = false, file: StaticString = #fileID, line: UInt = #line
    ) -> SectionSnapshot {
        let top = known(parent, "snapshot(of:includingParent:)", CallSite(file, line))
        var copy = SectionSnapshot()
        if includingParent {
            copy.append([parent])
            if nodes[top].isExpanded { copy.expand([parent]) }
        }
        copy.adopt(self, under: top, to: includingParent ? copy.roots.first : -1, before: -1, CallSite(file, line))
        return copy
    }

    /// One line for each item, indented by level: `*` visible, `+` unfolded, `-` folded.
    public func visualDescription() -> String {
        var lines: [String] = []
        walk(under: -1) { _, node in
            let indent = String(repeating: "    ", count: Int(node.level))
            lines.append("\(isVisible(node.item) ? "*" : " ") \(indent)\(node.isExpanded ? "+" : "-") \(node.item)")
        }
        return lines.joined(separator: "\n")
    }
}
