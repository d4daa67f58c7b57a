extension Snapshot {
    /// Returns the changes of ``difference(from:)`` in up to six stages, for views that cannot perform all of them at
    /// once.
    ///
    /// UIKit, for example, refuses some batches whose places are all right: an item that moves into a section that
    /// moves, too, or an item that moves and is reloaded. No stage has such a pair. Stages without changes are left
    /// out. Together the stages have exactly the moves of the change set.
    ///
    /// - Complexity: that of ``difference(from:)``, plus O(sections). The stages share all rows that do not change.
    public func stagedDifference(from old: Snapshot) -> [ChangeStage<Section, Item>] {
        let changes = difference(from: old)
        if changes.isEmpty { return [] }
        let bare = withoutMarks()
        if let purpose = onlyPurpose(of: changes) {
            return [ChangeStage(purpose: purpose, changes: changes, snapshot: purpose == .refresh ? self : bare)]
        }
        var stages: [ChangeStage<Section, Item>] = []
        var shown = old.withoutMarks()

        func advance(_ purpose: ChangeStage<Section, Item>.Purpose, to next: Snapshot) {
            let step = next.difference(from: shown)
            if step.isEmpty { return }
            stages.append(ChangeStage(purpose: purpose, changes: step, snapshot: next))
            shown = next
        }

        var next = shown
        next.deleteItems(bare.missing(from: old, changes))
        advance(.deleteItems, to: next)
        bare.insertNewSections(changes, into: &next)
        advance(.insertSections, to: next)
        next = bare.withSections(next.sectionIdentifiers)
        advance(.moveAndInsertItems, to: next)
        next.deleteSections(changes.deletedSections.map { old.sectionIdentifiers[$0] })
        advance(.deleteSections, to: next)
        advance(.moveSections, to: bare)
        if changes.refreshes {
            stages.append(ChangeStage(purpose: .refresh, changes: changes.refreshesInPlace(), snapshot: self))
        }
        return stages
    }
}

extension Snapshot {
    private func withoutMarks() -> Snapshot {
        var copy = self
        copy.removeMarks()
        return copy
    }

    /// Returns the purpose of changes that have only one. Sections that come or go may have items, which are not listed.
    private func onlyPurpose(of changes: ChangeSet) -> ChangeStage<Section, Item>.Purpose? {
        guard changes.insertedSections.isEmpty, changes.deletedSections.isEmpty else { return nil }
        var purposes: [ChangeStage<Section, Item>.Purpose] = []
        if !changes.deletedItems.isEmpty { purposes.append(.deleteItems) }
        if !(changes.movedItems.isEmpty && changes.insertedItems.isEmpty) { purposes.append(.moveAndInsertItems) }
        if !changes.movedSections.isEmpty { purposes.append(.moveSections) }
        if changes.refreshes { purposes.append(.refresh) }
        return purposes.count == 1 ? purposes[0] : nil
    }

    /// Returns the items of `old` that are not in this snapshot. O(items deleted, and items of deleted sections).
    private func missing(from old: Snapshot, _ changes: ChangeSet) -> [Item] {
        let gone = changes.deletedSections.flatMap { old.items(of: old.order[$0]) }
        return changes.deletedItems.map { old.itemIdentifier(at: $0)! } + gone.filter { !contains($0) }
    }

    /// Puts each new section after the nearest section before it that does not move. So the new section need not move.
    private func insertNewSections(_ changes: ChangeSet, into next: inout Snapshot) {
        let moved = Set(changes.movedSections.map(\.to))
        let inserted = Set(changes.insertedSections)
        var anchor: Section?
        for (place, section) in sectionIdentifiers.enumerated() where !moved.contains(place) {
            if inserted.contains(place) {
                if let anchor {
                    next.insertSections([section], afterSection: anchor)
                } else if let first = next.sectionIdentifier(at: 0) {
                    next.insertSections([section], beforeSection: first)
                } else {
                    next.appendSections([section])
                }
            }
            anchor = section
        }
    }

    /// Returns the same rows in sections of another order. It has all of this list; those that are new are empty.
    private func withSections(_ sections: [Section]) -> Snapshot {
        var copy = self
        copy.appendSections(sections.filter { token(of: $0) == nil })
        copy.order = ContiguousArray(sections.map { copy.token(of: $0)! })
        copy.renumber()
        return copy
    }
}

extension ChangeSet {
    /// Returns only the refreshes, for a list that already has its final order.
    func refreshesInPlace() -> ChangeSet {
        var refreshes = ChangeSet()
        refreshes.itemCounts = itemCounts
        refreshes.reloadedSections = reloadedSections.map { Step(from: $0.to, to: $0.to) }
        refreshes.reloadedItems = reloadedItems.map { Step(from: $0.to, to: $0.to) }
        refreshes.reconfiguredItems = reconfiguredItems.map { Step(from: $0.to, to: $0.to) }
        return refreshes
    }
}
