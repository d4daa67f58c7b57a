extension SectionSnapshot {
    /// Appends items after the children of `parent`, or on the outermost level.
    ///
    /// - Errors: stops at an unknown parent, and at an item that exists already or is given twice.
    /// - Complexity: O(1) amortised each.
    @inlinable
    public mutating func append(
        _ items: [Item], to parent: Item? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        let top = parent.map { known($0, "append(_:to:)", caller) } ?? -1
        prepareToChange()
        if !nodes.isWhole, items.count * 4 >= nodes.count { flatten() }
        if nodes.count == 0 { nodes.base.reserveCapacity(items.count) }
        index.reserve(index.count + items.count)
        if items.isEmpty || !free.isEmpty || !nodes.isWhole {
            for item in items { add(item, to: top, before: -1, caller) }
        } else {
            appendChain(items, to: top, caller)
        }
    }

    /// Inserts items before `sibling`, on its level.
    ///
    /// - Errors: stops at an unknown sibling, and at an item that exists already or is given twice.
    /// - Complexity: O(1) amortised each.
    @inlinable
    public mutating func insert(
        _ items: [Item], before sibling: Item, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        let next = known(sibling, "the anchor of an insertion", caller)
        prepareToChange()
        for item in items { add(item, to: nodes[next].parent, before: next, caller) }
    }

    /// Inserts items after `sibling` and all its descendants, on its level.
    ///
    /// - Errors: stops at an unknown sibling, and at an item that exists already or is given twice.
    /// - Complexity: O(1) amortised each.
    @inlinable
    public mutating func insert(
        _ items: [Item], after sibling: Item, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        let anchor = known(sibling, "the anchor of an insertion", caller)
        prepareToChange()
        let (parent, next) = (nodes[anchor].parent, nodes[anchor].next)
        for item in items { add(item, to: parent, before: next, caller) }
    }

    /// Inserts a whole outline with its folding before `sibling`, on its level.
    ///
    /// - Errors: stops at an unknown sibling, and at an item that exists already.
    /// - Complexity: O(items inserted).
    @inlinable
    public mutating func insert(
        _ snapshot: SectionSnapshot, before sibling: Item, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        let next = known(sibling, "the anchor of an insertion", caller)
        prepareToChange()
        adopt(snapshot, under: -1, to: nodes[next].parent, before: next, caller)
    }

    /// Inserts a whole outline with its folding after `sibling` and all its descendants, on its level.
    ///
    /// - Errors: stops at an unknown sibling, and at an item that exists already.
    /// - Complexity: O(items inserted).
    @inlinable
    public mutating func insert(
        _ snapshot: SectionSnapshot, after sibling: Item, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        let anchor = known(sibling, "the anchor of an insertion", caller)
        prepareToChange()
        adopt(snapshot, under: -1, to: nodes[anchor].parent, before: nodes[anchor].next, caller)
    }

    /// Replaces all descendants of `parent` with an outline.
    ///
    /// - Errors: stops at an unknown parent, and at an item that is elsewhere in the outline already.
    /// - Complexity: O(items deleted + items inserted).
    @inlinable
    public mutating func replace(
        childrenOf parent: Item, using snapshot: SectionSnapshot, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        let top = known(parent, "replace(childrenOf:using:)", caller)
        prepareToChange()
        while nodes[top].children.first >= 0 { delete(at: nodes[top].children.first) }
        adopt(snapshot, under: -1, to: top, before: -1, caller)
    }

    /// Deletes items with all their descendants. Unknown items are ignored.
    ///
    /// - Complexity: O(items deleted).
    @inlinable
    public mutating func delete(_ items: [Item]) {
        prepareToChange()
        for item in items {
            if let place = place(of: item) { delete(at: place) }
        }
    }

    /// Deletes everything.
    @inlinable
    public mutating func deleteAll() {
        self = SectionSnapshot()
    }

    /// Unfolds items, with or without children. Unknown items are ignored. O(1) each.
    @inlinable
    public mutating func expand(_ items: [Item]) {
        prepareToChange()
        for item in items { if let place = place(of: item) { nodes[place].isExpanded = true } }
    }

    /// Folds items. Their descendants keep their own folding. Unknown items are ignored. O(1) each.
    @inlinable
    public mutating func collapse(_ items: [Item]) {
        prepareToChange()
        for item in items { if let place = place(of: item) { nodes[place].isExpanded = false } }
    }
}

extension SectionSnapshot {
    /// Appends nodes that are consecutive in `nodes`, too, so that only the first and the last have to be linked.
    @inlinable
    mutating func appendChain(_ items: [Item], to parent: Int32, _ caller: CallSite) {
        let (previous, first) = (siblings(under: parent).last, Int32(truncatingIfNeeded: nodes.count))
        let level = parent < 0 ? 0 : nodes[parent].level + 1
        let mask = index.mask
        // Taken out of the index meanwhile, because nodes are read and appended while it is written.
        var table: ContiguousArray<ItemIndex.Bucket> = []
        swap(&table, &index.base)
        var buckets = table.mutableSpan
        var place = first
        for item in items {
            var node = Node(item, hash: rowHash(item), parent: parent, level: level)
            var position = Int(node.hash) & mask
            while !buckets[position].isEmpty {
                let other = Int32(bitPattern: buckets[position].place.bits)
                if buckets[position].hash == node.hash, nodes[other].item == item {
                    misuse(Self.repeated(item), caller)
                }
                position = (position &+ 1) & mask
            }
            buckets[position] = ItemIndex.Bucket(hash: node.hash, place: ItemIndex.Place(bits: UInt32(place)))
            node.previous = place &- 1
            node.next = place &+ 1
            nodes.append(node)
            place &+= 1
        }
        swap(&table, &index.base)
        index.count += items.count
        link(previous, first, under: parent)
        link(place - 1, -1, under: parent)
        if owner == nil, nodes.count >= Self.most { owner = Owner() }
    }

    /// Brings the nodes and the index into one piece each.
    @inlinable
    mutating func flatten() {
        nodes.flatten()
        index = ItemIndex(index.flattened(for: index.count), count: index.count, isWhole: true)
        owner = Owner()
    }

    @inlinable
    static func repeated(_ item: Item) -> String { "Item \(item) is in the section snapshot already" }

    /// Adds a new item to the index, before its node exists.
    @inlinable
    @inline(__always)
    mutating func note(_ item: Item, _ hash: UInt32, at place: Int32, _ caller: CallSite) {
        if self.place(of: item, hash: hash) != nil { misuse(Self.repeated(item), caller) }
        index.insert(ItemIndex.Bucket(hash: hash, place: ItemIndex.Place(bits: UInt32(place))))
    }

    /// Adds a new item to the children of a node, or to the roots if it is -1; last if `next` is -1. O(1) amortised.
    @inlinable
    @discardableResult
    mutating func add(_ item: Item, to parent: Int32, before next: Int32, _ caller: CallSite) -> Int32 {
        let hash = rowHash(item)
        let node = Node(item, hash: hash, parent: parent, level: parent < 0 ? 0 : nodes[parent].level + 1)
        let place = free.popLast() ?? Int32(truncatingIfNeeded: nodes.count)
        note(item, hash, at: place, caller)
        if Int(place) == nodes.count { nodes.append(node) } else { nodes[place] = node }
        let previous = next < 0 ? siblings(under: parent).last : nodes[next].previous
        link(previous, place, under: parent)
        link(place, next, under: parent)
        return place
    }

    @inlinable
    func siblings(under parent: Int32) -> Siblings { parent < 0 ? roots : nodes[parent].children }

    /// Links two nodes as neighbours; -1 stands for the beginning or the end.
    @inlinable
    mutating func link(_ first: Int32, _ second: Int32, under parent: Int32) {
        if first >= 0 {
            nodes[first].next = second
        } else if parent < 0 {
            roots.first = second
        } else {
            nodes[parent].children.first = second
        }
        if second >= 0 {
            nodes[second].previous = first
        } else if parent < 0 {
            roots.last = first
        } else {
            nodes[parent].children.last = first
        }
    }

    /// Removes a node with all its descendants. O(their number).
    @inlinable
    mutating func delete(at place: Int32) {
        let node = nodes[place]
        link(node.previous, node.next, under: node.parent)
        var gone: ContiguousArray<Int32> = [place]
        walk(under: place) { place, _ in gone.append(place) }
        for place in gone {
            let isRight = { (found: ItemIndex.Place) in found.bits == UInt32(place) }
            if let position = index.position(of: nodes[place].hash, where: isRight) { index.remove(at: position) }
            nodes[place].held = nil
        }
        free += gone
    }

    /// Takes a node out of its siblings, with its descendants. It stays in the index.
    mutating func unlink(_ place: Int32) {
        let node = nodes[place]
        link(node.previous, node.next, under: node.parent)
    }

    /// Gives a node that was taken out a parent, or makes it a root if that is -1; last if `next` is -1. O(its
    /// descendants) if its level changes.
    mutating func relink(_ place: Int32, to parent: Int32, before next: Int32) {
        let previous = next < 0 ? siblings(under: parent).last : nodes[next].previous
        let difference = (parent < 0 ? 0 : nodes[parent].level + 1) - nodes[place].level
        nodes[place].parent = parent
        link(previous, place, under: parent)
        link(place, next, under: parent)
        if difference == 0 { return }
        var all: ContiguousArray<Int32> = [place]
        walk(under: place) { place, _ in all.append(place) }
        for place in all { nodes[place].level += difference }
    }

    /// Copies all that another outline has under one of its nodes, with its folding, and inserts it before `next`.
    @inlinable
    mutating func adopt(
        _ other: SectionSnapshot, under top: Int32, to parent: Int32, before next: Int32, _ caller: CallSite
    ) {
        var here: [Int32: Int32] = [top: parent]
        other.walk(under: top) { place, node in
            let isTop = node.parent == top
            let added = add(node.item, to: here[node.parent]!, before: isTop ? next : -1, caller)
            nodes[added].isExpanded = node.isExpanded
            here[place] = added
        }
    }
}
