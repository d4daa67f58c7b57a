extension Snapshot {
    /// Appends an item if it is not there yet; else says where it is and changes nothing. O(1) amortised.
    @inlinable
    mutating func appendNew(_ item: Item, hash: UInt32, to token: Int) -> Location? {
        index.reserve(index.count + 1)
        var position = index.home(of: hash)
        while true {
            let bucket = index[position]
            if bucket.token < 0 { break }
            if bucket.hash == hash, let row = slots[Int(bucket.token)].row(of: item, hint: bucket.hint) {
                return Location(bucket: position, token: Int(bucket.token), row: row)
            }
            position = index.position(after: position)
        }
        let hint = slots[token].count - slots[token].shift
        index.insert(ItemIndex.Bucket(hash: hash, token: token, hint: hint), at: position)
        slots[token].rows.append(item, hash: hash)
        starts.add(1, at: slots[token].position)
        return nil
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
