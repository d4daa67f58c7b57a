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

    /// Callers that fail at once do so until the next look, and that may be a moment away when the database is back.
    @Test func whenTheDatabaseIsKnownToBeBackNobodyFailsAtOnce() throws {
        let outage = Outage(patience: .nanoseconds(1), least: .seconds(60))
        let lost = { (_: Instant) throws(PostgresFailure) in throw .lost("away") }
        #expect(throws: PostgresFailure.self) { try outage.persist(lost) }
        #expect(throws: PostgresFailure.self) { try outage.persist { (_) throws(PostgresFailure) in } }

        outage.clear()

        try outage.persist { (_) throws(PostgresFailure) in }
    }
}
