extension Comparison {
    /// Cuts off what is equal at both ends of each section and keeps the rest.
    @inlinable
    mutating func openWindows(_ old: List, _ new: List) {
        for place in new.order.indices {
            let oldPlace = oldPlaces[place]
            if oldPlace >= 0, old.shares(oldPlace, with: new, place) { continue }
            if oldPlace < 0 {
                open(Window(oldSection: -1, newSection: place, old: 0..<0, new: 0..<new.numberOfItems(at: place)))
                continue
            }
            let after = new.items(at: place)
            let before = old.items(at: oldPlace)
            let shorter = min(before.count, after.count)
            let start = commonPrefix(before, after, limit: shorter)
            let end = commonSuffix(before, after, limit: shorter - start)
            open(
                Window(
                    oldSection: oldPlace, newSection: place,
                    old: start..<before.count - end, new: start..<after.count - end))
        }
        for place in changes.deletedSections {
            open(Window(oldSection: place, newSection: -1, old: 0..<old.numberOfItems(at: place), new: 0..<0))
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
