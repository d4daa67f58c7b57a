import ChatRoom
import Testing

@testable import PostgresStore

/// How long whoever asks a database that is away waits.
struct OutageClockTests {
    private typealias Instant = ContinuousClock.Instant

    /// One that began shortly before the end would make the call take longer than is documented.
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

    /// Whoever looks again, once callers are told at once, has time to find the database there.
    @Test func aCallInALongOutageIsGivenAMoment() throws {
        let outage = Outage(patience: .zero, least: .seconds(2))

        let time = try outage.persist { (end) throws(PostgresFailure) in end - .now }

        #expect(time > .seconds(1))
    }
}
