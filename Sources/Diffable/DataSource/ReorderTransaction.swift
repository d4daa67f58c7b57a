/// The effect on the list of dragging one row.
public struct ReorderTransaction<Section: Hashable, Item: Hashable> {
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

extension ReorderTransaction: Sendable where Section: Sendable, Item: Sendable {}

/// The effect of a reordering on one section.
public struct ReorderSectionTransaction<Section: Hashable, Item: Hashable> {
    /// The section.
    public var sectionIdentifier: Section
    /// The difference of the section's visible items.
    public var difference: CollectionDifference<Item>

    let initial: Shown<Section, Item>
    let final: Shown<Section, Item>

    /// The section's outline before; a flat one, made in O(items of the section), if it had none.
    public var initialSnapshot: SectionSnapshot<Item> { initial.outline(of: sectionIdentifier) }
    /// The section's outline after; a flat one, made in O(items of the section), if it has none.
    public var finalSnapshot: SectionSnapshot<Item> { final.outline(of: sectionIdentifier) }
}

extension ReorderSectionTransaction: Sendable where Section: Sendable, Item: Sendable {}

extension ReorderTransaction {
    /// - `item`: the one item that has another place in `final` than in `initial`, together with all visible below it.
    init(moving item: Item, from initial: Shown<Section, Item>, to final: Shown<Section, Item>) {
        let (old, new) = (initial.snapshot, final.snapshot)
        let items = [item] + initial.visibleDescendants(of: item)
        initialSnapshot = old
        finalSnapshot = new
        difference = .moving(items, from: old.indexOfItem(item), to: new.indexOfItem(item))
        let (from, to) = (old.path(of: item), new.path(of: item))
        sectionTransactions = Set([from?.section, to?.section].compactMap(\.self)).sorted().map { section in
            ReorderSectionTransaction(
                sectionIdentifier: old.sectionIdentifier(at: section)!,
                difference: .moving(
                    items, from: from?.section == section ? from?.item : nil,
                    to: to?.section == section ? to?.item : nil),
                initial: initial, final: final)
        }
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
