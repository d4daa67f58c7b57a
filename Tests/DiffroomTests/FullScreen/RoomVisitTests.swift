import ChatWire
import Testing

@testable import diffroom

@Suite struct RoomVisitTests {
    private let arrival = ContinuousClock.now

    @Test func aRoomThatIsLeftWithinASecondStaysUnread() {
        var visit = RoomVisit()

        visit.show(end: 7, at: arrival)
        #expect(visit.readEnd(at: arrival) == nil)
        #expect(visit.readEnd(at: arrival + .milliseconds(999)) == nil)
        #expect(visit.readEnd(at: arrival + .seconds(1)) == 7)
    }

    /// The messages of a slow server come long after the user.
    @Test func theSecondBeginsWhenTheEndIsOnTheScreen() {
        var visit = RoomVisit()

        #expect(visit.readEnd(at: arrival + .seconds(60)) == nil)
        visit.show(end: 7, at: arrival + .seconds(60))
        #expect(visit.readEnd(at: arrival + .seconds(60.5)) == nil)
        #expect(visit.readEnd(at: arrival + .seconds(61)) == 7)
    }

    @Test func afterASecondEachMessageIsReadWhenItIsShown() {
        var visit = RoomVisit()

        visit.show(end: 7, at: arrival)
        visit.show(end: 8, at: arrival + .milliseconds(500))
        #expect(visit.readEnd(at: arrival + .milliseconds(1_400)) == 8)
        visit.show(end: 9, at: arrival + .milliseconds(1_500))
        #expect(visit.readEnd(at: arrival + .milliseconds(1_500)) == 9)
    }
}
