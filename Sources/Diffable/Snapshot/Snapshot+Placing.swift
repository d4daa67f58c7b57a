extension Snapshot {
    /// Appends items if all are new and different. Otherwise changes nothing, and returns the first that is not and its
    /// place.
    ///
    /// O(1) amortised each.
    @inlinable
    mutating func appendNew(_ items: [Item], to token: Int) -> (offset: Int, found: Location)? {
        if items.count == 1 {
            let row = Row(items[0])
            if let found = locate(row.item, hash: row.hash) { return (0, found) }
            appendNew(row, to: token)
            return nil
        }
        let firstRow = slots[token].count
        prepareIndex(for: index.count + items.count)
        appendRows(items, to: token)
        // Outside of the list, so that the index has one owner.
        var entered = ItemIndex()
        swap(&entered, &index)
        let repeated = withAnyList {
            $0.list.enterRows(from: firstRow, of: token, into: &entered, RowType(Item.self))
        }
        swap(&entered, &index)
        if let repeated {
            removeRows(from: firstRow, of: token)
            return repeated
        }
        starts.add(items.count, at: slots[token].position)
        return nil
    }

    /// Appends one row that is in no page. The index has it in page `source`, or not at all. O(1) amortised.
    @inlinable
    mutating func appendNew(_ row: Row<Item>, to token: Int, from source: Int? = nil) {
        if source == nil { prepareIndex(for: index.count + 1) }
        let page = pageToFill(of: token)
        pages.change(page) { $0.append(row) }
        slots[token].rows.count += 1
        enter(row, at: Location(page: page, offset: pages.count(page) - 1), from: source)
        starts.add(1, at: slots[token].position)
    }

    /// Returns the number of a section's last page, or of a new page if that one is full.
    @inlinable
    mutating func pageToFill(of token: Int) -> Int {
        if let last = slots[token].rows.numbers.last, pages.count(Int(last)) < Pages<Item>.fill { return Int(last) }
        let page = pages.add([], PageHome(token: token, ordinal: slots[token].rows.numbers.count))
        slots[token].rows.append(page, count: 0)
        return page
    }

    /// Appends rows to a section, before they are in the index. Hashes each item.
    @inlinable
    mutating func appendRows(_ items: [Item], to token: Int) {
        var next = 0
        while next < items.count {
            let page = pageToFill(of: token)
            let end = min(items.count, next + Pages<Item>.fill - pages.count(page))
            let rows = Self.rows(items[next..<end])
            pages.change(page) { if $0.isEmpty { $0 = rows } else { $0 += rows } }
            slots[token].rows.count += end - next
            next = end
        }
    }

    /// Makes rows of items. UUIDs, and what wraps them, are copied first and then hashed. A UUID that is copied and
    /// hashed at once is taken apart into its bytes, which takes longer than both.
    @inlinable
    @inline(__always)
    static func rows(_ items: ArraySlice<Item>) -> Pages<Item>.Page {
        if MemoryLayout<Item>.size < 16 || MemoryLayout<Item>.alignment > 1 {
            return ContiguousArray(items.lazy.map { Row($0) })
        }
        var rows = ContiguousArray(items.lazy.map { Row($0, hash: 0) })
        var span = rows.mutableSpan
        for offset in span.indices { span[offset].hash = rowHash(span[offset].item) }
        return rows
    }

    /// Removes the last rows of a section, which are not in the index, from their pages.
    @inlinable
    mutating func removeRows(from firstRow: Int, of token: Int) {
        while slots[token].count > firstRow {
            let last = slots[token].rows.numbers.count - 1
            let (page, start) = (Int(slots[token].rows.numbers[last]), Int(slots[token].rows.starts[last]))
            let kept = max(firstRow - start, 0)
            slots[token].rows.count = start + kept
            if kept > 0 {
                pages.change(page) { $0.removeLast($0.count - kept) }
            } else {
                slots[token].rows.numbers.removeLast()
                slots[token].rows.starts.removeLast()
                pages.release(page)
            }
        }
    }
}
