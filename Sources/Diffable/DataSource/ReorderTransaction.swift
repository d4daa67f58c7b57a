/// What somebody's dragging of one row did to the list.
public struct ReorderTransaction<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    public var initialSnapshot: Snapshot<Section, Item>
    public var finalSnapshot: Snapshot<Section, Item>
    /// One removal and one insertion of the same item, in places of the whole list: apply it to one's own store.
    public var difference: CollectionDifference<Item>
    /// One for each section that lost or gained the row, or saw it change its place, in the order of the sections.
    public var sectionTransactions: [ReorderSectionTransaction<Section, Item>]
}

/// What a reordering did to one section.
public struct ReorderSectionTransaction<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    public var sectionIdentifier: Section
    public var initialSnapshot: SectionSnapshot<Item>
    public var finalSnapshot: SectionSnapshot<Item>
    /// In places of the section.
    public var difference: CollectionDifference<Item>
}

extension ReorderTransaction {
    /// - `item`: the one item that stands elsewhere in `final` than in `initial`.
    init(moving item: Item, from initial: Snapshot<Section, Item>, to final: Snapshot<Section, Item>) {
        initialSnapshot = initial
        finalSnapshot = final
        difference = .moving(item, from: initial.indexOfItem(item), to: final.indexOfItem(item))
        sectionTransactions = initial.sectionIdentifiers.compactMap { section in
            let (from, to) = (initial.row(of: item, in: section), final.row(of: item, in: section))
            if from == nil, to == nil { return nil }
            return ReorderSectionTransaction(
                sectionIdentifier: section, initialSnapshot: initial.outline(of: section),
                finalSnapshot: final.outline(of: section), difference: .moving(item, from: from, to: to))
        }
    }
}

extension Snapshot {
    fileprivate func row(of item: Item, in section: Section) -> Int? {
        path(of: item).flatMap { $0.section == indexOfSection(section) ? $0.item : nil }
    }

    fileprivate func outline(of section: Section) -> SectionSnapshot<Item> {
        var outline = SectionSnapshot<Item>()
        outline.append(itemIdentifiers(inSection: section))
        return outline
    }
}

extension CollectionDifference {
    /// The removal of one element, its insertion, or both as a move.
    fileprivate static func moving(_ element: ChangeElement, from: Int?, to: Int?) -> CollectionDifference {
        if from == to { return CollectionDifference([])! }
        var changes: [Change] = []
        if let from { changes.append(.remove(offset: from, element: element, associatedWith: to)) }
        if let to { changes.append(.insert(offset: to, element: element, associatedWith: from)) }
        // One removal and one insertion at most, each other's associate: nothing that the initialiser could refuse.
        return CollectionDifference(changes)!
    }
}
