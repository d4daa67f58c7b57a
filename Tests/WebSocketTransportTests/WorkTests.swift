import CTransportInside
import TestSupport
import Testing

/// How much work strangers can make by what they send in small pieces, and by leaving all at once. Processor time of one
/// thread, and how it grows: a law of the algorithm, whatever the machine.
@Suite(.serialized, .timeLimit(.minutes(Deadline.minutes)))
struct WorkTests {
    @Test
    func aHeaderThatComesByteByByteIsJudgedInOnePass() {
        var statuses: Set<UInt32> = []
        let judge: (UInt32) -> UInt64 = { count in
            let head = "GET /ws HTTP/1.1\r\nHost: a\r\nCookie: "
            let header = head + String(repeating: "c", count: Int(count) - head.utf8.count - 4) + "\r\n\r\n"
            var status: UInt32 = 0
            // As often as it takes to be measured.
            let took = (0..<20).reduce(UInt64(0)) { sum, _ in sum + inside_judging(header, header.utf8.count, &status) }
            statuses.insert(status)
            return took
        }

        #expect(isLinear(from: 1_000, judge))
        #expect(statuses == [0])
    }

    @Test
    func aLineThatNeverEndsIsLookedThroughOnce() {
        let judge: (UInt32) -> UInt64 = { count in
            let header = "GET / HTTP/1.1\r\n" + String(repeating: "h", count: Int(count) - 16)
            var status: UInt32 = 0
            return (0..<20).reduce(UInt64(0)) { sum, _ in sum + inside_judging(header, header.utf8.count, &status) }
        }

        #expect(isLinear(from: 1_000, judge))
    }

    @Test
    func thoseWhoLeaveAtOnceCostNoMoreEach() {
        #expect(isLinear(from: 5_000, inside_disconnects))
    }

    @Test
    func listsWhoseLastReadersLeaveAtOnceCostNoMoreEach() {
        #expect(isLinear(from: 5_000, inside_last_readers))
    }
}
