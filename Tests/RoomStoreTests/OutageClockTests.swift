import ChatRoom
import Testing

@testable import PostgresStore

/// The wait of callers during an outage of a database.
struct OutageClockTests {
    private typealias Instant = ContinuousClock.Instant

    /// An attempt that begins shortly before the end must not make the call longer than documented.
    @Test func allAttemptsOfACallEndAtItsEnd() {
        let outage = Outage(patience: .milliseconds(500), least: .milliseconds(50))
        var ends: [Instant] = []

        #expect(throws: PostgresFailure.self) {
            try outage.persist { (end) throws(PostgresFailure) in
                ends.append(end)
                throw .lost("away")
            }
        }

        #expect(ends.count > 1 && Set(ends).count == 1, "\(ends)")
    }

    /// The attempt that runs while callers fail at once has time to find the database.
    @Test func aCallInALongOutageIsGivenAMoment() throws {
        let outage = Outage(patience: .zero, least: .seconds(2))

        let time = try outage.persist { (end) throws(PostgresFailure) in end - .now }

        #expect(time > .seconds(1))
    }
}
