extension Comparison {
    /// Finds the changes of items, once the windows are open.
    @inlinable
    mutating func matchWindows(_ old: List, _ new: List) {
        if missing == 0 { return insertEverything() }
        if arriving == 0 { return deleteEverything() }
        remains = RowSet(count: missing)
        var arrivals: ContiguousArray<Arrivals> = []
        for window in windows where !window.new.isEmpty {
            if window.old.isEmpty {
                arrivals.append(Arrivals(section: window.newSection, rows: window.new))
            } else if !matchPureInsertion(window, old, new, &arrivals), !matchPureDeletion(window, old, new) {
                matchByLookup(window, old, new)
            }
        }
        if missing == 0 { reserveInsertions(arrivals) }
        for some in arrivals { resolve(some, old, new) }
        if windows.count > 1 { sortByTarget() }
        if missing > 0 { collectDeletions() }
    }

    /// If every old row of `window` is still there in the same order, notes the rows between them as arrivals.
    @inlinable
    mutating func matchPureInsertion(
        _ window: Window, _ old: List, _ new: List, _ arrivals: inout ContiguousArray<Arrivals>
    ) -> Bool {
        guard window.old.count < window.new.count else { return false }
        let before = old.items(at: window.oldSection)
        let after = new.items(at: window.newSection)
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
    mutating func matchPureDeletion(_ window: Window, _ old: List, _ new: List) -> Bool {
        guard window.new.count < window.old.count else { return false }
        let before = old.items(at: window.oldSection)
        let after = new.items(at: window.newSection)
        let offset = window.firstFate - window.old.lowerBound
        var oldRow = window.old.lowerBound
        for row in window.new {
            let limit = window.old.upperBound - (window.new.upperBound - 1 - row)
            while oldRow < limit, before[oldRow] != after[row] { oldRow += 1 }
            // What has been found until here remains, whatever comes of the others: it is only not counted yet.
            if oldRow == limit { return false }
            remains.insert(offset + oldRow)
            oldRow += 1
        }
        missing -= window.new.count
        return true
    }

    /// Reads along the new rows; where they do not go on as the old ones do, looks up where the next one was.
    @inlinable
    mutating func matchByLookup(_ window: Window, _ old: List, _ new: List) {
        let token = old.order[window.oldSection]
        let before = old.items(at: window.oldSection)
        let after = new.items(at: window.newSection)
        let hashes = new.hashes(at: window.newSection)
        var runs: ContiguousArray<Run> = []
        var row = window.new.lowerBound
        while let found = passNew(&row, of: window, after, hashes, old) {
            guard found.token == token else {
                move(found, in: old, to: ItemPath(section: window.newSection, item: row))
                row += 1
                continue
            }
            let limit = min(window.new.upperBound - row, window.old.upperBound - found.row)
            let count = 1 + commonPrefix(before, from: found.row + 1, after, from: row + 1, limit: limit - 1)
            runs.append(Run(old: found.row, new: row, count: count))
            noteFound(count, at: window.firstFate + found.row - window.old.lowerBound)
            row += count
        }
        move(LongestIncreasing.moved(runs), of: window)
    }

    @inlinable
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
