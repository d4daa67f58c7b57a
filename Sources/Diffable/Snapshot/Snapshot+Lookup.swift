/// The location of an item: the number of its page, and its offset there.
@frozen
@usableFromInline
struct Location: Equatable {
    @usableFromInline var page: Int
    @usableFromInline var offset: Int

    @inlinable
    init(page: Int, offset: Int) {
        self.page = page
        self.offset = offset
    }
}

/// The place of an item, as far as the index alone knows it.
@frozen
@usableFromInline
enum Found {
    case at(Location)
    case nowhere
    /// It has to be searched.
    case unknown
}

extension Snapshot {
    @inlinable
    @inline(__always)
    func locate(_ item: Item) -> Location? {
        locate(item, hash: rowHash(item))
    }

    @inlinable
    @inline(__always)
    func locate(_ item: Item, hash: UInt32) -> Location? {
        switch find(item, hash: hash) {
        case .at(let location): location
        case .nowhere: nil
        case .unknown: searchEverywhere(item, hash: hash)
        }
    }

    /// Looks where the index says. Reads parts of the snapshot and never hands it on as a whole, which would copy it
    /// first if it is in an object.
    @inlinable
    @inline(__always)
    func find(_ item: Item, hash: UInt32) -> Found {
        guard index.mask >= 0 else { return .unknown }
        var position = index.home(of: hash)
        var isStale = false
        while true {
            let bucket = index[position]
            if bucket.isEmpty { return isStale ? .unknown : .nowhere }
            if bucket.hash == hash {
                if pages.holds(item, hash: hash, at: bucket.place) {
                    return .at(Location(page: bucket.place.page, offset: bucket.place.offset))
                }
                isStale = true
            }
            position = index.position(after: position)
        }
    }

    /// Finds an item that is not where the index says, or not in the index.
    @inlinable
    @inline(never)
    func searchEverywhere(_ item: Item, hash: UInt32) -> Location? {
        unsafe withUnsafePointer(to: Row(item, hash: hash)) { row in
            withAnyList { unsafe $0.list.searchEverywhere(UnsafeRawPointer(row), RowType(Item.self)) }
        }
    }

    @inlinable
    func known(_ item: Item, _ purpose: StaticString, _ caller: CallSite) -> Location {
        known(item, hash: rowHash(item), purpose, caller)
    }

    @inlinable
    func known(_ item: Item, hash: UInt32, _ purpose: StaticString, _ caller: CallSite) -> Location {
        guard let location = locate(item, hash: hash) else {
            misuse("Item \(item) is not in the snapshot: \(purpose)", caller)
        }
        return location
    }

    @inlinable
    func token(of section: Section) -> Int? {
        tokens.isEmpty ? order.first { name($0) == section } : tokens[section]
    }

    /// Returns the identifier of the section with this token.
    @inlinable
    @inline(__always)
    func name(_ token: Int) -> Section { names[token]! }

    @inlinable
    func known(_ section: Section, _ purpose: StaticString, _ caller: CallSite) -> Int {
        guard let token = token(of: section) else {
            misuse("Section \(section) is not in the snapshot: \(purpose)", caller)
        }
        return token
    }

    @inlinable
    @inline(__always)
    func item(at location: Location) -> Item { pages.row(location.page, location.offset).item }

    /// Returns the token of the section that an item is in.
    @inlinable
    @inline(__always)
    func token(at location: Location) -> Int { Int(pages.homes[location.page].token) }

    /// Returns the row of an item in its section.
    @inlinable
    @inline(__always)
    func row(at location: Location) -> Int {
        let home = pages.homes[location.page]
        return Int(slots[Int(home.token)].rows.starts[Int(home.ordinal)]) + location.offset
    }

    @inlinable
    @inline(__always)
    func path(of location: Location) -> ItemPath {
        ItemPath(section: slots[token(at: location)].position, item: row(at: location))
    }

    /// Returns the page and the offset of a row of the section with this token.
    @inlinable
    @inline(__always)
    func location(of row: Int, in token: Int) -> Location {
        let ordinal = slots[token].rows.ordinal(of: row)
        return Location(
            page: Int(slots[token].rows.numbers[ordinal]), offset: row - Int(slots[token].rows.starts[ordinal]))
    }
}
