/// A longest increasing subsequence of single items, by patience sorting.
///
/// - Complexity: O(*n* log *l*) where the answer has *l* items; O(*n*) for items that ascend or descend.
enum Patience {
    /// For each of `items`, whether it belongs to one longest sequence whose `old` ascends.
    static func kept(_ items: ContiguousArray<Run>) -> ContiguousArray<Bool> {
        /// The lowest last value of an increasing sequence of each length, and which item that is.
        var tails: ContiguousArray<Int32> = []
        var tailItems: ContiguousArray<Int32> = []
        var previous = ContiguousArray(repeating: Int32(-1), count: items.count)
        for i in items.indices {
            let length = place(of: items[i].old, in: tails)
            if length > 0 { previous[i] = tailItems[length - 1] }
            if length == tails.count {
                tails.append(items[i].old)
                tailItems.append(Int32(truncatingIfNeeded: i))
            } else {
                tails[length] = items[i].old
                tailItems[length] = Int32(truncatingIfNeeded: i)
            }
        }
        var kept = ContiguousArray(repeating: false, count: items.count)
        var item = tailItems.last ?? -1
        while item >= 0 {
            kept[Int(item)] = true
            item = previous[Int(item)]
        }
        return kept
    }

    /// How many of `tails`, which ascend, are lower than `value`.
    static func place(of value: Int32, in tails: ContiguousArray<Int32>) -> Int {
        guard let last = tails.last, value < last else { return tails.count }
        if value < tails[0] { return 0 }
        var low = 0
        var count = tails.count
        // The comparison picks a value, not a branch: what a shuffled list asks cannot be predicted.
        while count > 1 {
            let half = count / 2
            low = tails[low + half - 1] < value ? low + half : low
            count -= half
        }
        return tails[low] < value ? low + 1 : low
    }
}
