extension Comparison {
    /// Skips the pages that both snapshots share, cuts off the equal rows at both ends of each other stretch, and keeps
    /// the rest.
    mutating func openWindows(_ changed: ChangedPages, _ old: List, _ new: List) {
        let places = changed.places(in: new)
        if oldPlaces.places.isEmpty, !changed.areMost {
            var next = 0
            for section in changed.sections(in: old, new) {
                let first = next
                while next < places.count, places[next].section == section { next += 1 }
                openStretches(places[first..<next], section, section, old, new)
            }
            return
        }
        var next = 0
        for section in new.order.indices {
            let first = next
            while next < places.count, places[next].section == section { next += 1 }
            let oldSection = oldPlaces[section]
            if oldSection < 0 {
                open(Window(oldSection: -1, newSection: section, old: 0..<0, new: 0..<new.numberOfItems(at: section)))
            } else if changed.areMost {
                let whole = Window(
                    oldSection: oldSection, newSection: section, old: 0..<old.numberOfItems(at: oldSection),
                    new: 0..<new.numberOfItems(at: section))
                open(trimmed(whole, old, new))
            } else {
                openStretches(places[first..<next], section, oldSection, old, new)
            }
        }
        for section in changes.deletedSections {
            open(Window(oldSection: section, newSection: -1, old: 0..<old.numberOfItems(at: section), new: 0..<0))
        }
    }

    /// Opens windows on the pages of a section that differ.
    mutating func openStretches(
        _ places: ArraySlice<PagePlace>, _ section: Int, _ oldSection: Int, _ old: List, _ new: List
    ) {
        let (before, after) = (old.slots[old.order[oldSection]].rows, new.slots[new.order[section]].rows)
        // The most frequent changes, of one page or of two for a move, need no arrays.
        let areApart =
            places.count < 2
            || places.count == 2 && places[places.startIndex + 1].ordinal > places[places.startIndex].ordinal + 1
        if areApart, before.numbers.isShared(with: after.numbers) {
            if windows.isEmpty { windows.reserveCapacity(places.count) }
            for place in places {
                let number = Int(after.numbers[place.ordinal])
                var window = Window(oldSection: oldSection, newSection: section, old: 0..<0, new: 0..<0)
                window.extend(
                    old.pages[number], at: Int(before.starts[place.ordinal]),
                    new.pages[number], at: Int(after.starts[place.ordinal]), type)
                open(window)
            }
            return
        }
        for stretch in Self.stretches(places, before.numbers, after.numbers) {
            openStretch((before.rows(stretch.old), after.rows(stretch.new)), section, oldSection, old, new)
        }
    }

    /// Opens a window on old and new rows of a section.
    mutating func openStretch(
        _ rows: (old: Range<Int>, new: Range<Int>), _ section: Int, _ oldSection: Int, _ old: List, _ new: List
    ) {
        let window = Window(oldSection: oldSection, newSection: section, old: rows.old, new: rows.new)
        open(trimmed(window, old, new))
    }

    /// Returns the ordinals of pages that differ, with neighbours joined.
    ///
    /// - `places`: the pages whose rows changed. Pages that came, went or moved are between the first and the last
    ///   place where the two lists have different numbers.
    static func stretches(
        _ places: ArraySlice<PagePlace>, _ before: ContiguousArray<Int32>, _ after: ContiguousArray<Int32>
    ) -> ContiguousArray<(old: Range<Int>, new: Range<Int>)> {
        let (head, tail) = commonEnds(before, after)
        let (oldTail, newTail) = (before.count - tail, after.count - tail)
        var stretches: ContiguousArray<(old: Range<Int>, new: Range<Int>)> = []
        for place in places where place.ordinal < head {
            stretches.append((place.ordinal..<place.ordinal + 1, place.ordinal..<place.ordinal + 1))
        }
        if head < max(oldTail, newTail) { stretches.append((head..<oldTail, head..<newTail)) }
        for place in places where place.ordinal >= max(newTail, head) {
            let old = place.ordinal - newTail + oldTail
            stretches.append((old..<old + 1, place.ordinal..<place.ordinal + 1))
        }
        return joined(stretches)
    }

    static func joined(
        _ stretches: ContiguousArray<(old: Range<Int>, new: Range<Int>)>
    ) -> ContiguousArray<(old: Range<Int>, new: Range<Int>)> {
        if stretches.count < 2 { return stretches }
        var joined = ContiguousArray(stretches.prefix(1))
        for next in stretches.dropFirst() {
            let last = joined[joined.count - 1]
            if last.old.upperBound == next.old.lowerBound, last.new.upperBound == next.new.lowerBound {
                joined[joined.count - 1] = (
                    last.old.lowerBound..<next.old.upperBound, last.new.lowerBound..<next.new.upperBound
                )
            } else {
                joined.append(next)
            }
        }
        return joined
    }

    /// Returns the number of equal values at the beginning, and of further equal values at the end.
    static func commonEnds(_ a: ContiguousArray<Int32>, _ b: ContiguousArray<Int32>) -> (head: Int, tail: Int) {
        if a.isShared(with: b) { return (a.count, 0) }
        let shorter = min(a.count, b.count)
        var (head, tail) = (0, 0)
        while head < shorter, a[head] == b[head] { head += 1 }
        while tail < shorter - head, a[a.count - 1 - tail] == b[b.count - 1 - tail] { tail += 1 }
        return (head, tail)
    }

    /// Returns a window without the equal rows at its beginning and its end.
    func trimmed(_ window: Window, _ old: List, _ new: List) -> Window {
        if window.old.isEmpty || window.new.isEmpty { return window }
        let (before, after) = (old.order[window.oldSection], new.order[window.newSection])
        let shorter = min(window.old.count, window.new.count)
        let start = old.commonPrefix(
            before, window.old.lowerBound, new, after, window.new.lowerBound, limit: shorter, type)
        let end = old.commonSuffix(
            before, window.old.upperBound, new, after, window.new.upperBound, limit: shorter - start, type)
        var window = window
        window.old = window.old.lowerBound + start..<window.old.upperBound - end
        window.new = window.new.lowerBound + start..<window.new.upperBound - end
        return window
    }

    mutating func open(_ window: Window) {
        if window.old.isEmpty, window.new.isEmpty { return }
        var window = window
        window.firstFate = missing
        missing += window.old.count
        arriving += window.new.count
        windows.append(window)
    }
}
