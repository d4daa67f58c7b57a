/// The number of items in each section, and the number before it, updated as sections grow and shrink.
///
/// - Shape: a few counts are added up one by one. For more counts there is a tree of sums.
/// - Complexity: every operation O(log *s*) in the number of sections, except ``init(_:)``, O(*s*).
/// - Source: P. M. Fenwick, "A New Data Structure for Cumulative Frequency Tables", Software: Practice and
///   Experience 24(3), 1994.
@frozen
@usableFromInline
struct PrefixSums: Sendable {
    @usableFromInline var counts: [Int]
    /// `tree[i]` holds the sum of the counts in `(i & (i + 1))...i`. Empty while there are few counts.
    @usableFromInline var tree: ContiguousArray<Int> = []

    /// Up to this number of sections, adding up one by one is faster than a tree.
    @inlinable
    static var few: Int { 16 }

    @inlinable
    init(_ counts: [Int]) {
        self.counts = counts
        if counts.count > Self.few { growTree() }
    }

    @inlinable
    mutating func append(_ count: Int) {
        counts.append(count)
        if counts.count > Self.few { growTree() }
    }

    /// Adds the counts to the tree that it does not have yet.
    @inlinable
    mutating func growTree() {
        for position in tree.count..<counts.count {
            let first = position & (position + 1)
            var sum = counts[position]
            var child = position - 1
            while child >= first {
                sum += tree[child]
                child = (child & (child + 1)) - 1
            }
            tree.append(sum)
        }
    }

    @inlinable
    mutating func add(_ difference: Int, at position: Int) {
        counts[position] += difference
        var i = position
        while i < tree.count {
            tree[i] += difference
            i |= i + 1
        }
    }

    /// Returns the sum of all counts before `position`.
    @inlinable
    func sum(before position: Int) -> Int {
        if tree.isEmpty { return counts[..<position].reduce(0, +) }
        var sum = 0
        var i = position - 1
        while i >= 0 {
            sum += tree[i]
            i = (i & (i + 1)) - 1
        }
        return sum
    }
}
