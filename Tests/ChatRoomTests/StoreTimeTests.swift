import ChatRoom
import ChatWire
import TestSupport
import Testing

private let year: Milliseconds = 365 * 86_400_000

/// The time that a store counts by, whatever its server's clock does.
struct StoreTimeTests {
    @Test func itBeginsAsTheTimeOfDayAndGoesOnAsTimePasses() {
        var time = StoreTime(at: 5_000, elapsed: 70, lead: 0, after: 0)

        #expect([70, 71, 570].map { time.instant(elapsed: $0) } == [5_000, 5_001, 5_500])
    }

    /// The file notes the lead of the store's time over the clock.
    @Test(arguments: [-year, -5_000, 0, 5_000, year])
    func aServerThatStartsAgainGoesOnByTheLead(lead: Milliseconds) {
        var time = StoreTime(at: 2 * year, elapsed: 0, lead: lead, after: 2 * year + lead - 60_000)

        #expect(time.instant(elapsed: 0) == 2 * year + lead)
    }

    /// The clock was ahead, and was put right while the server was away.
    @Test(arguments: [1, 5_000, 86_400_000, year])
    func aServerThatStartsAgainWithAnEarlierClockGoesOnBehindWhatItHasGiven(jump: Milliseconds) {
        var time = StoreTime(at: 2 * year - jump, elapsed: 0, lead: 0, after: 2 * year)

        #expect(time.instant(elapsed: 0) == 2 * year + 1)
        #expect(time.instant(elapsed: 2_000) == 2 * year + 2_001)
    }

    @Test func itNeverGoesBackWhereItFollowsAClockThatIsALittleBehind() {
        var time = StoreTime(at: 10_000, elapsed: 0, lead: 0, after: 0)
        _ = time.instant(elapsed: 500)
        time.follow(10_300, elapsed: 500)

        #expect([500, 600, 700, 800].map { time.instant(elapsed: $0) } == [10_500, 10_500, 10_500, 10_600])
    }

    @Test func itGivesUpTheTimeOfAClockThatWasWrong() {
        var time = StoreTime(at: year, elapsed: 0, lead: 0, after: 0)
        _ = time.instant(elapsed: 500)
        time.follow(10_000, elapsed: 500)

        #expect(time.instant(elapsed: 600) == 10_100)
    }

    @Test func valuesThatMakeNoSenseAreBounded() {
        let wrong: [Milliseconds] = [.min, -1, 0, 1, .max]
        for time in wrong {
            for lead in wrong {
                for latest in wrong {
                    var time = StoreTime(at: time, elapsed: 0, lead: lead, after: latest)
                    #expect((0...StoreTime.limit + 1).contains(time.instant(elapsed: 0)))
                }
            }
        }
    }
}
