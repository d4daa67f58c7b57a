/// How many items stand before each section, kept while sections grow and shrink.
///
/// - Complexity: every operation O(log *s*) in the number of sections, except ``init(_:)``, O(*s*).
/// - Source: P. M. Fenwick, "A New Data Structure for Cumulative Frequency Tables", Software: Practice and
///   Experience 24(3), 1994.
@frozen
@usableFromInline
struct PrefixSums: Sendable {
    /// `tree[i]` holds the sum of the counts in `(i & (i + 1))...i`.
    @usableFromInline var tree: ContiguousArray<Int>

    @inlinable
    init(_ counts: some Sequence<Int>) {
        tree = []
        for count in counts { append(count) }
    }

    @inlinable
    mutating func append(_ count: Int) {
        let position = tree.count
        let first = position & (position + 1)
        var sum = count
        var child = position - 1
        while child >= first {
            sum += tree[child]
            child = (child & (child + 1)) - 1
        }
        tree.append(sum)
    }

    @inlinable
    mutating func add(_ difference: Int, at position: Int) {
        var i = position
        while i < tree.count {
            tree[i] += difference
            i |= i + 1
        }
    }

    /// The sum of all counts before `position`.
    @inlinable
    func sum(before position: Int) -> Int {
        var sum = 0
        var i = position - 1
        while i >= 0 {
            sum += tree[i]
            i = (i & (i + 1)) - 1
        }
        return sum
    }
}
