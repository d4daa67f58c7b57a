extension Snapshot {
    /// Returns the changes of ``difference(from:)`` in up to six stages, for views that cannot perform all of them at
    /// once.
    ///
    /// ```swift
    /// for stage in next.stagedDifference(from: shown) {
    ///     performBatchUpdates { carryOut(stage.changes) }
    /// }
    /// ```
    ///
    /// UIKit, for example, refuses some batches whose places are all right: an item that moves into a section that
    /// moves, too, or an item that moves and is reloaded. No stage has such a pair. Stages without changes are left
    /// out. Together the stages have exactly the moves of the change set.
    ///
    /// - Complexity: that of ``difference(from:)``, plus O(changes), and O(sections) if sections come, go or move. The
    ///   stages share all rows that do not change.
    @inlinable
    public func stagedDifference(from old: Snapshot) -> [ChangeStage<Section, Item>] {
        stages(of: difference(from: old), from: old)
    }

    /// Returns the stages of `changes`, which turn `old` into this snapshot.
    @inlinable
    func stages(of changes: ChangeSet, from old: Snapshot) -> [ChangeStage<Section, Item>] {
        // The most frequent change of more than one stage: items go and others come.
        if !changes.changesSections, !changes.refreshes, !changes.deletedItems.isEmpty,
            !(changes.movedItems.isEmpty && changes.insertedItems.isEmpty)
        {
            let deletions = changes.itemDeletions(from: old.starts.counts)
            var bare = self
            bare.removeMarks()
            return [
                ChangeStage(
                    purpose: .deleteItems, changes: deletions, snapshot: old.without(changes.deletedItems, deletions)),
                ChangeStage(purpose: .moveAndInsertItems, changes: changes.arrivals(), snapshot: bare),
            ]
        }
        return anyStages(of: changes, from: old)
    }

    /// Returns the list without marks and without the items at places that ascend.
    ///
    /// - `changes`: the same deletions.
    @inlinable
    func without(_ paths: [ItemPath], _ changes: ChangeSet) -> Snapshot {
        var copy = self
        copy.removeMarks()
        if paths.count < numberOfItems {
            copy.removeItems(at: paths)
            return copy
        }
        for token in order { copy.slots[token].rows = PageOrder() }
        (copy.pages, copy.index, copy.starts) = (Pages(), ItemIndex(), PrefixSums(changes.itemCounts))
        return copy
    }

    /// The same as ``stages(of:from:)``, for any changes.
    @usableFromInline
    func anyStages(of changes: ChangeSet, from old: Snapshot) -> [ChangeStage<Section, Item>] {
        if changes.isEmpty { return [] }
        var bare = self
        bare.removeMarks()
        if let purpose = ChangeStage<Section, Item>.Purpose(only: changes) {
            return [ChangeStage(purpose: purpose, changes: changes, snapshot: purpose == .refresh ? self : bare)]
        }
        let plan = StagePlan(changes, oldCounts: old.starts.counts)
        var stages: [ChangeStage<Section, Item>] = []
        var next = old
        next.removeMarks()
        if !plan.deletedItems.isEmpty {
            next = next.without(plan.deletedItems, plan.itemDeletions)
            stages.append(ChangeStage(purpose: .deleteItems, changes: plan.itemDeletions, snapshot: next))
        }
        if changes.changesSections {
            moveSections(changes, plan, from: next, adding: &stages)
        } else if !(plan.arrivals.insertedItems.isEmpty && plan.arrivals.movedItems.isEmpty) {
            stages.append(ChangeStage(purpose: .moveAndInsertItems, changes: plan.arrivals, snapshot: bare))
        }
        if changes.refreshes {
            stages.append(ChangeStage(purpose: .refresh, changes: changes.refreshesInPlace(), snapshot: self))
        }
        return stages
    }

    /// Adds the stages of changes of which some are of sections.
    ///
    /// - `next`: the old list without the items that go.
    private func moveSections(
        _ changes: ChangeSet, _ plan: StagePlan, from next: Snapshot, adding stages: inout [ChangeStage<Section, Item>]
    ) {
        var (next, bare) = (next, self)
        bare.removeMarks()
        let old = next.sectionIdentifiers
        let sections = plan.sections.map { place in
            switch place {
            case .old(let place): old[place]
            case .new(let place): name(order[place])
            }
        }
        if !changes.insertedSections.isEmpty {
            next = next.withSections(sections)
            stages.append(ChangeStage(purpose: .insertSections, changes: plan.sectionInsertions, snapshot: next))
        }
        if !(plan.arrivals.insertedItems.isEmpty && plan.arrivals.movedItems.isEmpty) {
            next = bare.withSections(sections)
            stages.append(ChangeStage(purpose: .moveAndInsertItems, changes: plan.arrivals, snapshot: next))
        }
        if !changes.deletedSections.isEmpty {
            next = changes.movedSections.isEmpty ? bare : next
            next.deleteSections(changes.deletedSections.map { old[$0] })
            stages.append(ChangeStage(purpose: .deleteSections, changes: plan.sectionDeletions, snapshot: next))
        }
        if !changes.movedSections.isEmpty {
            stages.append(ChangeStage(purpose: .moveSections, changes: plan.sectionMoves, snapshot: bare))
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

extension ChangeStage.Purpose {
    /// The purpose of changes that have only one. Sections that come or go may have items, which are not listed.
    fileprivate init?(only changes: ChangeSet) {
        guard changes.insertedSections.isEmpty, changes.deletedSections.isEmpty else { return nil }
        let deletes = !changes.deletedItems.isEmpty
        let moves = !(changes.movedItems.isEmpty && changes.insertedItems.isEmpty)
        let movesSections = !changes.movedSections.isEmpty
        switch (deletes, moves, movesSections, changes.refreshes) {
        case (true, false, false, false): self = .deleteItems
        case (false, true, false, false): self = .moveAndInsertItems
        case (false, false, true, false): self = .moveSections
        case (false, false, false, true): self = .refresh
        default: return nil
        }
    }
}

extension ChangeSet {
    /// Returns only the deletions of items, from a list whose sections have these counts and do not change.
    @usableFromInline
    func itemDeletions(from counts: [Int]) -> ChangeSet {
        var deletions = ChangeSet()
        deletions.deletedItems = deletedItems
        deletions.itemCounts = counts
        for path in deletedItems { deletions.itemCounts[path.section] -= 1 }
        return deletions
    }

    /// Returns only the moves and insertions of items, for a list without the deleted ones whose sections do not change.
    @usableFromInline
    func arrivals() -> ChangeSet {
        var arrivals = ChangeSet()
        arrivals.itemCounts = itemCounts
        arrivals.insertedItems = insertedItems
        arrivals.movedItems = movedItems
        for (i, step) in movedItems.enumerated() {
            arrivals.movedItems[i].from.item -= deletedItems.number(before: step.from)
        }
        return arrivals
    }

    /// Returns only the refreshes, for a list that already has its final order.
    fileprivate func refreshesInPlace() -> ChangeSet {
        var refreshes = ChangeSet()
        refreshes.itemCounts = itemCounts
        refreshes.reloadedSections = reloadedSections.map { Step(from: $0.to, to: $0.to) }
        refreshes.reloadedItems = reloadedItems.map { Step(from: $0.to, to: $0.to) }
        refreshes.reconfiguredItems = reconfiguredItems.map { Step(from: $0.to, to: $0.to) }
        return refreshes
    }
}

extension [ItemPath] {
    /// Returns how many of these paths, which ascend, are before `path` in its section. O(log paths).
    func number(before path: ItemPath) -> Int {
        first(notBefore: path) - first(notBefore: ItemPath(section: path.section, item: 0))
    }

    private func first(notBefore path: ItemPath) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < path { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
