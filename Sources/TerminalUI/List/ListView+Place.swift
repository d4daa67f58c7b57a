import Diffable

extension ListView {
    /// Returns the block at the top of the window; `nil` if the window is at the end.
    func anchorBlock(_ old: Snapshot<Section, Item>) -> Block? {
        guard case .top(let place) = viewport.position else { return nil }
        return old.block(at: place.block)
    }

    /// Keeps the window in place, by the block at its top or the next one that remains. A block that has moved is not
    /// followed.
    func holdPlace(
        _ anchor: Block?, _ changes: ChangeSet, _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>
    ) {
        if let item = lastSeen, !new.contains(item) { lastSeen = itemBefore(item, old, new) }
        guard let anchor, case .top(let place) = viewport.position else { return }
        let moved = Set(changes.movedItems.compactMap { new.itemIdentifier(at: $0.to) })
        if !isMoved(anchor, moved), let index = new.index(of: anchor) {
            viewport.position = .top(Viewport.Place(block: index, line: place.line))
            return
        }
        for index in place.block + 1..<max(place.block + 1, old.numberOfBlocks) {
            guard let block = old.block(at: index), !isMoved(block, moved), let index = new.index(of: block) else {
                continue
            }
            viewport.position = .top(Viewport.Place(block: index, line: 0))
            return
        }
        viewport.position = .end
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

    /// Whether the window is at the end and stays there when rows arrive.
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

    private var lastVisible: Item? {
        let snapshot = snapshot
        for slice in viewport.slices(of: blocks).reversed() {
            if case .item(let item)? = snapshot.block(at: slice.block) { return item }
        }
        return nil
    }
}
