extension Snapshot {
    /// Appends items if all are new and different; else changes nothing, and says which one is not and where it stands.
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
        appendRows(items, to: token)
        if let repeated = index.hasRoom(for: index.count + items.count)
            ? indexRows(from: firstRow, of: token) : indexManyRows(from: firstRow, of: token)
        {
            removeRows(from: firstRow, of: token)
            return repeated
        }
        starts.add(items.count, at: slots[token].position)
        return nil
    }

    /// Appends one row that is not in the snapshot. O(1) amortised.
    @inlinable
    mutating func appendNew(_ row: Row<Item>, to token: Int) {
        let page = pageToFill(of: token)
        pages.change(page) { $0.append(row) }
        slots[token].rows.count += 1
        index.insert(
            ItemIndex.Bucket(hash: row.hash, place: ItemIndex.Place(page: page, offset: pages.count(page) - 1)))
        starts.add(1, at: slots[token].position)
    }

    /// The number of a section's last page, a new one if that is full.
    @inlinable
    mutating func pageToFill(of token: Int) -> Int {
        if let last = slots[token].rows.numbers.last, pages.count(Int(last)) < Pages<Item>.fill { return Int(last) }
        let page = pages.add([], Pages<Item>.Home(token: token, ordinal: slots[token].rows.numbers.count))
        slots[token].rows.append(page, count: 0)
        return page
    }

    /// Puts rows behind the last of a section; the index does not have them yet. Each item is hashed.
    @inlinable
    mutating func appendRows(_ items: [Item], to token: Int) {
        var next = 0
        while next < items.count {
            let page = pageToFill(of: token)
            let end = min(items.count, next + Pages<Item>.fill - pages.count(page))
            pages.change(page) { rows in
                if rows.isEmpty { rows.reserveCapacity(end - next) }
                for place in next..<end { rows.append(Row(items[place])) }
            }
            slots[token].rows.count += end - next
            next = end
        }
    }

    /// Takes the last rows of a section, which the index does not have, out of their pages.
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

    /// Puts the rows from `firstRow` on into the index, which has room for them, up to the first item that it has already:
    /// then none.
    @inlinable
    mutating func indexRows(from firstRow: Int, of token: Int) -> (offset: Int, found: Location)? {
        var row = firstRow
        while row < slots[token].count {
            let start = location(of: row, in: token)
            let rows = pages[start.page]
            for offset in start.offset..<rows.count {
                let hash = rows[offset].hash
                if let found = locateBefore(Location(page: start.page, offset: offset), rows[offset]) {
                    for done in firstRow..<row { forget(location(of: done, in: token)) }
                    return (row - firstRow, found)
                }
                index.insert(ItemIndex.Bucket(hash: hash, place: ItemIndex.Place(page: start.page, offset: offset)))
                row += 1
            }
        }
        return nil
    }

    /// Where an item of a row that the index does not have yet stands besides.
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

    /// As ``indexRows(from:of:)``, where so many come that the table has to grow: it does so in one piece, which is fast to
    /// fill, and is cut into pages then.
    @inlinable
    mutating func indexManyRows(from firstRow: Int, of token: Int) -> (offset: Int, found: Location)? {
        let total = index.count + slots[token].count - firstRow
        var flat = index.flattened(for: total)
        let mask = flat.count - 1
        var row = firstRow
        while row < slots[token].count {
            let start = location(of: row, in: token)
            let rows = pages[start.page]
            for offset in start.offset..<rows.count {
                let hash = rows[offset].hash
                var position = Int(hash) & mask
                var isKnown = false
                while !flat[position].isEmpty {
                    isKnown = isKnown || flat[position].hash == hash
                    position = (position &+ 1) & mask
                }
                if isKnown,
                    let found = search(
                        rows[offset].item, hash: hash, mask: mask, before: Location(page: start.page, offset: offset),
                        { flat[$0] })
                {
                    return (row - firstRow, found)
                }
                flat[position] = ItemIndex.Bucket(
                    hash: hash, place: ItemIndex.Place(page: start.page, offset: offset))
                row += 1
            }
        }
        index = ItemIndex(flat, count: total)
        return nil
    }
}
