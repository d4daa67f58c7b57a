import ChatClient
import Testing

@testable import diffroom_load

@Suite struct HistogramTests {
    @Test(arguments: UInt64(0)..<20)
    func aPercentileIsAtMostAThirtySecondTooHigh(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = (0..<2_000).map { _ in Int64(1) << Int64.random(in: 0...30, using: &random) * 5 / 4 }
        var histogram = Histogram()
        for value in values { histogram.record(value) }
        let sorted = values.sorted()

        for share in [0.01, 0.5, 0.95, 0.99, 1] {
            let exact = sorted[Int((share * 2_000).rounded(.up)) - 1]
            #expect((exact...exact + exact / 32 + 1).contains(histogram.percentile(share)))
        }
        #expect(histogram.max == sorted.last)
    }

    @Test func mergingIsRecordingBoth() {
        var (all, left, right) = (Histogram(), Histogram(), Histogram())
        for value in Int64(0)..<500 {
            all.record(value * value)
            if value % 3 == 0 { left.record(value * value) } else { right.record(value * value) }
        }

        left.merge(right)

        #expect(left == all)
    }

    @Test func withoutValuesEverythingIsZero() {
        #expect(Histogram().percentile(0.99) == 0)
    }
}
