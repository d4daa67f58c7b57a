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
        var pages = PageTable()
        var after = RowReader(token: new.order[window.newSection])
        var row = window.new.lowerBound
        while row < window.new.upperBound, let found = passNew(&row, of: window, &after, &pages, old, new) {
            let page = pages.page(found.page, in: old, type)
            let oldRow = page.start + found.offset
            if page.token != token {
                move(found, in: old, to: ItemPath(section: window.newSection, item: row))
                row += 1
                continue
            }
            var rows = window.old
            var firstFate = window.firstFate
            if !isOnly {
                let home = self.window(with: ItemPath(section: window.oldSection, item: oldRow), old)
                (rows, firstFate) = (home.old, home.firstFate)
            }
            if !rows.contains(oldRow) { unequalHashes(of: type.identifier) }
            var count = 1
            if !isAlone(found, page, &after, row, new) {
                let limit = min(window.new.upperBound - row, rows.upperBound - oldRow) - 1
                count += old.commonPrefix(token, oldRow + 1, new, after.token, row + 1, limit: limit, type)
            }
            runs.append(Run(old: oldRow, new: row, count: count))
            noteFound(count, at: firstFate + oldRow - rows.lowerBound)
            row += count
        }
    }

    /// Returns true if the hashes show that the rows after two equal ones differ. At the end of a page it returns
    /// false.
    @inline(__always)
    func isAlone(
        _ found: Location, _ page: PageTable.Page, _ after: inout RowReader, _ row: Int, _ new: List
    ) -> Bool {
        guard found.offset + 1 < page.count, row + 1 < after.end else { return false }
        let next = unsafe page.rows + (found.offset + 1) * type.stride
        return unsafe next.rowHash != after.seek(row + 1, in: new, type).rowHash
    }

    mutating func move(_ runs: ContiguousArray<Run>, of window: Window) {
        if runs.isEmpty { return }
        let steps = unsafe [ChangeSet.Step<ItemPath>](
            unsafeUninitializedCapacity: runs.reduce(0) { $0 + Int($1.count) }
        ) { steps, filled in
            for run in runs {
                for i in 0..<Int(run.count) {
                    let step = ChangeSet.Step(
                        from: ItemPath(section: window.oldSection, item: Int(run.old) &+ i),
                        to: ItemPath(section: window.newSection, item: Int(run.new) &+ i))
                    unsafe steps.initializeElement(at: filled, to: step)
                    filled &+= 1
                }
            }
        }
        if changes.movedItems.isEmpty { changes.movedItems = steps } else { changes.movedItems += steps }
    }
}

/// New rows of one section that were not in that section before.
struct Arrivals {
    var section: Int
    var rows: Range<Int>
}
