extension Comparison {
    /// Notes a new item, unless its section is new, too.
    mutating func insert(_ section: Int, _ row: Int) {
        if oldPlaces[section] >= 0 { changes.insertedItems.append(ItemPath(section: section, item: row)) }
    }

    /// Handles windows in which no old row is left.
    mutating func insertEverything() {
        for window in windows where window.oldSection >= 0 { changes.insert(window.new, in: window.newSection) }
    }

    /// Handles windows in which no new row is left.
    mutating func deleteEverything() {
        for window in windowsThatStay() { changes.delete(window.old, in: window.oldSection) }
    }

    /// Returns the windows of sections that are in both lists, by their old places.
    func windowsThatStay() -> ContiguousArray<Window> {
        if oldPlaces.places.isEmpty, changes.deletedSections.isEmpty { return windows }
        let stay = windows.filter { $0.oldSection >= 0 && $0.newSection >= 0 }
        return ContiguousArray(stay.sorted { ($0.oldSection, $0.old.lowerBound) < ($1.oldSection, $1.old.lowerBound) })
    }

    mutating func reserveInsertions(_ arrivals: ContiguousArray<Arrivals>) {
        var count = 0
        for some in arrivals { count += some.rows.count }
        changes.insertedItems.reserveCapacity(count)
    }

    /// Notes an item that comes from another section.
    mutating func move(_ found: Location, in old: List, to target: ItemPath) {
        let from = old.path(of: found)
        let window = window(with: from, old)
        noteFound(1, at: window.firstFate + from.item - window.old.lowerBound)
        changes.movedItems.append(ChangeSet.Step(from: from, to: target))
    }

    /// Returns the window of the old row at `path`, which must be in one. O(log windows of the section).
    mutating func window(with path: ItemPath, _ old: List) -> Window {
        if firstWindows.isEmpty { indexWindows(old) }
        let low = firstWindows[path.section]
        if low < 0 { unequalHashes(of: type.identifier) }
        var high = low + 1
        while high < windows.count, windows[high].oldSection == path.section {
            high = min(windows.count, high * 2 - low)
        }
        let place = lastPlace(in: low..<high) {
            windows[$0].oldSection == path.section && windows[$0].old.lowerBound <= path.item
        }
        if !windows[place].old.contains(path.item) { unequalHashes(of: type.identifier) }
        return windows[place]
    }

    mutating func noteFound(_ count: Int, at firstFate: Int) {
        if count == 1 { remains.insert(firstFate) } else { remains.insert(firstFate..<firstFate + count) }
        missing -= count
    }

    mutating func indexWindows(_ old: List) {
        firstWindows = ContiguousArray(repeating: -1, count: old.order.count)
        for (place, window) in windows.enumerated() where window.oldSection >= 0 {
            if firstWindows[window.oldSection] < 0 { firstWindows[window.oldSection] = place }
        }
    }

    mutating func sortByTarget() {
        let (inserted, moved) = (changes.insertedItems, changes.movedItems)
        if zip(inserted, inserted.dropFirst()).contains(where: { $1 < $0 }) { changes.insertedItems.sort() }
        if zip(moved, moved.dropFirst()).contains(where: { $1.to < $0.to }) {
            changes.movedItems.sort { $0.to < $1.to }
        }
    }

    /// Notes the old items that were not found again, unless their section is gone, too.
    mutating func collectDeletions() {
        changes.deletedItems.reserveCapacity(missing)
        for window in windowsThatStay() {
            let offset = window.firstFate - window.old.lowerBound
            remains.forEachAbsent(in: window.firstFate..<window.firstFate + window.old.count) { fate in
                changes.deletedItems.append(ItemPath(section: window.oldSection, item: fate - offset))
            }
        }
    }
}
