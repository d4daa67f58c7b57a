/// A longest increasing subsequence of single items, by patience sorting.
///
/// - Complexity: O(*n* log *l*) where the answer has *l* items; O(*n*) for items that ascend or descend.
enum Patience {
    /// Returns a longest sequence whose `old` ascends.
    static func longest(_ items: ContiguousArray<Run>) -> Chain {
        // For each length, the lowest last value of an increasing sequence of that length, and its item.
        var values = ContiguousArray(repeating: Int32(0), count: items.count)
        var tails = values
        var previous = ContiguousArray(repeating: Int32(-1), count: items.count)
        let last = link(items.span, values.mutableSpan, tails.mutableSpan, previous.mutableSpan)
        return Chain(last: last, previous: previous)
    }

    /// Notes, for each item, the item before it in a longest sequence that ends there. Returns the last of a longest one.
    private static func link(
        _ items: Span<Run>, _ values: consuming MutableSpan<Int32>, _ tails: consuming MutableSpan<Int32>,
        _ previous: consuming MutableSpan<Int32>
    ) -> Int32 {
        var count = 0
        for i in items.indices {
            let value = items[i].old
            let length = place(of: value, in: values.span, count)
            if length > 0 { previous[i] = tails[length - 1] }
            values[length] = value
            tails[length] = Int32(truncatingIfNeeded: i)
            if length == count { count += 1 }
        }
        return count > 0 ? tails[count - 1] : -1
    }

    /// Returns the number of the first `count` values, which ascend, that are lower than `value`.
    @inline(__always)
    private static func place(of value: Int32, in values: Span<Int32>, _ count: Int) -> Int {
        if count == 0 || values[count - 1] < value { return count }
        if value < values[0] { return 0 }
        var low = 0
        var count = count
        // Comparisons are added up instead of branched on, because a branch on a shuffled list cannot be predicted. All
        // places are below the count, which was checked.
        while count > 3 {
            let quarter = count >> 2
            let (first, second, third) = unsafe (
                values[unchecked: low &+ quarter &- 1], values[unchecked: low &+ 2 &* quarter &- 1],
                values[unchecked: low &+ 3 &* quarter &- 1]
            )
            let lower = (first < value ? 1 : 0) &+ (second < value ? 1 : 0) &+ (third < value ? 1 : 0)
            low &+= lower &* quarter
            count &-= 3 &* quarter
        }
        var lower = 0
        for place in low..<low &+ count { lower &+= unsafe values[unchecked: place] < value ? 1 : 0 }
        return low &+ lower
    }
}

/// A subsequence of a list's runs.
struct Chain {
    /// For each run, the run before it in the chain that ends there. Runs of the chosen chain are marked with
    /// ``inside``.
    private var previous: ContiguousArray<Int32>

    private static let inside: Int32 = -2

    /// The chain that ends with `last`. `previous` has, for each run, the one before it or -1.
    init(last: Int32, previous: ContiguousArray<Int32>) {
        self.previous = previous
        var run = Int(last)
        while run >= 0 {
            let before = Int(self.previous[run])
            self.previous[run] = Self.inside
            run = before
        }
    }

    func contains(_ run: Int) -> Bool { previous[run] == Self.inside }
}
