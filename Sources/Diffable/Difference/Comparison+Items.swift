extension Comparison {
    /// Finds the changes of items, once the windows are open.
    @inlinable
    mutating func matchWindows() {
        if missing == 0 { return insertEverything() }
        if arriving == 0 { return deleteEverything() }
        remains = ContiguousArray(repeating: false, count: missing)
        var arrivals: ContiguousArray<Arrivals> = []
        var rest: ContiguousArray<Window> = []
        for window in windows where !window.new.isEmpty {
            if window.old.isEmpty {
                arrivals.append(Arrivals(section: window.newSection, rows: window.new))
            } else if !matchPureInsertion(window, &arrivals), !matchPureDeletion(window) {
                rest.append(window)
            }
        }
        for window in rest { matchByLookup(window) }
        if missing == 0 { reserveInsertions(arrivals) }
        for some in arrivals { resolve(some) }
        if windows.count > 1 { sortByTarget() }
        if missing > 0 { collectDeletions() }
    }

    /// If every old row of `window` is still there in the same order, notes the rows between them as arrivals.
    @inlinable
    mutating func matchPureInsertion(_ window: Window, _ arrivals: inout ContiguousArray<Arrivals>) -> Bool {
        guard window.old.count < window.new.count else { return false }
        let before = oldRows(window.oldSection).items
        let after = newRows(window.newSection).items
        let firstArrival = arrivals.count
        var row = window.new.lowerBound
        for oldRow in window.old {
            let start = row
            let limit = window.new.upperBound - (window.old.upperBound - 1 - oldRow)
            while row < limit, after[row] != before[oldRow] { row += 1 }
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
    @inlinable
    mutating func matchPureDeletion(_ window: Window) -> Bool {
        guard window.new.count < window.old.count else { return false }
        let before = oldRows(window.oldSection).items
        let after = newRows(window.newSection).items
        let offset = window.firstFate - window.old.lowerBound
        var oldRow = window.old.lowerBound
        for row in window.new {
            let limit = window.old.upperBound - (window.new.upperBound - 1 - row)
            while oldRow < limit, before[oldRow] != after[row] { oldRow += 1 }
            if oldRow == limit {
                for fate in window.firstFate..<window.firstFate + window.old.count { remains[fate] = false }
                return false
            }
            remains[offset + oldRow] = true
            oldRow += 1
        }
        missing -= window.new.count
        return true
    }

    /// Reads along the new rows; where they do not go on as the old ones do, looks up where the next one was.
    @inlinable
    mutating func matchByLookup(_ window: Window) {
        let token = old.order[window.oldSection]
        let before = oldRows(window.oldSection).items
        let rows = newRows(window.newSection)
        let (after, hashes) = (rows.items, rows.hashes)
        var runs: ContiguousArray<Run> = []
        var row = window.new.lowerBound
        while row < window.new.upperBound {
            guard let found = old.locate(after[row], hash: hashes[row]) else {
                insert(window.newSection, row)
                row += 1
                continue
            }
            guard found.token == token else {
                move(found, to: ItemPath(section: window.newSection, item: row))
                row += 1
                continue
            }
            let start = row
            var oldRow = found.row
            repeat {
                row += 1
                oldRow += 1
            } while row < window.new.upperBound && oldRow < window.old.upperBound && before[oldRow] == after[row]
            runs.append(Run(old: found.row, new: start, count: row - start))
            noteFound(row - start, at: window.firstFate + found.row - window.old.lowerBound)
        }
        for run in LongestIncreasing.moved(runs) {
            for i in 0..<Int(run.count) {
                changes.movedItems.append(
                    ChangeSet.Step(
                        from: ItemPath(section: window.oldSection, item: Int(run.old) + i),
                        to: ItemPath(section: window.newSection, item: Int(run.new) + i)))
            }
        }
    }

    /// Tells new items from those that come out of another section.
    @inlinable
    mutating func resolve(_ arrivals: Arrivals) {
        // Nothing that was there is missing: nothing can come from elsewhere.
        if missing == 0 {
            if oldPlace(of: arrivals.section) < 0 { return }
            for row in arrivals.rows { insert(arrivals.section, row) }
            return
        }
        let rows = newRows(arrivals.section)
        for row in arrivals.rows {
            if let found = old.locate(rows.items[row], hash: rows.hashes[row]) {
                move(found, to: ItemPath(section: arrivals.section, item: row))
            } else {
                insert(arrivals.section, row)
            }
        }
    }
}

/// New rows of one section that were not in that section before.
@frozen
@usableFromInline
struct Arrivals {
    @usableFromInline var section: Int
    @usableFromInline var rows: Range<Int>

    @inlinable
    init(section: Int, rows: Range<Int>) {
        self.section = section
        self.rows = rows
    }
}
