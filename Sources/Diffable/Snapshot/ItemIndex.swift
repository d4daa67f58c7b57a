/// From an item's hash to the pages where that item may stand, or to its node: an open-addressing table that knows no
/// identifiers.
///
/// - Shape: linear probing over a power of two of buckets, at most two thirds full. They are in one piece from when the
///   table was made; a change of a large one copies the 128 around it, which from then on count instead, and copies of the
///   table share those, too. There is one bucket for each row, and buckets with the same hash and page stand for each other:
///   whichever is removed or redirected, as many stay as there are rows.
/// - Complexity: insert and remove O(1) amortised, as long as hashes differ.
/// - Source: D. E. Knuth, "The Art of Computer Programming" volume 3, 6.4, algorithms L and R.
@frozen
@usableFromInline
struct ItemIndex: Sendable {
    /// The page that an item stands in and the offset that it had there at some time, where to look first.
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
    /// Each 128 of `base` of which some have changed since; the others are empty. No pages at all until then.
    @usableFromInline var changed = PageTree<Bucket>()
    @usableFromInline var count = 0
    /// The number of buckets less one, or -1 before the first insertion.
    @usableFromInline var mask = -1
    /// Whether it stays in one piece, however large, as what it belongs to is copied as a whole, too.
    @usableFromInline let isWhole: Bool

    @inlinable
    init(isWhole: Bool = false) {
        self.isWhole = isWhole
    }

    /// A table of `base`, the count of which is a power of two; `count` of its buckets are not empty.
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

    /// A bucket of a row with this hash in this page, if there is one.
    @inlinable
    func position(of hash: UInt32, in page: Int) -> Int? { position(of: hash) { $0.page == page } }

    /// The first bucket with this hash at a place that is the right one.
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

    /// Empties the bucket at `position` and closes the gap, so that every search still ends at the first empty one.
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

    /// Makes room for `total` entries.
    @inlinable
    mutating func reserve(_ total: Int) {
        if !hasRoom(for: total) { self = ItemIndex(flattened(for: total), count: count, isWhole: isWhole) }
    }

    @inlinable
    func hasRoom(for total: Int) -> Bool { total * 3 <= (mask + 1) * 2 }
}

extension ItemIndex {
    /// The buckets with room for `total`, in one piece.
    @inlinable
    func flattened(for total: Int) -> ContiguousArray<Bucket> {
        var capacity = max(mask + 1, 8)
        while total * 3 > capacity * 2 { capacity *= 2 }
        var table = ContiguousArray(repeating: Bucket.empty, count: capacity)
        if count == 0 { return table }
        for position in base.indices where !self[position].isEmpty { Self.add(self[position], to: &table) }
        return table
    }

    /// Puts a bucket into a table in one piece, which has room for it.
    @inlinable
    static func add(_ bucket: Bucket, to table: inout ContiguousArray<Bucket>) {
        var position = Int(bucket.hash) & (table.count - 1)
        while !table[position].isEmpty { position = (position + 1) & (table.count - 1) }
        table[position] = bucket
    }
}
