/// A longest increasing subsequence of single items, by patience sorting.
///
/// - Complexity: O(*n* log *l*) where the answer has *l* items; O(*n*) for items that ascend or descend.
enum Patience {
    /// The lowest last value of an increasing sequence of some length, and which item that is.
    struct Tail {
        var value: Int32
        var item: Int32
    }

    /// One longest sequence whose `old` ascends.
    static func longest(_ items: ContiguousArray<Run>) -> Chain {
        var tails: ContiguousArray<Tail> = []
        var previous = ContiguousArray(repeating: Int32(-1), count: items.count)
        for i in items.indices {
            let length = place(of: items[i].old, in: tails)
            if length > 0 { previous[i] = tails[length - 1].item }
            let tail = Tail(value: items[i].old, item: Int32(truncatingIfNeeded: i))
            if length == tails.count { tails.append(tail) } else { tails[length] = tail }
        }
        return Chain(last: tails.last?.item ?? -1, previous: previous)
    }

    /// How many of `tails`, which ascend, are lower than `value`.
    @inline(__always)
    static func place(of value: Int32, in tails: ContiguousArray<Tail>) -> Int {
        guard let last = tails.last, value < last.value else { return tails.count }
        if value < tails[0].value { return 0 }
        var low = 0
        var count = tails.count
        // The comparison picks a value, not a branch: what a shuffled list asks cannot be predicted.
        while count > 1 {
            let half = count / 2
            low = tails[low + half - 1].value < value ? low + half : low
            count -= half
        }
        return tails[low].value < value ? low + 1 : low
    }
}

/// Some of a list's runs.
struct Chain {
    /// For each run of the list the one before it, if the chain went through it, until ``inside`` marks those it does.
    private var previous: ContiguousArray<Int32>

    private static let inside: Int32 = -2

    /// The chain that ends with `last`, where `previous` has for each run the one before it or -1.
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
