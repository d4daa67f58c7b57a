import TestSupport
import Testing

@testable import Diffable

@Suite struct RowSetTests {
    @Test(arguments: UInt64(0)..<200)
    func itHasWhatWasPutInAndNamesTheRestInOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 1...300, using: &random)
        var rows = RowSet(count: count)
        var model: Set<Int> = []

        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let first = Int.random(in: 0..<count, using: &random)
            let range = first..<Int.random(in: first...count, using: &random)
            rows.insert(range)
            rows.insert(first)
            model.formUnion(range)
            model.insert(first)
        }

        let first = Int.random(in: 0...count, using: &random)
        let asked = first..<Int.random(in: first...count, using: &random)
        var absent: [Int] = []
        rows.forEachAbsent(in: asked) { absent.append($0) }
        #expect(absent == asked.filter { !model.contains($0) })
    }
}
