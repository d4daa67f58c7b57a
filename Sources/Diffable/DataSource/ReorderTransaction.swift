/// The effect on the list of dragging one row.
public struct ReorderTransaction<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    /// The list before.
    public var initialSnapshot: Snapshot<Section, Item>
    /// The list after.
    public var finalSnapshot: Snapshot<Section, Item>
    /// One removal and one insertion of the item, and of each visible row below it in an outline. Places count in the
    /// whole list, so it can be applied to your own store.
    public var difference: CollectionDifference<Item>
    /// A transaction for each section that lost, gained or reordered the row, in the order of the sections.
    public var sectionTransactions: [ReorderSectionTransaction<Section, Item>]
}

/// The effect of a reordering on one section.
public struct ReorderSectionTransaction<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    /// The section.
    public var sectionIdentifier: Section
    /// The section's outline before; a flat one if it had none.
    public var initialSnapshot: SectionSnapshot<Item>
    /// The section's outline after.
    public var finalSnapshot: SectionSnapshot<Item>
    /// The difference of the section's visible items.
    public var difference: CollectionDifference<Item>
}

extension ReorderTransaction {
    /// - `item`: the one item that has another place in `final` than in `initial`, together with all visible below it.
    init(moving item: Item, from initial: Shown<Section, Item>, to final: Shown<Section, Item>) {
        let (old, new) = (initial.snapshot, final.snapshot)
        let items = [item] + initial.visibleDescendants(of: item)
        initialSnapshot = old
        finalSnapshot = new
        difference = .moving(items, from: old.indexOfItem(item), to: new.indexOfItem(item))
        sectionTransactions = old.sectionIdentifiers.compactMap { section in
            let (from, to) = (old.row(of: item, in: section), new.row(of: item, in: section))
            if from == nil, to == nil { return nil }
            return ReorderSectionTransaction(
                sectionIdentifier: section, initialSnapshot: initial.outline(of: section),
                finalSnapshot: final.outline(of: section), difference: .moving(items, from: from, to: to))
        }
    }
}

extension Snapshot {
    fileprivate func row(of item: Item, in section: Section) -> Int? {
        path(of: item).flatMap { $0.section == indexOfSection(section) ? $0.item : nil }
    }
}

extension CollectionDifference {
    /// The removal of consecutive elements, their insertion, or both as a move.
    fileprivate static func moving(_ elements: [ChangeElement], from: Int?, to: Int?) -> CollectionDifference {
        if from == to { return CollectionDifference([])! }
        let changes = elements.enumerated().flatMap { offset, element in
            let (start, end) = (from.map { $0 + offset }, to.map { $0 + offset })
            return [
                start.map { Change.remove(offset: $0, element: element, associatedWith: end) },
                end.map { Change.insert(offset: $0, element: element, associatedWith: start) },
            ].compactMap(\.self)
        }
        // Each removal and its insertion refer to each other, so the initialiser cannot refuse them.
        return CollectionDifference(changes)!
    }
}
