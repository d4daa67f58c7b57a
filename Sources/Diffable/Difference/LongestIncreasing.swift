/// Finds the runs that can stay in place, so that as few items as possible move.
///
/// In some best answer, every run stays or moves as a whole. So it is enough to consider runs, with their lengths as
/// weights.
///
/// - Complexity: O(*r* log *r*) time in the number of runs, or in the number of items where most runs are single items;
///   O(*r*) where the runs ascend.
/// - Source: M. L. Fredman, "On computing the length of longest increasing subsequences", Discrete Mathematics 11,
///   1975.
@usableFromInline
enum LongestIncreasing {
    /// Returns the runs that must move, in the order given, which is that of `new`. A run may be returned in parts.
    @usableFromInline
    static func moved(_ runs: ContiguousArray<Run>) -> ContiguousArray<Run> {
        var moved: ContiguousArray<Run> = []
        if ascends(runs) { return moved }
        if runs.count <= 16 {
            var (places, weights) = (SIMD16<Int32>(repeating: -1), SIMD16<Int32>())
            for i in runs.indices { (places[i], weights[i]) = (runs[i].old, runs[i].count) }
            let staying = ofFew(places, weights, runs.count)
            for i in runs.indices where staying >> UInt32(i) & 1 == 0 { moved.append(runs[i]) }
            return moved
        }
        let ends = blockEnds(runs)
        if ends.count == 1 {
            solve(runs, moved: &moved)
            return moved
        }
        var start = 0
        for end in ends {
            if end - start > 1 { solve(ContiguousArray(runs[start..<end]), moved: &moved) }
            start = end
        }
        return moved
    }

    /// Returns a bit for each of at most sixteen places that is in one heaviest ascending sequence. Places below 0 are
    /// in none. O(*n*²), without an array.
    @usableFromInline
    static func ofFew(_ places: SIMD16<Int32>, _ weights: SIMD16<Int32>, _ count: Int) -> UInt32 {
        var sums = weights
        var previous = SIMD16<Int32>(repeating: -1)
        var last = -1
        for i in 0..<count where places[i] >= 0 {
            for before in 0..<i
            where places[before] >= 0 && places[before] < places[i] && sums[before] + weights[i] > sums[i] {
                sums[i] = sums[before] + weights[i]
                previous[i] = Int32(truncatingIfNeeded: before)
            }
            if last < 0 || sums[i] > sums[last] { last = i }
        }
        var inside: UInt32 = 0
        while last >= 0 {
            inside |= 1 << UInt32(last)
            last = Int(previous[last])
        }
        return inside
    }

    static func ascends(_ runs: ContiguousArray<Run>) -> Bool {
        for i in runs.indices.dropFirst() where runs[i].old < runs[i - 1].old { return false }
        return true
    }

    /// Cuts the runs wherever all before are lower than all after, because such blocks do not influence each other.
    static func blockEnds(_ runs: ContiguousArray<Run>) -> ContiguousArray<Int> {
        var lowestAfter = ContiguousArray(repeating: Int32.max, count: runs.count)
        var lowest = lowestAfter.mutableSpan
        var (next, highest) = (Int32.max, Int32.min)
        for i in runs.indices.reversed() {
            lowest[i] = next
            next = min(next, runs[i].old)
        }
        var ends: ContiguousArray<Int> = []
        for i in runs.indices {
            highest = max(highest, runs[i].old)
            if highest < lowest[i] { ends.append(i + 1) }
        }
        return ends
    }

    static func solve(_ block: ContiguousArray<Run>, moved: inout ContiguousArray<Run>) {
        var items = 0
        for run in block { items += Int(run.count) }
        if items <= block.count * 3 {
            let single = items == block.count ? block : split(block, into: items)
            append(single, notIn: Patience.longest(single), to: &moved)
        } else {
            append(block, notIn: HeaviestIncreasing.heaviest(block), to: &moved)
        }
    }

    static func split(_ block: ContiguousArray<Run>, into count: Int) -> ContiguousArray<Run> {
        unsafe ContiguousArray(unsafeUninitializedCapacity: count) { single, filled in
            for run in block {
                for i in 0..<run.count {
                    let part = Run(old: Int(run.old &+ i), new: Int(run.new &+ i), count: 1)
                    unsafe single.initializeElement(at: filled, to: part)
                    filled += 1
                }
            }
        }
    }

    static func append(_ runs: ContiguousArray<Run>, notIn chain: Chain, to moved: inout ContiguousArray<Run>) {
        let outside = unsafe ContiguousArray<Run>(unsafeUninitializedCapacity: runs.count) { outside, filled in
            for i in runs.indices where !chain.contains(i) {
                unsafe outside.initializeElement(at: filled, to: runs[i])
                filled += 1
            }
        }
        if moved.isEmpty { moved = outside } else { moved += outside }
    }
}
