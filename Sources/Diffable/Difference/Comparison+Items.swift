extension Comparison {
    /// Finds the changes of items, after the windows are open.
    mutating func matchWindows(_ old: List, _ new: List) {
        if missing == 0 { return insertEverything() }
        if arriving == 0 { return deleteEverything() }
        let total = missing
        remains = RowSet(count: total)
        var arrivals: ContiguousArray<Arrivals> = []
        var first = 0
        while first < windows.count {
            let window = windows[first]
            var end = first + 1
            while end < windows.count, windows[end].newSection == window.newSection { end += 1 }
            if end - first > 1, window.newSection >= 0 {
                matchByLookup(first..<end, old, new)
            } else if window.old.isEmpty {
                arrivals.append(Arrivals(section: window.newSection, rows: window.new))
            } else if !window.new.isEmpty, !matchPureInsertion(window, old, new, &arrivals),
                !matchPureDeletion(window, old, new)
            {
                matchByLookup(first..<end, old, new)
            }
            first = end
        }
        if missing == 0 { reserveInsertions(arrivals) }
        for some in arrivals { resolve(some, old, new) }
        if remains.count != total - missing { unequalHashes(of: type.identifier) }
        if windows.count > 1 { sortByTarget() }
        if missing > 0 { collectDeletions() }
    }

    /// If all windows have one old and one new row, finds a move, or that one row took the place of another.
    mutating func matchPair(_ old: List, _ new: List) -> Bool {
        guard missing == 1, arriving == 1, oldPlaces.places.isEmpty,
            let origin = windows.first(where: { !$0.old.isEmpty }),
            let target = windows.first(where: { !$0.new.isEmpty })
        else { return false }
        let from = ItemPath(section: origin.oldSection, item: origin.old.lowerBound)
        let to = ItemPath(section: target.newSection, item: target.new.lowerBound)
        let before = old.location(of: from.item, in: old.order[from.section])
        let after = new.location(of: to.item, in: new.order[to.section])
        if unsafe !type.areSame(type.row(before, of: old), type.row(after, of: new)) {
            changes.deletedItems.append(from)
            changes.insertedItems.append(to)
        } else if from != to {
            changes.movedItems.append(ChangeSet.Step(from: from, to: to))
        }
        return true
    }

    /// If every old row of `window` is still there in the same order, notes the rows between them as arrivals.
    mutating func matchPureInsertion(
        _ window: Window, _ old: List, _ new: List, _ arrivals: inout ContiguousArray<Arrivals>
    ) -> Bool {
        guard window.old.count < window.new.count else { return false }
        var before = RowReader(token: old.order[window.oldSection])
        var after = RowReader(token: new.order[window.newSection])
        let firstArrival = arrivals.count
        var row = window.new.lowerBound
        for oldRow in window.old {
            let start = row
            let limit = window.new.upperBound - (window.old.upperBound - 1 - oldRow)
            let origin = unsafe before.seek(oldRow, in: old, type)
            while unsafe row < limit && !type.areSame(origin, after.seek(row, in: new, type)) { row += 1 }
            if row == limit {
                arrivals.removeLast(arrivals.count - firstArrival)
                return false
            }
            if row > start { arrivals.append(Arrivals(section: window.newSection, rows: start..<row)) }
            row += 1
        }
        if row < window.new.upperBound {
            arrivals.append(Arrivals(section: window.newSection, rows: row..<window.new.upperBound))
        }
        noteFound(window.old.count, at: window.firstFate)
        return true
    }

    /// If every new row of `window` was there before in the same order, notes the rows between them as missing.
    mutating func matchPureDeletion(_ window: Window, _ old: List, _ new: List) -> Bool {
        guard window.new.count < window.old.count else { return false }
        var before = RowReader(token: old.order[window.oldSection])
        var after = RowReader(token: new.order[window.newSection])
        let offset = window.firstFate - window.old.lowerBound
        var oldRow = window.old.lowerBound
        for row in window.new {
            let limit = window.old.upperBound - (window.new.upperBound - 1 - row)
            let target = unsafe after.seek(row, in: new, type)
            while unsafe oldRow < limit && !type.areSame(before.seek(oldRow, in: old, type), target) { oldRow += 1 }
            // The rows found so far remain, whatever becomes of the others. They are only not counted yet.
            if oldRow == limit { return false }
            remains.insert(offset + oldRow)
            oldRow += 1
        }
        missing -= window.new.count
        return true
    }

    /// Reads along the new rows of a section's windows. Where they do not continue as the old rows do, looks up the old
    /// place of the next one. The rows between two windows, which are the same in both lists, may be fewer than the
    /// rows that go around them. In that case they move.
    mutating func matchByLookup(_ places: Range<Int>, _ old: List, _ new: List) {
        var runs: ContiguousArray<Run> = []
        for place in places {
            if place > places.lowerBound {
                let (last, next) = (windows[place - 1], windows[place])
                runs.append(
                    Run(
                        old: last.old.upperBound, new: last.new.upperBound,
                        count: next.new.lowerBound - last.new.upperBound))
            }
            findRuns(in: windows[place], isOnly: places.count == 1, &runs, old, new)
        }
        move(LongestIncreasing.moved(runs), of: windows[places.lowerBound])
    }

    mutating func findRuns(
        in window: Window, isOnly: Bool, _ runs: inout ContiguousArray<Run>, _ old: List, _ new: List
    ) {
        let token = old.order[window.oldSection]
        var after = RowReader(token: new.order[window.newSection])
        var row = window.new.lowerBound
        while row < window.new.upperBound, let found = passNew(&row, of: window, &after, old, new) {
            let path = old.path(of: found)
            guard path.section == window.oldSection else {
                move(found, in: old, to: ItemPath(section: window.newSection, item: row))
                row += 1
                continue
            }
            let home = isOnly ? window : self.window(with: path, old)
            if !home.old.contains(path.item) { unequalHashes(of: type.identifier) }
            let limit = min(window.new.upperBound - row, home.old.upperBound - path.item)
            let count =
                isAlone(found, &after, row, old, new)
                ? 1 : 1 + old.commonPrefix(token, path.item + 1, new, after.token, row + 1, limit: limit - 1, type)
            runs.append(Run(old: path.item, new: row, count: count))
            noteFound(count, at: home.firstFate + path.item - home.old.lowerBound)
            row += count
        }
    }

    /// Returns true if the hashes show that the rows after two equal ones differ. At the end of a page it returns
    /// false.
    @inline(__always)
    func isAlone(_ found: Location, _ after: inout RowReader, _ row: Int, _ old: List, _ new: List) -> Bool {
        guard found.offset + 1 < old.pages.count(found.page), row + 1 < after.end else { return false }
        let next = Location(page: found.page, offset: found.offset + 1)
        return unsafe type.row(next, of: old).rowHash != after.seek(row + 1, in: new, type).rowHash
    }

    mutating func move(_ runs: ContiguousArray<Run>, of window: Window) {
        if changes.movedItems.isEmpty { changes.movedItems.reserveCapacity(runs.reduce(0) { $0 + Int($1.count) }) }
        for run in runs {
            for i in 0..<Int(run.count) {
                changes.movedItems.append(
                    ChangeSet.Step(
                        from: ItemPath(section: window.oldSection, item: Int(run.old) + i),
                        to: ItemPath(section: window.newSection, item: Int(run.new) + i)))
            }
        }
    }
}

/// New rows of one section that were not in that section before.
struct Arrivals {
    var section: Int
    var rows: Range<Int>
}
