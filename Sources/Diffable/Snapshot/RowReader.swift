/// Reads rows of one section of a list, which must live longer, and keeps the page of the last one.
@safe
struct RowReader {
    let token: Int
    /// The address of the first row of the page.
    private(set) var rows: UnsafeRawPointer?
    /// The rows of the page.
    private(set) var base = 0
    private(set) var end = 0

    init(token: Int) {
        self.token = token
    }

    /// Returns the address of a row.
    @inline(__always)
    mutating func seek(_ row: Int, in list: AnyList, _ type: RowType) -> UnsafeRawPointer {
        if row < base || row >= end { load(row, list, type) }
        return unsafe rows.unsafelyUnwrapped + (row - base) * type.stride
    }

    @inline(never)
    private mutating func load(_ row: Int, _ list: AnyList, _ type: RowType) {
        let ordinal = list.slots[token].rows.ordinal(of: row)
        base = Int(list.slots[token].rows.starts[ordinal])
        let number = Int(list.slots[token].rows.numbers[ordinal])
        unsafe rows = type.rows(of: number, in: list.pages)
        end = base + list.pages.count(number)
    }

    @inline(__always)
    func isShared(with other: RowReader) -> Bool { unsafe rows == other.rows }
}

extension Snapshot<AnyIdentifier, AnyIdentifier> {
    /// Returns how many rows of a section from `i` on are equal to those of a section of another snapshot from `j` on,
    /// at most `limit`. Pages that the two share are skipped. O(rows returned).
    @usableFromInline
    func commonPrefix(
        _ token: Int, _ i: Int, _ other: AnyList, _ otherToken: Int, _ j: Int, limit: Int, _ type: RowType
    ) -> Int {
        var (mine, theirs) = (RowReader(token: token), RowReader(token: otherToken))
        var count = 0
        while count < limit {
            let a = unsafe mine.seek(i + count, in: self, type)
            let b = unsafe theirs.seek(j + count, in: other, type)
            let length = min(limit - count, mine.end - i - count, theirs.end - j - count)
            let isShared = i - mine.base == j - theirs.base && mine.isShared(with: theirs)
            let equal = unsafe isShared ? length : type.countEqual(a, b, length, type.stride)
            count += equal
            if equal < length { break }
        }
        return count
    }

    /// Returns how many rows of a section before `i` are equal to those of a section of another snapshot before `j`, at
    /// most `limit`. Pages that the two share are skipped. O(rows returned).
    func commonSuffix(
        _ token: Int, _ i: Int, _ other: AnyList, _ otherToken: Int, _ j: Int, limit: Int, _ type: RowType
    ) -> Int {
        var (mine, theirs) = (RowReader(token: token), RowReader(token: otherToken))
        var count = 0
        while count < limit {
            let a = unsafe mine.seek(i - count - 1, in: self, type)
            let b = unsafe theirs.seek(j - count - 1, in: other, type)
            let length = min(limit - count, i - count - mine.base, j - count - theirs.base)
            let isShared = i - mine.base == j - theirs.base && mine.isShared(with: theirs)
            let equal = unsafe isShared ? length : type.countEqual(a, b, length, -type.stride)
            count += equal
            if equal < length { break }
        }
        return count
    }

    /// Returns true if each section has the rows that the section at its place in another list has.
    @usableFromInline
    func hasSameRows(as other: AnyList, _ type: RowType) -> Bool {
        zip(order, other.order).allSatisfy { hasSameRows(in: $0, as: other, $1, type) }
    }

    @usableFromInline
    func hasSameRows(in token: Int, as other: AnyList, _ otherToken: Int, _ type: RowType) -> Bool {
        let count = slots[token].count
        return count == other.slots[otherToken].count
            && commonPrefix(token, 0, other, otherToken, 0, limit: count, type) == count
    }

    /// Returns the location of the item of a row of another list, if this list has the item.
    @inline(__always)
    func locate(_ row: UnsafeRawPointer, _ type: RowType) -> Location? {
        guard index.mask >= 0 else { return unsafe searchEverywhere(row, type) }
        let hash = unsafe row.rowHash
        var position = index.home(of: hash)
        var isStale = false
        while true {
            let bucket = index[position]
            if bucket.isEmpty { return unsafe isStale ? searchEverywhere(row, type) : nil }
            if bucket.hash == hash {
                let location = Location(page: bucket.place.page, offset: bucket.place.offset)
                if unsafe location.offset < pages.count(location.page)
                    && type.areSame(type.row(location, of: self), row)
                {
                    return location
                }
                isStale = true
            }
            position = index.position(after: position)
        }
    }

    /// Finds an item that is not where the index says, or not in the index.
    @usableFromInline
    @inline(never)
    func searchEverywhere(_ row: UnsafeRawPointer, _ type: RowType) -> Location? {
        if index.mask >= 0 { return unsafe search(row, type, mask: index.mask, before: nil) { index[$0] } }
        for page in pages.homes.indices {
            if let offset = unsafe offset(of: row, type, in: page, below: .max) {
                return Location(page: page, offset: offset)
            }
        }
        return nil
    }

    /// Searches the pages that have a row with this hash, because the item's offset there may have changed.
    ///
    /// - `end`: the location in a page from which on rows do not count.
    /// - `bucket`: returns the bucket at a position.
    func search(
        _ row: UnsafeRawPointer, _ type: RowType, mask: Int, before end: Location?,
        _ bucket: (Int) -> ItemIndex.Bucket
    ) -> Location? {
        let hash = unsafe row.rowHash
        var position = Int(hash) & mask
        var lastPage = -1
        while true {
            let next = bucket(position)
            if next.isEmpty { return nil }
            position = (position + 1) & mask
            let page = next.place.page
            if next.hash != hash || page == lastPage { continue }
            lastPage = page
            let limit = page == end?.page ? end?.offset : nil
            if let offset = unsafe offset(of: row, type, in: page, below: limit ?? .max) {
                return Location(page: page, offset: offset)
            }
        }
    }

    /// Returns the offset of an item in a page, if it is one of the first `limit` rows. O(rows of the page).
    private func offset(of row: UnsafeRawPointer, _ type: RowType, in number: Int, below limit: Int) -> Int? {
        let rows = unsafe type.rows(of: number, in: pages)
        for offset in 0..<min(pages.count(number), limit)
        where unsafe type.areSame(rows + offset * type.stride, row) { return offset }
        return nil
    }
}
