/// A heaviest increasing subsequence of runs, found with a tree of prefix maxima over the old order.
///
/// - Complexity: O(*r* log *r*).
/// - Source: G. Jacobson, K.-P. Vo, "Heaviest Increasing/Common Subsequence Problems", CPM 1992.
enum HeaviestIncreasing {
    /// Returns a set of runs whose `old` ascends and that has the most items.
    static func heaviest(_ runs: ContiguousArray<Run>) -> Chain {
        var ranks = ContiguousArray(repeating: 0, count: runs.count)
        for (rank, i) in runs.indices.sorted(by: { runs[$0].old < runs[$1].old }).enumerated() { ranks[i] = rank }
        var best = PrefixMaxima(count: runs.count)
        var previous = ContiguousArray(repeating: Int32(-1), count: runs.count)
        for i in runs.indices {
            let before = best.maximum(before: ranks[i])
            previous[i] = before.run
            let run = Int32(truncatingIfNeeded: i)
            best.raise(PrefixMaxima.Entry(weight: before.weight + Int(runs[i].count), run: run), at: ranks[i])
        }
        return Chain(last: best.maximum(before: runs.count).run, previous: previous)
    }
}

/// The heaviest entry before any place, while entries are added. O(log *n*) each.
struct PrefixMaxima {
    struct Entry {
        var weight = 0
        var run: Int32 = -1
    }

    private var tree: ContiguousArray<Entry>

    init(count: Int) {
        tree = ContiguousArray(repeating: Entry(), count: count)
    }

    mutating func raise(_ entry: Entry, at place: Int) {
        var i = place
        while i < tree.count {
            if tree[i].weight < entry.weight { tree[i] = entry }
            i |= i + 1
        }
    }

    func maximum(before place: Int) -> Entry {
        var best = Entry()
        var i = place - 1
        while i >= 0 {
            if tree[i].weight > best.weight { best = tree[i] }
            i = (i & (i + 1)) - 1
        }
        return best
    }
}
