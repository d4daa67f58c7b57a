import ChatRoom
import ChatWire

/// A server's word, in the database, that it lives and which formats it knows.
///
/// The format in force is what operations are written in: it is raised once all servers whose leases run know the next,
/// and never lowered. Nothing rests on a lease being kept: whoever was silent for longer looks at the format in force
/// before each commit and with each read, and stops if it does not know it.
struct Lease: Sendable {
    let server: ServerID
    /// Up to which format.
    let knows: Int
    /// How long it runs; by the database's clock.
    let length: Duration
    let schema: String

    /// One at a time changes the tables or the format in force, or begins a lease; with the schema, until the transaction
    /// ends.
    static let lock = "SELECT pg_advisory_xact_lock(hashtextextended('diffroom ' || $1::text, 0))"

    /// Within a transaction that has the lock.
    ///
    /// - Returns: the latest format that all servers know whose leases run, this one's too.
    func begin(over connection: Connection) throws(PostgresFailure) -> Int {
        // Those that still have to vouch for this copy of the database stay.
        let lapsed = """
            DELETE FROM servers USING store
            WHERE until <= clock_timestamp() AND coalesce(servers.timeline, store.timeline) >= store.timeline
            """
        let answers = try connection.run([
            .run(lapsed), .run(Query.renewLease.rawValue, parameters(connection.origin.timeline)),
            .run(Query.formats.rawValue),
        ])
        return try formats(answers[2]).living
    }

    /// Goes on for another ``length``, and raises the format in force if all know a later one.
    ///
    /// - Parameter timeline: the last that has all that this server acknowledged.
    /// - Returns: the format in force.
    func renew(over connection: Connection, vouchingFor timeline: Int64) throws(PostgresFailure) -> Int {
        let answers = try connection.run([
            .run(.renewLease, parameters(timeline)), .run(.keepLease, .text(server.description)), .run(.formats),
        ])
        let (inForce, living) = try formats(answers[2])
        guard inForce < living else { return inForce }
        let raised = try connection.run([
            .run("BEGIN"), .run(Self.lock, .text(schema)), .run(.raiseFormat), .run(.formats), .run("COMMIT"),
        ])
        return try formats(raised[3]).inForce
    }

    /// Ends at once.
    func end(over connection: Connection) throws(PostgresFailure) {
        try connection.run([.run("DELETE FROM servers WHERE id = $1::text", .text(server.description))])
    }

    private func parameters(_ timeline: Int64) -> [Parameter] {
        [
            .text(server.description), .integer(Int64(knows)), .integer(Int64(length / .milliseconds(1))),
            .integer(timeline),
        ]
    }

    /// One that has lapsed counts for the server itself.
    private func formats(_ answer: Answer) throws(PostgresFailure) -> (inForce: Int, living: Int) {
        guard let row = answer.rows.first else { throw .senseless(column: "in_force", room: nil) }
        let living = row.isNull(1) ? knows : Int(clamping: try row.integer(1))
        return (Int(clamping: try row.integer(0)), min(living, knows))
    }
}
