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

    /// Unfolds `item` on behalf of somebody at the view, unless ``sectionSnapshotHandlers`` refuse. Does nothing for an
    /// item that is not shown, or is unfolded already.
    ///
    /// - Errors: stops if the handlers supply an item that is elsewhere in the outline.
    @inlinable
    public func expandItem(
        _ item: Item, animatingDifferences: Bool = true, file: StaticString = #fileID, line: UInt = #line
    ) {
        guard let section = snapshot().sectionIdentifier(containingItem: item) else { return }
        var outline = snapshot(for: section)
        if outline.isExpanded(item) || sectionSnapshotHandlers.shouldExpandItem?(item) == false { return }
        sectionSnapshotHandlers.willExpandItem?(item)
        // Items that came to be shown elsewhere while they were folded here stay there.
        outline.delete(outline.snapshot(of: item).items.filter(snapshot().contains))
        if let children = sectionSnapshotHandlers.snapshotForExpandingParent?(item, outline.snapshot(of: item)) {
            outline.replace(childrenOf: item, using: children, file: file, line: line)
        }
        outline.expand([item])
        apply(outline, to: section, animatingDifferences: animatingDifferences)
    }

    /// Folds `item` on behalf of somebody at the view, unless ``sectionSnapshotHandlers`` refuse. Does nothing for an
    /// item that is not shown, or is folded already.
    @inlinable
    public func collapseItem(_ item: Item, animatingDifferences: Bool = true) {
        guard let section = snapshot().sectionIdentifier(containingItem: item) else { return }
        var outline = snapshot(for: section)
        if !outline.isExpanded(item) || sectionSnapshotHandlers.shouldCollapseItem?(item) == false { return }
        sectionSnapshotHandlers.willCollapseItem?(item)
        outline.collapse([item])
        apply(outline, to: section, animatingDifferences: animatingDifferences)
    }
}

extension Shown {
    /// Shows an outline in a section. O(visible items); O(1) if the section already shows that outline.
    @inlinable
    mutating func show(_ outline: SectionSnapshot<Item>, in section: Section) {
        if snapshot.indexOfSection(section) == nil {
            snapshot.appendSections([section])
        } else if outlines[section] == outline {
            return
        }
        var next = snapshot
        next.replaceItems(inSection: section, with: outline.visibleItems)
        outlines[section] = nil
        show(next)
        outlines[section] = outline
    }
}
