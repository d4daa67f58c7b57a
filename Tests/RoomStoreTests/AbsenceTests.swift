import Absences
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Whoever was away is afterwards where a reader is who was always there and holds the same parts of the list.
///
/// The answer is always a diff, of no more rows than changed among those that were held, and of the newest ones up to the
/// limit. What the server lets go of, it says. `scripts/simulate` plays ten thousand of these histories.
struct AbsenceTests {
    private let folder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.histories(300))
    func whoeverComesBackHoldsWhatOneHoldsWhoWasNeverAway(kind: StoreUnderTest, seed: UInt64) throws {
        let world = try AbsenceWorld(seed: seed) { try kind.make(in: folder, limits: $0) }

        world.play()

        #expect(world.complaints == [], "HISTORY=\(seed)")
    }

    /// Histories in which nothing happens would prove nothing.
    @Test
    func theHistoriesHaveGapsLossesAndForgottenDeletions() {
        var tally = AbsenceTally()
        for seed in UInt64(0)..<50 {
            let world = AbsenceWorld(seed: seed) { InMemoryStore(limits: $0) }
            world.play()
            tally += world.tally
        }

        let counts = [tally.absences, tally.gaps, tally.readings, tally.losses, tally.forgotten]
        #expect(zip(counts, [100, 10, 20, 3, 5]).allSatisfy { $0 >= $1 }, "\(tally)")
    }
}
