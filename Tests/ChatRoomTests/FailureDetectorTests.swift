import ChatRoom
import ChatWire
import Testing

/// The detection of lost servers, and of their people, under any freeze or loss.
struct FailureDetectorTests {
    private let other = ServerID(high: 0, low: 1)
    private var detector = FailureDetector(silence: .seconds(6), step: .seconds(1))

    @Test(arguments: UInt64(0)..<300)
    func onceNothingIsInTheWayEverybodyIsThereOnAllServersAndNobodyElse(seed: UInt64) {
        var world = ServersWorld(seed: seed)

        world.live(for: .seconds(60))
        world.settle(for: .seconds(20))

        #expect(world.views == [world.truth, world.truth, world.truth])
    }

    @Test mutating func whoIsSilentForTooLongIsLostOnceAndNewWhenHeardAgain() {
        let isNew = (detector.recordHeartbeat(other), detector.recordHeartbeat(other))

        let findings = (0..<20).flatMap { _ in detector.advance(.seconds(1)) }
        let isNewAgain = detector.recordHeartbeat(other)

        #expect(isNew == (true, false) && findings == [.lost(other)] && isNewAgain)
    }

    @Test mutating func aPauseOfOnesOwnMakesNobodySilent() {
        _ = detector.recordHeartbeat(other)

        let findings = detector.advance(.seconds(3_600))
        let isNew = detector.recordHeartbeat(other)

        #expect(findings == [] && !isNew)
    }

    @Test mutating func whoListensAnewHasCaughtUpWhenEverybodyHadTimeToAnswer() {
        _ = detector.recordHeartbeat(other)
        for _ in 0..<5 { _ = detector.advance(.seconds(1)) }
        detector.listenAnew()

        let early = (0..<6).flatMap { _ in detector.advance(.seconds(1)) }
        let late = detector.advance(.seconds(1))

        #expect(early == [] && late == [.lost(other), .caughtUp])
    }
}
