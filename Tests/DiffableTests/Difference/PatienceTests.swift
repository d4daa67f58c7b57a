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
}
