import TestSupport
import Testing

@testable import Diffable

@Suite
struct PatienceTests {
    @Test(arguments: [1, 2, 3, 4, 5, 7, 16, 50, 333, 700])
    func theChainAscendsAndNoneIsLonger(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        let old = (0..<count).shuffled(using: &random)
        let chain = Patience.longest(
            ContiguousArray(old.enumerated().map { Run(old: $0.element, new: $0.offset, count: 1) }))
        let chosen = old.indices.filter(chain.contains).map { old[$0] }

        // The longest chain that ends at each place, in the slow and obvious way.
        var lengths: [Int] = []
        for (place, value) in old.enumerated() {
            var best = 0
            for before in 0..<place where old[before] < value && lengths[before] > best { best = lengths[before] }
            lengths.append(best + 1)
        }
        #expect(zip(chosen, chosen.dropFirst()).allSatisfy(<) && chosen.count == lengths.max())
    }

    /// Whichever way is taken for a number of runs, those that stay weigh the same.
    @Test(arguments: UInt64(0)..<200)
    func fewRunsKeepAsMuchAsTheSearchForMany(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 1...16, using: &random)
        let runs = ContiguousArray(
            (0..<count).shuffled(using: &random).enumerated().map {
                Run(old: $0.element * 10, new: $0.offset * 10, count: Int.random(in: 1...9, using: &random))
            })
        let moved = LongestIncreasing.moved(runs).reduce(0) { $0 + Int($1.count) }

        let chain = HeaviestIncreasing.heaviest(runs)
        #expect(moved == runs.indices.filter { !chain.contains($0) }.reduce(0) { $0 + Int(runs[$1].count) })
    }
}
