import TestSupport
import Testing

@testable import Diffable

@Suite struct HashFilterTests {
    @Test(arguments: [1, 2, 3, 100, 1_000, 4_097])
    func whatWasInsertedItAlwaysTellsToBeThere(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        var filter = HashFilter(count: count)
        let hashes = (0..<count).map { _ in UInt32.random(in: 0 ... .max, using: &random) }
        for hash in hashes { filter.insert(hash) }

        #expect(hashes.allSatisfy(filter.mayContain))
    }

    @Test(arguments: [100, 1_000, 4_097])
    func ofOthersItPassesOneInSixteenAtMost(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        var filter = HashFilter(count: count)
        for _ in 0..<count { filter.insert(UInt32.random(in: 0 ... .max, using: &random)) }

        let passed = (0..<100_000).count { _ in filter.mayContain(.random(in: 0 ... .max, using: &random)) }

        #expect(passed < 100_000 / 16 + 1_000)
    }

    @Test func oneForNoHashesSaysSo() {
        #expect(HashFilter(count: 0).isEmpty)
        #expect(!HashFilter(count: 1).isEmpty)
    }
}
