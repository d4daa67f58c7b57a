extension Snapshot<AnyIdentifier, AnyIdentifier> {
    /// Up to this number of rows are searched one by one, which takes less time than making a table for so few.
    @usableFromInline
    static var mostWithoutTable: Int { 16 }

    /// Returns the index of a list that becomes too long to be searched, with its table.
    @usableFromInline
    func indexWithTable(_ type: RowType) -> ItemIndex {
        var table = index.flattened(for: index.count)
        for page in pages.homes.indices {
            for offset in 0..<pages.count(page) {
                ItemIndex.add(bucket(at: Location(page: page, offset: offset), type), to: &table)
            }
        }
        return ItemIndex(table, count: index.count)
    }

    /// Adds the rows of a section from `firstRow` on to the list's index. At the first item that the index has already,
    /// adds none of them and returns its place.
    @usableFromInline
    func enterRows(
        from firstRow: Int, of token: Int, into index: inout ItemIndex, _ type: RowType
    ) -> (offset: Int, found: Location)? {
        let total = index.count + slots[token].count - firstRow
        if index.hasRoom(for: total) { return enterFew(from: firstRow, of: token, into: &index, type) }
        if index.mask < 0, total <= Self.mostWithoutTable { return count(from: firstRow, of: token, in: &index, type) }
        return enterMany(from: firstRow, of: token, into: &index, type)
    }

    /// Adds rows to an index that has room for them.
    private func enterFew(
        from firstRow: Int, of token: Int, into index: inout ItemIndex, _ type: RowType
    ) -> (offset: Int, found: Location)? {
        var row = firstRow
        while row < slots[token].count {
            let start = location(of: row, in: token)
            for offset in start.offset..<pages.count(start.page) {
                let place = Location(page: start.page, offset: offset)
                if let found = locate(before: place, in: index, type) {
                    for done in firstRow..<row {
                        let place = location(of: done, in: token)
                        unsafe index.remove(type.row(place, of: self).rowHash, in: place.page)
                    }
                    return (row - firstRow, found)
                }
                index.insert(bucket(at: place, type))
                row += 1
            }
        }
        return nil
    }

    /// The same without a table. So few rows are in one page.
    private func count(
        from firstRow: Int, of token: Int, in index: inout ItemIndex, _ type: RowType
    ) -> (offset: Int, found: Location)? {
        if firstRow == slots[token].count { return nil }
        let start = location(of: firstRow, in: token)
        let new = unsafe type.rows(of: start.page, in: pages)
        var end = pages.count(start.page)
        var found: Location?
        for page in pages.homes.indices {
            let rows = unsafe type.rows(of: page, in: pages)
            search: for offset in start.offset..<end {
                for other in 0..<(page == start.page ? offset : pages.count(page))
                where unsafe type.areSame(rows + other * type.stride, new + offset * type.stride) {
                    (end, found) = (offset, Location(page: page, offset: other))
                    break search
                }
            }
        }
        if let found { return (end - start.offset, found) }
        index.count += end - start.offset
        return nil
    }

    private func bucket(at place: Location, _ type: RowType) -> ItemIndex.Bucket {
        ItemIndex.Bucket(
            hash: unsafe type.row(place, of: self).rowHash,
            place: ItemIndex.Place(page: place.page, offset: place.offset))
    }

    /// Returns the other place of the item of a row that is not in the index yet, or nil if there is none.
    private func locate(before end: Location, in index: ItemIndex, _ type: RowType) -> Location? {
        guard index.count > 0 else { return nil }
        let row = unsafe type.row(end, of: self)
        let hash = unsafe row.rowHash
        var position = index.home(of: hash)
        while true {
            let bucket = index[position]
            if bucket.isEmpty { return nil }
            if bucket.hash == hash {
                return unsafe search(row, type, mask: index.mask, before: end) { index[$0] }
            }
            position = index.position(after: position)
        }
    }

    /// Adds so many rows that the table must grow. It then is in one piece again, which is fast to fill.
    private func enterMany(
        from firstRow: Int, of token: Int, into index: inout ItemIndex, _ type: RowType
    ) -> (offset: Int, found: Location)? {
        let total = index.count + slots[token].count - firstRow
        var table = index.flattened(for: total)
        var row = firstRow
        while row < slots[token].count {
            let start = location(of: row, in: token)
            let rows = unsafe type.rows(of: start.page, in: pages)
            let count = pages.count(start.page)
            var offset = start.offset
            while offset < count {
                offset = unsafe Self.add(rows, offset..<count, of: start.page, to: &table, type)
                if offset == count { break }
                let end = Location(page: start.page, offset: offset)
                let found = unsafe search(
                    rows + offset * type.stride, type, mask: table.count - 1, before: end, { table[$0] })
                if let found { return (row - start.offset + offset - firstRow, found) }
                ItemIndex.add(bucket(at: end, type), to: &table)
                offset += 1
            }
            row += count - start.offset
        }
        index = ItemIndex(table, count: total)
        return nil
    }

    /// Adds rows of a page to a table in one piece, up to the first whose hash the table has already. Returns its
    /// offset.
    private static func add(
        _ rows: UnsafeRawPointer, _ offsets: Range<Int>, of page: Int,
        to table: inout ContiguousArray<ItemIndex.Bucket>,
        _ type: RowType
    ) -> Int {
        var buckets = table.mutableSpan
        let mask = buckets.count - 1
        for offset in offsets {
            let hash = unsafe (rows + offset * type.stride).rowHash
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
        return offsets.upperBound
    }
}
