import Testing

@testable import Diffable

@Suite
struct RowHashTests {
    /// Numbers that differ in a few bits only, wherever those are: as rows of a database, in steps, shifted high.
    @Test(arguments: [0, 3, 6, 12, 20, 32, 40, 48])
    func numbersInARowAreSpreadAsRandomOnesWouldBe(shift: Int) {
        let hashes = (0..<10_000).map { rowHash($0 << shift) }

        #expect(Set(hashes).count > 9_990)
        // 10,000 random ones meet 7,490 of 16,384 places.
        #expect(Set(hashes.map { $0 & 16_383 }).count > 7_000)
        #expect(Set(hashes.map { $0 >> 18 }).count > 7_000)
    }
}
