/// Reads rows of one section, and keeps the page of the last one.
@frozen
@usableFromInline
struct RowReader<Item: Hashable> {
    @usableFromInline let token: Int
    @usableFromInline var page: Pages<Item>.Page = []
    /// The rows of `page`.
    @usableFromInline var base = 0
    @usableFromInline var end = 0

    @inlinable
    init(token: Int) {
        self.token = token
    }

    /// Makes `page` the page of `row`, which then has the offset `row - base`.
    @inlinable
    @inline(__always)
    mutating func seek<Section>(_ row: Int, in list: Snapshot<Section, Item>) {
        if row < base || row >= end { load(row, list) }
    }

    @inlinable
    mutating func load<Section>(_ row: Int, _ list: Snapshot<Section, Item>) {
        let ordinal = list.slots[token].rows.ordinal(of: row)
        base = Int(list.slots[token].rows.starts[ordinal])
        page = list.pages[Int(list.slots[token].rows.numbers[ordinal])]
        end = base + page.count
    }
}

extension Snapshot {
    /// Returns how many rows of a section from `i` on are equal to those of a section of another snapshot from `j` on,
    /// at most `limit`. Pages that the two share are skipped. O(rows returned).
    @inlinable
    func commonPrefix(_ token: Int, _ i: Int, _ other: Snapshot, _ otherToken: Int, _ j: Int, limit: Int) -> Int {
        var (mine, theirs) = (RowReader<Item>(token: token), RowReader<Item>(token: otherToken))
        var count = 0
        while count < limit {
            mine.seek(i + count, in: self)
            theirs.seek(j + count, in: other)
            let (a, b) = (i + count - mine.base, j + count - theirs.base)
            let length = min(limit - count, mine.page.count - a, theirs.page.count - b)
            var equal = a == b && mine.page.isShared(with: theirs.page) ? length : 0
            while equal < length, mine.page[a &+ equal].item == theirs.page[b &+ equal].item { equal &+= 1 }
            count += equal
            if equal < length { break }
        }
        return count
    }

    /// Returns how many rows of a section before `i` are equal to those of a section of another snapshot before `j`, at
    /// most `limit`. Pages that the two share are skipped. O(rows returned).
    @inlinable
    func commonSuffix(_ token: Int, _ i: Int, _ other: Snapshot, _ otherToken: Int, _ j: Int, limit: Int) -> Int {
        var (mine, theirs) = (RowReader<Item>(token: token), RowReader<Item>(token: otherToken))
        var count = 0
        while count < limit {
            mine.seek(i - count - 1, in: self)
            theirs.seek(j - count - 1, in: other)
            let (a, b) = (i - count - mine.base, j - count - theirs.base)
            let length = min(limit - count, a, b)
            var equal = a == b && mine.page.isShared(with: theirs.page) ? length : 0
            while equal < length, mine.page[a &- equal &- 1].item == theirs.page[b &- equal &- 1].item { equal &+= 1 }
            count += equal
            if equal < length { break }
        }
        return count
    }
}
