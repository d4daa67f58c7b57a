import ChatRoom
import ChatWire
import RoomStore

/// A server's entry in the database, which says that the server lives and which formats it knows.
///
/// Operations are written in the format in force. It is raised once all servers with running leases know the next one,
/// and never lowered. Correctness does not depend on leases: a server reads the format in force before each commit and
/// with each read, and stops if it does not know it.
struct Lease: Sendable {
    let server: ServerID
    /// The latest format that the server knows.
    let knows: Int
    /// The duration of the lease, by the database's clock.
    let length: Duration
    let schema: String

    /// Takes a lock until the transaction ends. Only its holder may change the tables or the format in force, or begin
    /// a lease. Each schema has its own lock.
    static let lock = "SELECT pg_advisory_xact_lock(hashtextextended('diffroom ' || $1::text, 0))"

    /// Begins the lease, within a transaction that has the lock.
    ///
    /// - Returns: the latest format that this server and all others with running leases know.
    func begin(over connection: Connection) throws(PostgresFailure) -> Int {
        // Keep the servers that have yet to vouch for this copy of the database.
        let lapsed = """
            DELETE FROM servers USING store
            WHERE until <= clock_timestamp() AND coalesce(servers.timeline, store.timeline) >= store.timeline
            """
        let answers = try connection.run([
            .run(lapsed), .run(Query.renewLease.sql, parameters(connection.origin.timeline)),
            .run(Query.formats.sql),
        ])
        return try formats(answers[2]).living
    }

    /// The facts that a server learns when it renews its lease.
    struct Renewal {
        let formatInForce: Int
        let offset: ClockOffset
        let time: TimeKeeper.Measurement
    }

    /// Renews the lease for another ``length``, forgets servers that are long gone, and raises the format in force if all
    /// know a later one.
    ///
    /// - Parameter timeline: the last timeline that has every commit that this server acknowledged.
    func renew(
        over connection: Connection, vouchingFor timeline: Int64, by clock: StoreClock
    ) throws(PostgresFailure) -> Renewal {
        // In this order, so that the time until the answer covers the reading of the time of day.
        let (start, sent, begin) = (ContinuousClock.now, Duration.timeOfDay, StoreClock.elapsed)
        let answers = try connection.run([
            .run(.renewLease, parameters(timeline)), .run(.keepLease, .text(server.description)), .run(.formats),
            .run(.forgetServers, .integer(connection.origin.timeline)),
        ])
        let time = ContinuousClock.now - start
        guard let row = answers[0].rows.first else { throw .senseless(column: "clock_timestamp", room: nil) }
        let (answer, duration) = (Duration.microseconds(try row.integer(0)), StoreClock.elapsed - begin)
        let measured = TimeKeeper.Measurement(
            time: Milliseconds(answer / .milliseconds(1)), lead: try answers[2].rows.first?.integer(2) ?? 0,
            elapsed: begin + duration / 2, duration: duration, own: .timeOfDay - duration / 2,
            instant: clock.instant(at: begin + duration / 2))
        return Renewal(
            formatInForce: try raiseFormat(formats(answers[2]), over: connection),
            offset: ClockOffset(sent: sent, time: time, answer: answer), time: measured)
    }

    /// Raises the format in force if all living servers know a later one, and returns it.
    private func raiseFormat(
        _ found: (inForce: Int, living: Int), over connection: Connection
    ) throws(PostgresFailure) -> Int {
        guard found.inForce < found.living else { return found.inForce }
        let raised = try connection.run([
            .run("BEGIN"), .run(Self.lock, .text(schema)), .run(.raiseFormat), .run(.formats), .run("COMMIT"),
        ])
        return try formats(raised[3]).inForce
    }

    /// Ends the lease at once.
    func end(over connection: Connection) throws(PostgresFailure) {
        try connection.run([.run("DELETE FROM servers WHERE id = $1::text", .text(server.description))])
    }

    private func parameters(_ timeline: Int64) -> [Parameter] {
        [
            .text(server.description), .integer(Int64(knows)), .integer(Int64(length / .milliseconds(1))),
            .integer(timeline),
        ]
    }

    /// Returns the format in force, and the latest one that all living servers know. This server's own lease counts
    /// also when it has lapsed.
    private func formats(_ answer: Answer) throws(PostgresFailure) -> (inForce: Int, living: Int) {
        guard let row = answer.rows.first else { throw .senseless(column: "in_force", room: nil) }
        let living = row.isNull(1) ? knows : Int(clamping: try row.integer(1))
        return (Int(clamping: try row.integer(0)), min(living, knows))
    }
}
