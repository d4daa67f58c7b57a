/// From an item's hash to the places where that item may stand: an open-addressing table that knows no identifiers.
///
/// - Shape: linear probing over a power of two of buckets, at most two thirds full, in pages of 512. Copies share the
///   pages; a change copies only the pages that it touches.
/// - Complexity: insert and remove O(1) amortised, as long as hashes differ.
/// - Source: D. E. Knuth, "The Art of Computer Programming" volume 3, 6.4, algorithms L and R.
@frozen
@usableFromInline
struct ItemIndex: Sendable {
    /// One entry. `token` is the section's, or -1 in an empty bucket; `hint` is where in the section to look.
    @frozen
    @usableFromInline
    struct Bucket: Sendable {
        @usableFromInline var hash: UInt32
        @usableFromInline var token: Int32
        @usableFromInline var hint: Int32

        @inlinable
        init(hash: UInt32, token: Int, hint: Int) {
            self.hash = hash
            self.token = Int32(truncatingIfNeeded: token)
            self.hint = Int32(truncatingIfNeeded: hint)
        }

        @inlinable
        static var empty: Bucket { Bucket(hash: 0, token: -1, hint: 0) }
    }

    @usableFromInline var pages: ContiguousArray<ContiguousArray<Bucket>> = []
    @usableFromInline var count = 0
    /// The number of buckets less one, or -1 before the first insertion.
    @usableFromInline var mask = -1

    @inlinable
    static var pageBits: Int { 9 }

    @inlinable
    init() {}

    @inlinable
    subscript(position: Int) -> Bucket {
        get { pages[position >> Self.pageBits][position & (1 << Self.pageBits - 1)] }
        set { pages[position >> Self.pageBits][position & (1 << Self.pageBits - 1)] = newValue }
    }

    @inlinable
    func home(of hash: UInt32) -> Int { Int(hash) & mask }

    @inlinable
    func position(after position: Int) -> Int { (position &+ 1) & mask }

    @inlinable
    mutating func insert(_ bucket: Bucket) {
        reserve(count + 1)
        place(bucket)
        count += 1
    }

    /// Puts `bucket` into the empty place where a search for its hash has just ended.
    @inlinable
    mutating func insert(_ bucket: Bucket, at position: Int) {
        self[position] = bucket
        count += 1
    }

    @inlinable
    mutating func place(_ bucket: Bucket) {
        var position = home(of: bucket.hash)
        while self[position].token >= 0 { position = self.position(after: position) }
        self[position] = bucket
    }

    /// Empties the bucket at `position` and closes the gap, so that every search still ends at the first empty one.
    @inlinable
    mutating func remove(at position: Int) {
        var gap = position
        var next = self.position(after: gap)
        while self[next].token >= 0 {
            let home = self.home(of: self[next].hash)
            if (next - home) & mask >= (next - gap) & mask {
                self[gap] = self[next]
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
        guard total * 3 > (mask + 1) * 2 else { return }
        var capacity = max(mask + 1, 8)
        while total * 3 > capacity * 2 { capacity *= 2 }
        let old = pages
        reset(capacity: capacity)
        for page in old {
            for bucket in page where bucket.token >= 0 { place(bucket) }
        }
    }

    /// Forgets every entry's bucket; the caller puts all of them back.
    @inlinable
    mutating func reset(capacity: Int) {
        let pageSize = min(capacity, 1 << Self.pageBits)
        var page: ContiguousArray<Bucket> = []
        page.reserveCapacity(pageSize)
        for _ in 0..<pageSize { page.append(.empty) }
        // One empty page is shared by all places until the first write: then each becomes a page of its own.
        pages = []
        pages.reserveCapacity(capacity / pageSize)
        for _ in 0..<capacity / pageSize { pages.append(page) }
        mask = capacity - 1
    }
}
