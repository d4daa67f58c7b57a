package import Diffable

extension ListView {
    package func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        let (changes, animated) = (update.changes, update.isAnimated)
        let old = snapshot
        let anchor = anchor(old)
        if animated { leaveGhosts(changes, old) }
        update.commit()
        let new = snapshot
        forget(changes, old, new)
        refresh(changes, new)
        if animated { mark(changes, new) }
        holdPlace(anchor, changes, old, new)
        completions.append(completion)
        if !isFading { finish() }
    }

    package func reloadData() {
        forgetCells()
        marks = [:]
        ghosts = [:]
        if let item = selection, !snapshot.contains(item) { selection = nil }
        if let item = lastSeen, !snapshot.contains(item) { lastSeen = nil }
        viewport.position = .end
        finish()
    }

    private func finish() {
        let finished = completions
        completions = []
        for completion in finished { completion() }
    }

    // MARK: - Stale cells

    /// Drops the cells of deleted rows, and of rows that now follow another row, because a cell may depend on the row
    /// before it.
    private func forget(_ changes: ChangeSet, _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>) {
        for path in changes.deletedItems {
            if let item = old.itemIdentifier(at: path) { forgetRow(item) }
            forgetFollower(of: path, old)
        }
        for step in changes.movedItems {
            forgetFollower(of: step.from, old)
            forgetFollower(of: step.to, new)
            if let item = new.itemIdentifier(at: step.to) { cells[item] = nil }
        }
        for path in changes.insertedItems { forgetFollower(of: path, new) }
        if !changes.deletedSections.isEmpty || !changes.insertedSections.isEmpty || !changes.reloadedSections.isEmpty {
            forgetCells()
            marks = marks.filter { new.contains($0.key) }
        }
        if let item = selection, !new.contains(item) { selection = survivor(of: item, old, new) }
    }

    private func forgetRow(_ item: Item) {
        cells[item] = nil
        marks[item] = nil
    }

    private func forgetFollower(of path: ItemPath, _ snapshot: Snapshot<Section, Item>) {
        let next = ItemPath(section: path.section, item: path.item + 1)
        if let item = snapshot.itemIdentifier(at: next) { cells[item] = nil }
    }

    /// Refreshes changed rows. A reloaded row is laid out again when it is next on the screen. A reconfigured row is
    /// filled in place and keeps its number of lines.
    private func refresh(_ changes: ChangeSet, _ new: Snapshot<Section, Item>) {
        for step in changes.reloadedItems {
            if let item = new.itemIdentifier(at: step.to) { cells[item] = nil }
        }
        for step in changes.reconfiguredItems {
            guard let source, let item = new.itemIdentifier(at: step.to), let old = cells[item] else { continue }
            cells[item] = fitted(source.cell(at: step.to).fitted(to: old.lines.count))
        }
    }

    // MARK: - Marks

    private func mark(_ changes: ChangeSet, _ new: Snapshot<Section, Item>) {
        for path in changes.insertedItems { mark(path, .inserted, new) }
        for step in changes.movedItems { mark(step.to, .moved, new) }
        for step in changes.reloadedItems { mark(step.to, .reloaded, new) }
    }

    private func mark(_ path: ItemPath, _ cause: RowMark.Cause, _ new: Snapshot<Section, Item>) {
        if let item = new.itemIdentifier(at: path) { marks[item] = RowMark(cause) }
    }

    /// Keeps the lines of each deleted row that is in the window, below the row before it.
    private func leaveGhosts(_ changes: ChangeSet, _ old: Snapshot<Section, Item>) {
        guard !changes.deletedItems.isEmpty else { return }
        let gone = Set(changes.deletedItems.compactMap { old.itemIdentifier(at: $0) })
        for slice in viewport.slices(of: blocks) {
            guard case .item(let item)? = old.block(at: slice.block), gone.contains(item), let cell = cells[item],
                let before = keeper(above: slice.block, old, gone)
            else { continue }
            let lines = cell.lines.prefix(1).map { Line($0.text, Style(.bad, [.italic])) }
            ghosts[before, default: []].append(RowGhost(lines: lines))
        }
    }

    private func keeper(above index: Int, _ old: Snapshot<Section, Item>, _ gone: Set<Item>) -> Block? {
        for index in (0..<index).reversed() {
            guard let block = old.block(at: index) else { return nil }
            if case .item(let item) = block, gone.contains(item) { continue }
            return block
        }
        return nil
    }

    package var isFading: Bool { !marks.isEmpty || !ghosts.isEmpty }

    /// Fades all marks by one step.
    package func fade() {
        marks = marks.compactMapValues { $0.faded() }
        for (block, some) in ghosts {
            let left = some.filter { $0.freshness > 0 }.map { RowGhost(lines: $0.lines, freshness: $0.freshness - 1) }
            ghosts[block] = left.isEmpty ? nil : left
        }
        if !isFading { finish() }
    }
}
