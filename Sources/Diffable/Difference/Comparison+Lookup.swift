extension Comparison {
    /// Notes the items from `row` on that were nowhere before. Stops at the first that was somewhere, and returns that
    /// place.
    @inline(__always)
    mutating func passNew(
        _ row: inout Int, of window: Window, _ after: inout RowReader, _ pages: inout PageTable, _ old: List,
        _ new: List
    ) -> Location? {
        let start = row
        var found: Location?
        while row < window.new.upperBound {
            found = unsafe findAgain(after.seek(row, in: new, type), &pages, old)
            if found != nil { break }
            row += 1
        }
        if start < row { changes.insert(start..<row, in: window.newSection) }
        return found
    }

    /// Separates new items from those that come from another section.
    mutating func resolve(_ arrivals: Arrivals, _ old: List, _ new: List) {
        // No old item is missing, so none can come from elsewhere.
        if missing == 0 {
            if oldPlaces[arrivals.section] < 0 { return }
            for row in arrivals.rows { insert(arrivals.section, row) }
            return
        }
        var pages = PageTable()
        var after = RowReader(token: new.order[arrivals.section])
        for row in arrivals.rows {
            if let found = unsafe findAgain(after.seek(row, in: new, type), &pages, old) {
                move(found, in: old, to: ItemPath(section: arrivals.section, item: row))
            } else {
                insert(arrivals.section, row)
            }
        }
    }

    /// Returns the old place of the item of a row in a window, if it had one.
    @inline(__always)
    mutating func findAgain(_ row: UnsafeRawPointer, _ pages: inout PageTable, _ old: List) -> Location? {
        guard missing > 0, unsafe missingHashes.isEmpty || missingHashes.mayContain(row.rowHash) else { return nil }
        if let found = unsafe pages.locate(row, in: old, type) { return found }
        vainLookups += 1
        // Only once lookups have failed often enough: for fewer, the filter would cost more than it saves.
        if vainLookups * 32 > max(missing, 512), missingHashes.isEmpty { filterMissing(old) }
        return nil
    }

    /// Builds the filter of missing items. All that is found later is among the old rows that are missing now.
    mutating func filterMissing(_ old: List) {
        missingHashes = HashFilter(count: missing)
        for window in windows where !window.old.isEmpty {
            var before = RowReader(token: old.order[window.oldSection])
            let offset = window.firstFate - window.old.lowerBound
            remains.forEachAbsent(in: window.firstFate..<window.firstFate + window.old.count) { fate in
                unsafe missingHashes.insert(before.seek(fate - offset, in: old, type).rowHash)
            }
        }
    }
}
