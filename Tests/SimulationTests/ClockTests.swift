import TestSupport
import Testing

@testable import Simulation

/// A moment without an end is reported, and does not go on until memory is gone.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ClockTests {
    @Test func aMomentWithoutAnEndIsAStandstill() {
        let clock = Clock()
        makeStand(clock)

        #expect(throws: Standstill.self) { for _ in 0...Clock.mostSteps { try clock.step() } }
    }

    @Test func timeThatGoesOnIsNone() throws {
        let clock = Clock()
        goOn(clock)

        for _ in 0...Clock.mostSteps { try clock.step() }

        #expect(clock.busiest == 1)
    }

    @Test func aScheduleWhoseTimeStandsStillEndsWithAComplaint() {
        let world = World(seed: 1)
        world.clock.after(5_000) { makeStand(world.clock) }

        world.play()

        #expect(world.violations == ["at 5000 ms: \(Standstill())"])
    }
}

/// Something happens at once whenever it has happened.
private func makeStand(_ clock: Clock) {
    clock.after(0) { [unowned clock] in makeStand(clock) }
}

/// The same, a little later.
private func goOn(_ clock: Clock) {
    clock.after(1) { [unowned clock] in goOn(clock) }
}
