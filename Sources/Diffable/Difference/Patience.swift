/// A longest increasing subsequence of single items, by patience sorting.
///
/// - Complexity: O(*n* log *l*) where the answer has *l* items; O(*n*) for items that ascend or descend.
enum Patience {
    /// Returns a longest sequence whose `old` ascends.
    static func longest(_ items: ContiguousArray<Run>) -> Chain {
        // For each length, the lowest last value of an increasing sequence of that length, and its item.
        var (values, tails): (ContiguousArray<Int32>, ContiguousArray<Int32>) = ([], [])
        var previous = ContiguousArray(repeating: Int32(-1), count: items.count)
        for i in items.indices {
            let (value, item) = (items[i].old, Int32(truncatingIfNeeded: i))
            let length = place(of: value, in: values)
            if length > 0 { previous[i] = tails[length - 1] }
            if length == values.count {
                values.append(value)
                tails.append(item)
            } else {
                values[length] = value
                tails[length] = item
            }
        }
        return Chain(last: tails.last ?? -1, previous: previous)
    }

    /// Returns the number of `values`, which ascend, that are lower than `value`.
    @inline(__always)
    static func place(of value: Int32, in values: ContiguousArray<Int32>) -> Int {
        guard let last = values.last, value < last else { return values.count }
        if value < values[0] { return 0 }
        let values = values.span
        var low = 0
        var count = values.count
        // Comparisons are added up instead of branched on, because a branch on a shuffled list cannot be predicted.
        while count > 3 {
            let quarter = count >> 2
            let lower =
                (values[low + quarter - 1] < value ? 1 : 0) + (values[low + 2 * quarter - 1] < value ? 1 : 0)
                + (values[low + 3 * quarter - 1] < value ? 1 : 0)
            low += lower * quarter
            count -= 3 * quarter
        }
        var lower = 0
        for place in low..<low + count { lower += values[place] < value ? 1 : 0 }
        return low + lower
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
