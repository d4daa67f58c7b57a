import ChatWire
import Testing

@testable import PostgresStore

private let year: Milliseconds = 365 * 86_400_000

/// How servers that share a database agree on its time.
struct TimeKeeperTests {
    private static func measured(
        time: Milliseconds, lead: Milliseconds = 0, instant: Milliseconds, own: Milliseconds = 0,
        elapsed: Milliseconds = 0, duration: Milliseconds = 3
    ) -> TimeKeeper.Measurement {
        TimeKeeper.Measurement(
            time: time, lead: lead, elapsed: elapsed, duration: duration, own: own, instant: instant)
    }

    @Test(arguments: [-900, -1, 0, 1, 900])
    func aServerFollowsTheDatabasesClockWhereTheyDifferByALittle(by difference: Milliseconds) {
        var keeper = TimeKeeper(lead: 0, isLocal: false)

        let decision = keeper.decide(Self.measured(time: year + difference, instant: year))

        #expect(decision == .follow(year + difference))
    }

    @Test(arguments: [true, false], [-year, -86_400_000, -5_000, 5_000, 86_400_000, year])
    func aJumpOfTheDatabasesClockChangesTheLead(isLocal: Bool, jump: Milliseconds) {
        var keeper = TimeKeeper(lead: 0, isLocal: isLocal)
        _ = keeper.decide(Self.measured(time: 2 * year, instant: 2 * year, own: 50))

        let decision = keeper.decide(
            Self.measured(time: 2 * year + 1_000 + jump, instant: 2 * year + 1_000, own: 1_050, elapsed: 1_000))

        #expect(decision == .change(from: 0, to: -jump))
    }

    /// One clock, which both read, jumped.
    @Test func aJumpOfTheClockOfThisMachineChangesTheLeadOfADatabaseOnIt() {
        var keeper = TimeKeeper(lead: 0, isLocal: true)
        _ = keeper.decide(Self.measured(time: year, instant: year, own: year))

        let decision = keeper.decide(
            Self.measured(time: 2 * year + 1_000, instant: year + 1_000, own: 2 * year + 1_000, elapsed: 1_000))

        #expect(decision == .change(from: 0, to: -year))
    }

    /// A machine that was paused has not counted what passed meanwhile. The others have.
    @Test func aServerThatStoodStillFollowsTheDatabase() {
        var keeper = TimeKeeper(lead: 0, isLocal: false)
        _ = keeper.decide(Self.measured(time: year, instant: year, own: year))

        let decision = keeper.decide(
            Self.measured(
                time: year + 3_600_000, instant: year + 1_000, own: year + 3_600_000, elapsed: 1_000))

        #expect(decision == .follow(year + 3_600_000))
    }

    @Test func aServerFollowsTheLeadThatAnotherOneHasChanged() {
        var keeper = TimeKeeper(lead: 0, isLocal: false)

        let decision = keeper.decide(Self.measured(time: 2 * year, lead: -year, instant: 2 * year))

        #expect(decision == .follow(year))
        #expect(keeper.decide(Self.measured(time: 2 * year, lead: -year, instant: year)) == .follow(year))
    }

    @Test func aSlowRoundTripTellsNothing() {
        var keeper = TimeKeeper(lead: 0, isLocal: false)

        #expect(keeper.decide(Self.measured(time: 2 * year, instant: year, duration: 6_000)) == .nothing)
    }
}
