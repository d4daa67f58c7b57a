extension DiffableDataSource {
    /// Brings one section to show the visible items of an outline. A section that is not there yet is appended.
    ///
    /// - `completion`: called once, when there is nothing more to see of the change.
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

    /// Brings one section to show the visible items of an outline and returns when there is nothing more to see of it.
    @inlinable
    public func apply(
        _ outline: SectionSnapshot<Item>, to section: Section, animatingDifferences: Bool = true,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await withCheckedContinuation { continuation in
            apply(outline, to: section, animatingDifferences: animatingDifferences) { continuation.resume() }
        }
    }

    /// The outline that `section` shows, folded items included; for a section that was given without one its items, all on
    /// the outermost level; empty for a section that is not there.
    @inlinable
    public func snapshot(for section: Section) -> SectionSnapshot<Item> { list.shown.outline(of: section) }

    /// Unfolds `item` because somebody asked for it at the view, unless ``sectionSnapshotHandlers`` say no. An item that is
    /// not shown, or unfolded already, is left alone.
    @inlinable
    public func expandItem(_ item: Item, animatingDifferences: Bool = true) {
        guard let section = snapshot().sectionIdentifier(containingItem: item) else { return }
        var outline = snapshot(for: section)
        if outline.isExpanded(item) || sectionSnapshotHandlers.shouldExpandItem?(item) == false { return }
        sectionSnapshotHandlers.willExpandItem?(item)
        // What has come to be shown elsewhere while it was folded here stays there.
        outline.delete(outline.snapshot(of: item).items.filter(snapshot().contains))
        if let children = sectionSnapshotHandlers.snapshotForExpandingParent?(item, outline.snapshot(of: item)) {
            outline.replace(childrenOf: item, using: children)
        }
        outline.expand([item])
        apply(outline, to: section, animatingDifferences: animatingDifferences)
    }

    /// Folds `item` because somebody asked for it at the view, unless ``sectionSnapshotHandlers`` say no. An item that is not
    /// shown, or folded already, is left alone.
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
    /// Shows an outline in a section. O(visible items), and nothing of it if the section shows that outline already.
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
