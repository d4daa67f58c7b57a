/// Maps an item's hash to the pages where the item may be, or to its node: an open-addressing table without
/// identifiers.
///
/// - Shape: linear probing over a power of two of buckets, at most two thirds full. They are in one piece when the
///   table is made. A change of a large table copies the 128 buckets around it, which then count instead of the
///   originals; copies of the table share those, too. There is one bucket for each row. Buckets with the same hash and
///   page are interchangeable: whichever is removed or redirected, there are as many as rows.
/// - Complexity: insert and remove O(1) amortised, as long as hashes differ.
/// - Source: D. E. Knuth, "The Art of Computer Programming" volume 3, 6.4, algorithms L and R.
@frozen
@usableFromInline
struct ItemIndex: Sendable {
    /// The page of an item, and the offset that it once had there, which is the first place to look.
    @frozen
    @usableFromInline
    struct Place: Equatable, Sendable {
        @usableFromInline var bits: UInt32

        @inlinable
        init(page: Int, offset: Int) { bits = UInt32(truncatingIfNeeded: page << 7 | offset) }

        @inlinable
        init(bits: UInt32) { self.bits = bits }

        @inlinable
        var page: Int { Int(bits >> 7) }

        @inlinable
        var offset: Int { Int(bits & 127) }
    }

    @frozen
    @usableFromInline
    struct Bucket: Sendable {
        @usableFromInline var hash: UInt32
        @usableFromInline var place: Place

        @inlinable
        init(hash: UInt32, place: Place) {
            self.hash = hash
            self.place = place
        }

        @inlinable
        static var empty: Bucket { Bucket(hash: 0, place: Place(bits: .max)) }

        @inlinable
        var isEmpty: Bool { place.bits == .max }
    }

    @usableFromInline var base: ContiguousArray<Bucket> = []
    /// The stretches of 128 buckets in which something has changed; the others are empty. No pages before the first
    /// change.
    @usableFromInline var changed = PageTree<Bucket>()
    @usableFromInline var count = 0
    /// The number of buckets minus one, or -1 before the first insertion.
    @usableFromInline var mask = -1
    /// True when the table stays in one piece at any size, because its owner is copied as a whole, too.
    @usableFromInline var isWhole: Bool

    @inlinable
    init(isWhole: Bool = false) {
        self.isWhole = isWhole
    }

    /// A table of `base`, whose count is a power of two. `count` of its buckets are not empty.
    @inlinable
    init(_ base: ContiguousArray<Bucket>, count: Int, isWhole: Bool = false) {
        self.base = base
        self.count = count
        self.isWhole = isWhole
        mask = base.count - 1
    }

    @inlinable
    subscript(position: Int) -> Bucket {
        @inline(__always)
        get {
            if changed.isEmpty || changed.count(position >> 7) == 0 { return base[position] }
            return changed[position >> 7, position & 127]
        }
        set {
            if mask < 512 || isWhole {
                base[position] = newValue
                return
            }
            let page = position >> 7
            if changed.isEmpty { changed = PageTree(count: base.count >> 7) }
            if changed.count(page) == 0 {
                let buckets = ContiguousArray(base[page << 7..<(page + 1) << 7])
                changed.change(page) { $0 = buckets }
            }
            changed.change(page) { $0[position & 127] = newValue }
        }
    }

    @inlinable
    func home(of hash: UInt32) -> Int { Int(hash) & mask }

    @inlinable
    func position(after position: Int) -> Int { (position &+ 1) & mask }

    /// Adds a bucket for a row that has none.
    @inlinable
    mutating func insert(_ bucket: Bucket) {
        reserve(count + 1)
        var position = home(of: bucket.hash)
        while !self[position].isEmpty { position = self.position(after: position) }
        self[position] = bucket
        count += 1
    }

    /// Returns the position of a bucket with this hash and page, or nil if there is none.
    @inlinable
    func position(of hash: UInt32, in page: Int) -> Int? { position(of: hash) { $0.page == page } }

    /// Returns the position of the first bucket with this hash whose place `isRight` accepts.
    @inlinable
    @inline(__always)
    func position(of hash: UInt32, where isRight: (Place) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        var position = home(of: hash)
        while true {
            let bucket = self[position]
            if bucket.isEmpty { return nil }
            if bucket.hash == hash, isRight(bucket.place) { return position }
            position = self.position(after: position)
        }
    }

    /// Removes a bucket with this hash and page, which must exist.
    @usableFromInline
    mutating func remove(_ hash: UInt32, in page: Int) {
        guard let position = position(of: hash, in: page) else {
            misuse("An item is in its section and not in the index", CallSite())
        }
        remove(at: position)
    }

    /// Empties the bucket at `position` and closes the gap, so that every search still ends at the first empty bucket.
    @inlinable
    mutating func remove(at position: Int) {
        var gap = position
        var next = self.position(after: gap)
        while true {
            let bucket = self[next]
            if bucket.isEmpty { break }
            if (next - home(of: bucket.hash)) & mask >= (next - gap) & mask {
                self[gap] = bucket
                gap = next
            }
            next = self.position(after: next)
        }
        self[gap] = .empty
        count -= 1
    }

    /// Makes room for `total` buckets.
    @inlinable
    mutating func reserve(_ total: Int) {
        if !hasRoom(for: total) { self = ItemIndex(flattened(for: total), count: count, isWhole: isWhole) }
    }

    @inlinable
    func hasRoom(for total: Int) -> Bool { total * 3 <= (mask + 1) * 2 }
}

extension ItemIndex {
    /// Returns the buckets in one piece, with room for `total`.
    @inlinable
    func flattened(for total: Int) -> ContiguousArray<Bucket> {
        var capacity = max(mask + 1, 8)
        while total * 3 > capacity * 2 { capacity *= 2 }
        var table = ContiguousArray(repeating: Bucket.empty, count: capacity)
        if count == 0 { return table }
        for position in base.indices where !self[position].isEmpty { Self.add(self[position], to: &table) }
        return table
    }

    /// Adds a bucket to a table in one piece, which has room for it.
    @inlinable
    static func add(_ bucket: Bucket, to table: inout ContiguousArray<Bucket>) {
        var position = Int(bucket.hash) & (table.count - 1)
        while !table[position].isEmpty { position = (position + 1) & (table.count - 1) }
        table[position] = bucket
    }
}
