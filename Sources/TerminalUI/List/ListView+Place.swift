import Diffable

extension ListView {
    /// A block that keeps its place in the window.
    struct Anchor {
        let index: Int
        /// The line of the window at which the block begins; negative if it begins above.
        let line: Int
    }

    /// Returns the block at the top of the window, or the one below ``heldBelow``; `nil` if the window is at the end.
    func anchor(_ old: Snapshot<Section, Item>) -> Anchor? {
        guard case .top(let place) = viewport.position else { return nil }
        let top = Anchor(index: place.block, line: -place.line)
        guard let heldBelow, let held = old.index(of: .item(heldBelow)) else { return top }
        var line = 0
        var isBelow = false
        for slice in viewport.slices(of: blocks) {
            if isBelow, case .item? = old.block(at: slice.block) { return Anchor(index: slice.block, line: line) }
            if slice.block == held { isBelow = true }
            line += slice.lines.count
        }
        return top
    }

    /// Keeps the window in place, by its anchor or the next block that remains. A block that has moved is not followed.
    func holdPlace(
        _ anchor: Anchor?, _ changes: ChangeSet, _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>
    ) {
        if let item = lastSeen, !new.contains(item) { lastSeen = itemBefore(item, old, new) }
        guard let anchor, case .top = viewport.position else { return }
        let moved = Set(changes.movedItems.compactMap { new.itemIdentifier(at: $0.to) })
        for index in anchor.index..<max(anchor.index, old.numberOfBlocks) {
            guard let block = old.block(at: index), !isMoved(block, moved), let place = new.index(of: block) else {
                continue
            }
            // If the anchor began above the window, the block that took its place begins at the window's top.
            return hold(place, at: index == anchor.index ? anchor.line : max(0, anchor.line))
        }
        viewport.position = .end
    }

    private func hold(_ block: Int, at line: Int) {
        viewport.position = .top(Viewport.Place(block: block, line: max(0, -line)))
        if line > 0 { viewport.scroll(by: -line, of: blocks) }
    }

    private func isMoved(_ block: Block, _ moved: Set<Item>) -> Bool {
        if case .item(let item) = block { moved.contains(item) } else { false }
    }

    /// Returns the row that takes the place of a deleted one: the next, or else the one before.
    func survivor(of item: Item, _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>) -> Item? {
        guard let index = old.index(of: .item(item)) else { return nil }
        for index in index + 1..<max(index + 1, old.numberOfBlocks) {
            if case .item(let next)? = old.block(at: index), new.contains(next) { return next }
        }
        return itemBefore(item, old, new)
    }

    private func itemBefore(_ item: Item, _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>) -> Item? {
        guard let index = old.index(of: .item(item)) else { return nil }
        for index in (0..<index).reversed() {
            if case .item(let before)? = old.block(at: index), new.contains(before) { return before }
        }
        return nil
    }

    // MARK: - Scrolling

    /// True when the window is at the end and stays there when rows arrive.
    package var isFollowing: Bool { viewport.position == .end }

    /// The number of rows and headers above the window.
    package var blocksAbove: Int { viewport.top(of: blocks).block }

    /// Moves the window, upwards for a negative number.
    package func scroll(by lines: Int) {
        viewport.scroll(by: lines, of: blocks)
    }

    package func scrollToEnd() {
        viewport.position = .end
    }

    package func scrollToTop() {
        viewport.position = .top(Viewport.Place(block: 0, line: 0))
    }

    /// The number of rows after the last one that has been in the window.
    package var unseen: Int {
        guard !isFollowing, let last = lastSeen, let index = snapshot.indexOfItem(last) else { return 0 }
        return snapshot.numberOfItems - 1 - index
    }

    // MARK: - Selection

    package enum Direction: Sendable {
        case up
        case down
    }

    /// Selects the next row; the last one in the window if none was selected.
    ///
    /// - Returns: `false` if there is none.
    package func select(next direction: Direction) -> Bool {
        guard let item = selection, let index = snapshot.index(of: .item(item)) else { return select(lastVisible) }
        let count = snapshot.numberOfBlocks
        let indices = direction == .up ? Array((0..<index).reversed().prefix(3)) : Array((index + 1..<count).prefix(3))
        for index in indices {
            if case .item(let next)? = snapshot.block(at: index) { return select(next) }
        }
        return false
    }

    /// Selects a row and brings it into the window; `nil` selects none.
    @discardableResult
    package func select(_ item: Item?) -> Bool {
        selection = item
        guard let item, let index = snapshot.index(of: .item(item)) else { return false }
        viewport.reveal(index, of: blocks)
        return true
    }

    /// Selects a row and brings it to the middle of the window, unless the window shows all of it.
    package func show(_ item: Item) {
        selection = item
        guard let index = snapshot.index(of: .item(item)) else { return }
        viewport.center(index, of: blocks)
    }

    private var lastVisible: Item? { visibleItems.last }

    /// The rows in the window, from its top.
    package var visibleItems: [Item] {
        let snapshot = snapshot
        return viewport.slices(of: blocks).compactMap { slice in
            if case .item(let item)? = snapshot.block(at: slice.block) { item } else { nil }
        }
    }
}
