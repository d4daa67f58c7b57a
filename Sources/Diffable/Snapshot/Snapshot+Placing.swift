extension Snapshot {
    /// Appends items if all are new and different; else changes nothing, and says which one is not and where it stands.
    ///
    /// All are hashed before the first is looked for: what one search waits for in memory does not hold up the next.
    /// O(1) amortised each.
    @inlinable
    mutating func appendNew(_ items: [Item], to token: Int) -> (offset: Int, found: Location)? {
        let firstRow = slots[token].count
        slots[token].rows.append(items)
        index.reserve(index.count + items.count)
        let shift = slots[token].shift
        for (offset, item) in items.enumerated() {
            let row = firstRow + offset
            let hash = slots[token].rows.hashes[row]
            var position = index.home(of: hash)
            while true {
                let bucket = index[position]
                if bucket.token < 0 { break }
                let other = Int(bucket.token)
                // In its own section an item is looked for above itself only.
                let limit = other == token ? row : slots[other].count
                if bucket.hash == hash, let found = slots[other].row(of: item, hint: bucket.hint, below: limit) {
                    undoAppends(offset, of: items.count, to: token)
                    return (offset, Location(bucket: position, token: other, row: found))
                }
                position = index.position(after: position)
            }
            index.insert(ItemIndex.Bucket(hash: hash, token: token, hint: row - shift), at: position)
        }
        starts.add(items.count, at: slots[token].position)
        return nil
    }

    /// Takes the last `count` rows of a section out again, of which the first `indexed` are in the index.
    @inlinable
    mutating func undoAppends(_ indexed: Int, of count: Int, to token: Int) {
        let firstRow = slots[token].count - count
        for row in firstRow..<firstRow + indexed { forget(row, in: token) }
        slots[token].rows.removeLast(count)
    }

    /// Puts items that are not in the snapshot, all different, in front of `row`. O(rows of the section + new ones).
    @inlinable
    mutating func insertNew(_ items: [Item], hashes: ContiguousArray<UInt32>, in token: Int, at row: Int) {
        let oldCount = slots[token].count
        slots[token].rows.insert(items, hashes: hashes, at: row)
        slots[token].noteInsertion(of: items.count, at: row, into: oldCount)
        let shift = slots[token].shift
        index.reserve(index.count + items.count)
        for (offset, hash) in hashes.enumerated() {
            index.insert(ItemIndex.Bucket(hash: hash, token: token, hint: row + offset - shift))
        }
        starts.add(items.count, at: slots[token].position)
        limitDrift(of: token)
    }

    /// Takes items out of the index and out of their sections; their marks stay. O(rows of the sections concerned).
    @inlinable
    mutating func takeOut(_ locations: [Location]) {
        var removed: [Int: ContiguousArray<Int>] = [:]
        for location in locations { removed[location.token, default: []].append(location.row) }
        for (token, positions) in removed {
            let ascending = ContiguousArray(positions.sorted())
            for row in ascending { forget(row, in: token) }
            let oldCount = slots[token].count
            slots[token].rows.remove(at: ascending)
            slots[token].noteRemoval(at: ascending, from: oldCount)
            starts.add(-ascending.count, at: slots[token].position)
        }
        for token in removed.keys { limitDrift(of: token) }
    }

    /// Takes the item at `row` out of the index, while it still stands in its section.
    @inlinable
    mutating func forget(_ row: Int, in token: Int) {
        let rows = slots[token].rows
        guard let location = locate(rows.items[row], hash: rows.hashes[row]) else {
            misuse("Item \(rows.items[row]) compares or hashes differently than when it was added")
        }
        index.remove(at: location.bucket)
    }

    /// Rebuilds the index once hints of `token` are too far off. O(*n*), every so many changes in a section's middle.
    @inlinable
    mutating func limitDrift(of token: Int) {
        if slots[token].drift > Slot<Section, Item>.driftLimit || abs(slots[token].shift) > 1 << 30 { rebuildIndex() }
    }

    @inlinable
    mutating func rebuildIndex() {
        index.reset(capacity: index.mask + 1)
        for token in order {
            slots[token].shift = 0
            slots[token].drift = 0
            for (row, hash) in slots[token].rows.hashes.enumerated() {
                index.place(ItemIndex.Bucket(hash: hash, token: token, hint: row))
            }
        }
    }
}
