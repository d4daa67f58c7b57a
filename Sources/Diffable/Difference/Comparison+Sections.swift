extension Comparison {
    /// Finds where each new section was, and from that the changes of sections.
    @inlinable
    mutating func matchSections() {
        if sectionsAreEqual() { return }
        oldPlaces = ContiguousArray(
            new.order.map { token in old.indexOfSection(new.slots[token].identifier) ?? -1 })
        var stays = ContiguousArray(repeating: false, count: old.order.count)
        var runs: ContiguousArray<Run> = []
        for (place, oldPlace) in oldPlaces.enumerated() {
            if oldPlace < 0 {
                changes.insertedSections.append(place)
            } else {
                stays[oldPlace] = true
                runs.append(Run(old: oldPlace, new: place, count: 1))
            }
        }
        for place in stays.indices where !stays[place] { changes.deletedSections.append(place) }
        for run in LongestIncreasing.moved(runs) {
            changes.movedSections.append(ChangeSet.Step(from: Int(run.old), to: Int(run.new)))
        }
    }

    @inlinable
    func sectionsAreEqual() -> Bool {
        guard old.order.count == new.order.count else { return false }
        for place in old.order.indices {
            let (a, b) = (old.order[place], new.order[place])
            if old.slots[a].identifier != new.slots[b].identifier { return false }
        }
        return true
    }

    /// Cuts off what is equal at both ends of each section and keeps the rest.
    @inlinable
    mutating func openWindows() {
        for place in new.order.indices {
            let oldPlace = oldPlace(of: place)
            let rows = newRows(place)
            if oldPlace < 0 {
                open(Window(oldSection: -1, newSection: place, old: 0..<0, new: 0..<rows.count))
                continue
            }
            let before = oldRows(oldPlace)
            if before.isIdentical(to: rows) { continue }
            let start = commonPrefix(before.items, rows.items)
            let rest = min(before.count, rows.count) - start
            let end = commonSuffix(before.items, rows.items, limit: rest)
            open(
                Window(
                    oldSection: oldPlace, newSection: place,
                    old: start..<before.count - end, new: start..<rows.count - end))
        }
        for place in changes.deletedSections {
            open(Window(oldSection: place, newSection: -1, old: 0..<oldRows(place).count, new: 0..<0))
        }
    }

    @inlinable
    mutating func open(_ window: Window) {
        if window.old.isEmpty, window.new.isEmpty { return }
        var window = window
        window.firstFate = missing
        missing += window.old.count
        arriving += window.new.count
        windows.append(window)
    }
}
