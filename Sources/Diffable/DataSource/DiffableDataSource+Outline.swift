extension DiffableDataSource {
    /// Shows the visible items of an outline in one section. A section that does not exist yet is appended.
    ///
    /// - `completion`: called once, when the change is no longer animating.
    /// - Complexity: O(items of the section), and that of ``Snapshot/difference(from:)``.
    @inlinable
    public func apply(
        _ outline: SectionSnapshot<Item>, to section: Section, animatingDifferences: Bool = true,
        completion: (() -> Void)? = nil
    ) {
        enqueue(
            Operation(
                style: animatingDifferences ? .animated : .immediate,
                change: { $0.show(outline, in: section) },
                completion: completion))
    }

    /// Shows the visible items of an outline in one section, and returns when the change is no longer animating.
    @inlinable
    public func apply(
        _ outline: SectionSnapshot<Item>, to section: Section, animatingDifferences: Bool = true,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await withCheckedContinuation { continuation in
            apply(outline, to: section, animatingDifferences: animatingDifferences) { continuation.resume() }
        }
    }

    /// Returns the outline of `section`, with folded items. For a section without an outline, all its items are on the
    /// outermost level. For a section that does not exist, the outline is empty.
    @inlinable
    public func snapshot(for section: Section) -> SectionSnapshot<Item> { list.shown.outline(of: section) }

    /// Unfolds `item` on behalf of the view's user, unless ``sectionSnapshotHandlers`` refuse. Does nothing for an
    /// item that is not shown, or is unfolded already. Changes that the handlers apply take effect first.
    ///
    /// - Errors: stops if the handlers supply an item that is elsewhere in the outline.
    @inlinable
    public func expandItem(
        _ item: Item, animatingDifferences: Bool = true, file: StaticString = #fileID, line: UInt = #line
    ) {
        guard list.shown.folded(item) != nil, sectionSnapshotHandlers.shouldExpandItem?(item) != false else { return }
        sectionSnapshotHandlers.willExpandItem?(item)
        guard let present = list.shown.folded(item)?.outline.snapshot(of: item) else { return }
        let children = sectionSnapshotHandlers.snapshotForExpandingParent?(item, present)
        enqueue(
            Operation(
                style: animatingDifferences ? .animated : .immediate,
                change: { $0.expand(item, children, CallSite(file, line)) },
                completion: nil))
    }

    /// Folds `item` on behalf of the view's user, unless ``sectionSnapshotHandlers`` refuse. Does nothing for an
    /// item that is not shown, or is folded already. Changes that the handlers apply take effect first.
    @inlinable
    public func collapseItem(_ item: Item, animatingDifferences: Bool = true) {
        guard list.shown.isExpanded(item), sectionSnapshotHandlers.shouldCollapseItem?(item) != false else { return }
        sectionSnapshotHandlers.willCollapseItem?(item)
        enqueue(
            Operation(
                style: animatingDifferences ? .animated : .immediate, change: { $0.collapse(item) }, completion: nil))
    }
}

extension Shown {
    /// Shows an outline in a section. O(visible items); O(1) if the section already shows a copy of that outline.
    @inlinable
    mutating func show(_ outline: SectionSnapshot<Item>, in section: Section) {
        if snapshot.indexOfSection(section) == nil {
            snapshot.appendSections([section])
        } else if let shown = outlines[section], shown.isQuicklyEqual(to: outline) {
            return
        }
        var next = snapshot
        next.replaceItems(inSection: section, with: outline.visibleItems)
        outlines[section] = nil
        show(next)
        outlines[section] = outline
    }

    /// Returns the section of an item that is shown and folded, with its outline. Items that came to be shown elsewhere
    /// while they were folded here are not in the outline: they stay where they are.
    @inlinable
    func folded(_ item: Item) -> (section: Section, outline: SectionSnapshot<Item>)? {
        guard let section = snapshot.sectionIdentifier(containingItem: item) else { return nil }
        var outline = outline(of: section)
        if outline.isExpanded(item) { return nil }
        outline.delete(outline.snapshot(of: item).items.filter(snapshot.contains))
        return (section, outline)
    }

    /// Unfolds an item that is shown and folded, with these children, or with its own.
    @inlinable
    mutating func expand(_ item: Item, _ children: SectionSnapshot<Item>?, _ caller: CallSite) {
        guard let (section, present) = folded(item) else { return }
        var outline = present
        if let children { outline.replace(childrenOf: item, using: children, file: caller.file, line: caller.line) }
        outline.expand([item])
        show(outline, in: section)
    }

    /// Returns true if an item is shown and unfolded.
    @inlinable
    func isExpanded(_ item: Item) -> Bool {
        guard let section = snapshot.sectionIdentifier(containingItem: item) else { return false }
        return outlines[section]?.isExpanded(item) == true
    }

    /// Folds an item that is shown and unfolded.
    @inlinable
    mutating func collapse(_ item: Item) {
        guard let section = snapshot.sectionIdentifier(containingItem: item), isExpanded(item) else { return }
        var outline = outline(of: section)
        outline.collapse([item])
        show(outline, in: section)
    }
}
