/// Where an item was found: its bucket in the index, its section's token, its row in that section.
@frozen
@usableFromInline
struct Location {
    @usableFromInline var bucket: Int
    @usableFromInline var token: Int
    @usableFromInline var row: Int

    @inlinable
    init(bucket: Int, token: Int, row: Int) {
        self.bucket = bucket
        self.token = token
        self.row = row
    }
}

extension Snapshot {
    @inlinable
    func locate(_ item: Item) -> Location? {
        locate(item, hash: rowHash(item))
    }

    @inlinable
    @inline(__always)
    func locate(_ item: Item, hash: UInt32) -> Location? {
        guard index.count > 0 else { return nil }
        var position = index.home(of: hash)
        var bucket = index[position]
        while bucket.token >= 0 {
            let token = Int(bucket.token)
            if bucket.hash == hash, let row = slots[token].row(of: item, hint: bucket.hint, below: slots[token].count) {
                return Location(bucket: position, token: token, row: row)
            }
            position = index.position(after: position)
            bucket = index[position]
        }
        return nil
    }

    @inlinable
    func known(_ item: Item, _ purpose: StaticString) -> Location {
        guard let location = locate(item) else {
            misuse("Item \(item) is not in the snapshot: \(purpose)")
        }
        return location
    }

    @inlinable
    func token(of section: Section) -> Int? {
        tokens.isEmpty ? order.first { slots[$0].identifier == section } : tokens[section]
    }

    @inlinable
    func known(_ section: Section, _ purpose: StaticString) -> Int {
        guard let token = token(of: section) else {
            misuse("Section \(section) is not in the snapshot: \(purpose)")
        }
        return token
    }

    @inlinable
    func item(at location: Location) -> Item {
        slots[location.token].rows.items[location.row]
    }

    @inlinable
    func path(of location: Location) -> ItemPath {
        ItemPath(section: slots[location.token].position, item: location.row)
    }
}
