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
        let total = index.count + items.count
        prepareIndex(for: total)
        appendRows(items, to: token)
        let repeated =
            index.hasRoom(for: total)
            ? indexRows(from: firstRow, of: token)
            : index.mask < 0 && total <= Self.mostWithoutTable
                ? countRows(from: firstRow, of: token) : indexManyRows(from: firstRow, of: token)
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

    /// Makes rows of items. UUIDs are copied first and then hashed. A UUID that is copied and hashed at once is taken
    /// apart into its bytes, which takes longer than both.
    @inlinable
    @inline(__always)
    static func rows(_ items: ArraySlice<Item>) -> Pages<Item>.Page {
        if !UUIDHash.isFor(Item.self) { return ContiguousArray(items.lazy.map { Row($0) }) }
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

    /// Adds the rows from `firstRow` on to the index, which has room for them. At the first item that the index has
    /// already, adds none of them and returns its place.
    @inlinable
    mutating func indexRows(from firstRow: Int, of token: Int) -> (offset: Int, found: Location)? {
        var row = firstRow
        while row < slots[token].count {
            let start = location(of: row, in: token)
            let rows = pages[start.page]
            for offset in start.offset..<rows.count {
                let place = Location(page: start.page, offset: offset)
                if let found = locateBefore(place, rows[offset]) {
                    for done in firstRow..<row { forget(location(of: done, in: token)) }
                    return (row - firstRow, found)
                }
                index.insert(bucket(of: rows[offset], at: place))
                row += 1
            }
        }
        return nil
    }

    /// The same as ``indexRows(from:of:)``, without a table. So few rows are in one page.
    @inlinable
    mutating func countRows(from firstRow: Int, of token: Int) -> (offset: Int, found: Location)? {
        if firstRow == slots[token].count { return nil }
        let start = location(of: firstRow, in: token)
        let new = pages[start.page]
        var end = new.count
        var found: Location?
        for page in pages.homes.indices {
            let rows = pages[page]
            search: for offset in start.offset..<end {
                for other in 0..<(page == start.page ? offset : rows.count) where rows[other].isSame(as: new[offset]) {
                    (end, found) = (offset, Location(page: page, offset: other))
                    break search
                }
            }
        }
        if let found { return (end - start.offset, found) }
        index.count += end - start.offset
        return nil
    }

    @inlinable
    @inline(__always)
    func bucket(of row: Row<Item>, at place: Location) -> ItemIndex.Bucket {
        ItemIndex.Bucket(hash: row.hash, place: ItemIndex.Place(page: place.page, offset: place.offset))
    }

    /// Returns the other place of the item of a row that is not in the index yet, or nil if there is none.
    @inlinable
    @inline(__always)
    func locateBefore(_ end: Location, _ row: Row<Item>) -> Location? {
        guard index.count > 0 else { return nil }
        var position = index.home(of: row.hash)
        while true {
            let bucket = index[position]
            if bucket.isEmpty { return nil }
            if bucket.hash == row.hash { return search(row.item, hash: row.hash, before: end) { index[$0] } }
            position = index.position(after: position)
        }
    }

    /// The same as ``indexRows(from:of:)``, for so many rows that the table must grow. It then is in one piece again,
    /// which is fast to fill.
    @inlinable
    mutating func indexManyRows(from firstRow: Int, of token: Int) -> (offset: Int, found: Location)? {
        let total = index.count + slots[token].count - firstRow
        var table = index.flattened(for: total)
        var row = firstRow
        while row < slots[token].count {
            let start = location(of: row, in: token)
            let rows = pages[start.page]
            var offset = start.offset
            while offset < rows.count {
                offset = Self.add(rows, from: offset, of: start.page, to: &table)
                if offset == rows.count { break }
                let end = Location(page: start.page, offset: offset)
                let found = search(
                    rows[offset].item, hash: rows[offset].hash, mask: table.count - 1, before: end, { table[$0] })
                if let found { return (row - start.offset + offset - firstRow, found) }
                ItemIndex.add(bucket(of: rows[offset], at: end), to: &table)
                offset += 1
            }
            row += rows.count - start.offset
        }
        index = ItemIndex(table, count: total)
        return nil
    }

    /// Adds rows of a page to a table in one piece, up to the first whose hash the table has already. Returns its
    /// offset.
    @inlinable
    static func add(
        _ rows: Pages<Item>.Page, from first: Int, of page: Int, to table: inout ContiguousArray<ItemIndex.Bucket>
    ) -> Int {
        var buckets = table.mutableSpan
        let mask = buckets.count - 1
        for offset in first..<rows.count {
            let hash = rows[offset].hash
            var position = Int(hash) & mask
            // Whether the first buckets are empty is a toss-up, and a branch on it is guessed wrong as often as not.
            for _ in 0..<2 {
                let bucket = buckets[position]
                if bucket.hash == hash, !bucket.isEmpty { return offset }
                position = (position &+ (bucket.isEmpty ? 0 : 1)) & mask
            }
            while !buckets[position].isEmpty {
                if buckets[position].hash == hash { return offset }
                position = (position &+ 1) & mask
            }
            buckets[position] = ItemIndex.Bucket(hash: hash, place: ItemIndex.Place(page: page, offset: offset))
        }
        return rows.count
    }
}
