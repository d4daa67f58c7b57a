import ChatRoom
import ChatWire
import TestSupport
import Testing

struct RateBucketTests {
    private static func rate(_ random: inout SplitMix64) -> Rate {
        Rate(
            .random(in: 1...200, using: &random), in: [1_000, 60_000, 3_600_000].randomElement(using: &random)!,
            burst: .random(in: 1...500, using: &random))
    }

    @Test
    func aBurstIsTakenAtOnceAndNoMore() {
        var bucket = RateBucket()
        let rate = Rate(10, burst: 50)

        let waits = (0..<60).map { _ in bucket.consume(at: 5_000, rate) }

        #expect(waits.prefix(50).allSatisfy { $0 == nil })
        #expect(waits.dropFirst(50).allSatisfy { $0 == 1_000 }, "a second's worth is to be there again")
    }

    @Test
    func whatIsChargedAfterwardsIsPaidBackFirst() {
        var bucket = RateBucket()
        let rate = Rate(10, burst: 50)
        #expect(bucket.consume(0, at: 5_000, rate) == nil)

        bucket.charge(160, of: 2, at: 5_000, rate)

        #expect(bucket.consume(0, at: 5_000, rate) == 4_000, "30 that were not there, and a second's worth")
        #expect(bucket.consume(at: 8_999, rate) == 1)
        #expect(bucket.consume(at: 9_000, rate) == nil)
    }

    @Test(arguments: UInt64(0)..<100)
    func inNoTimeIsMoreTakenThanTheBurstAndTheRateAllow(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let rate = Self.rate(&random)
        var bucket = RateBucket()
        var time: Milliseconds = .random(in: 0...2_000_000_000_000, using: &random)
        var taken: [Milliseconds] = []

        for _ in 0..<3_000 {
            if .random(in: 0..<4, using: &random) == 0 { time += .random(in: 0...rate.span / 10, using: &random) }
            if bucket.consume(at: time, rate) == nil { taken.append(time) }
        }

        for start in stride(from: 0, to: taken.count, by: 37) {
            for end in stride(from: start, to: taken.count, by: 41) {
                let allowed = Int64(rate.burst) * rate.span + (taken[end] - taken[start]) * Int64(rate.count)
                #expect(Int64(end - start + 1) * rate.span <= allowed)
            }
        }
    }

    @Test(arguments: UInt64(0)..<100)
    func whoWaitsForAsLongAsWasSaidGetsSomeAndNotEarlier(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let rate = Self.rate(&random)
        var bucket = RateBucket()
        while bucket.consume(at: 1_000, rate) == nil {}
        let said = bucket.consume(at: 1_000, rate)

        let wait = try #require(said)

        #expect(wait > 0)
        #expect(bucket.consume(at: 1_000 + wait - 1, rate) == 1)
        #expect(bucket.consume(at: 1_000 + wait, rate) == nil)
    }

    @Test(arguments: UInt64(0)..<20)
    func whoRestsLongEnoughHasTheWholeBurstAgain(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let rate = Self.rate(&random)
        var bucket = RateBucket()
        while bucket.consume(at: 0, rate) == nil {}
        let full = (Int64(rate.burst) * rate.span + Int64(rate.count) - 1) / Int64(rate.count)

        #expect(!bucket.isFull(at: full - 1, rate))
        #expect(bucket.isFull(at: full, rate))
        let waits = (0...rate.burst).map { _ in bucket.consume(at: full, rate) }
        #expect(waits.filter { $0 == nil }.count == rate.burst)
    }

    /// Bytes are counted in buckets of gigabytes, by times since 1970.
    @Test
    func theLargestRatesDoNotOverflow() {
        var bucket = RateBucket()
        let most = 1 << 40
        let rate = Rate(most, in: 3_600_000, burst: most)
        let time: Milliseconds = 1_800_000_000_000
        #expect(bucket.consume(0, at: time, rate) == nil)

        for _ in 0...most >> 31 { bucket.charge(Int(Int32.max), of: 1, at: time, rate) }

        #expect(bucket.consume(0, at: time, rate) != nil)
        #expect(bucket.consume(0, at: time + 3_600_000, rate) == nil)
        #expect(bucket.isFull(at: time + 7_200_000, rate))
    }

    @Test
    func whatWasTakenForNothingCanBePutBack() {
        var bucket = RateBucket()
        let rate = Rate(1, in: 3_600_000, burst: 2)

        for _ in 0..<10 {
            #expect(bucket.consume(at: 7, rate) == nil)
            bucket.refund(rate)
        }

        #expect(bucket.isFull(at: 7, rate))
    }

    @Test
    func aClockThatIsSetBackGivesNothingAndTakesNothing() {
        var bucket = RateBucket()
        let rate = Rate(1, burst: 2)
        _ = bucket.consume(at: 10_000, rate)

        #expect(bucket.consume(at: 2_000, rate) == nil)
        #expect(bucket.consume(at: 2_000, rate) == 1_000)
        #expect(bucket.consume(at: 3_000, rate) == nil)
    }

    @Test
    func eachHasItsOwnAndThoseWhoRestAreForgotten() {
        var book = RateBook<Int>()
        let rate = Rate(1, burst: 1)

        for second in 0..<100 {
            for key in 0..<1_000 {
                #expect(book.consume(second * 1_000 + key, at: Milliseconds(second * 1_000), rate) == nil)
            }
        }

        #expect(book.count < 5_000)
        #expect(book.consume(99_999, at: 99_000, rate) == 1_000)
    }
}
