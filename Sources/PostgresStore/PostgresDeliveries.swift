import ChatRoom
import ChatWire
import Locking
import RoomStore

/// The deliveries of a ``PostgresStore``, while this server's lease runs.
///
/// A server that is frozen or cut off loses the lease after ten seconds, whatever its connection does. Every call fails
/// from then on.
final class PostgresDeliveries: Deliveries {
    private let place: String
    private let connection: Guarded<DeliveryConnection?>

    /// Takes the lease; `nil` while another server has it.
    init?(_ failoverCheck: FailoverCheck) throws(PostgresFailure) {
        place = failoverCheck.address.place
        guard let connection = try DeliveryConnection(failoverCheck) else { return nil }
        self.connection = Guarded(connection)
    }

    func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        try run { (connection) throws(PostgresFailure) in
            try Answer.sound(after: name, limit: limit) { (name, limit) throws(PostgresFailure) in
                try connection.run(.run(.deliveriesAfter, name, limit))[0]
            } read: { (row) throws(PostgresFailure) in
                try row.deliveryState()
            }
        }
    }

    func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        try run { (connection) throws(PostgresFailure) in
            do throws(PostgresFailure) {
                return try connection.run(.run(.delivery, .text(room.description)))[0].rows.first?.deliveryState()
            } catch {
                throw error.of(room)
            }
        }
    }

    func noteDelivered(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {
        try run { (connection) throws(PostgresFailure) in
            _ = try connection.run(.run(.setDelivery, .text(room.description), .revision(revision)))
        }
    }

    private func run<Result>(
        _ body: (DeliveryConnection) throws(PostgresFailure) -> Result
    ) throws(RoomStoreError) -> Result {
        try connection.withLock { (connection) throws(RoomStoreError) in
            guard let current = connection else { throw .inUse("\(place): another server may tell by now") }
            do throws(PostgresFailure) {
                return try body(current)
            } catch {
                // Damage in a room's data is no fault of the connection.
                if case .senseless = error {} else { connection = nil }
                throw RoomStoreError(error, at: place)
            }
        }
    }
}

/// A connection that renews the lease with each call.
private final class DeliveryConnection: @unchecked Sendable {
    // @unchecked: it is used under the lock of its owner only.
    private let connection: Connection
    private let failoverCheck: FailoverCheck
    /// The parameters that name the lease and its holder.
    private let lease: [Parameter]

    /// The first format with leases. Servers that know only earlier ones hold a lock of the database.
    private static let format = 7

    /// `nil` while another server has the lease.
    init?(_ failoverCheck: FailoverCheck) throws(PostgresFailure) {
        connection = try Connection.open(
            failoverCheck.address, seeing: failoverCheck.history, preparing: Query.delivering)
        self.failoverCheck = failoverCheck
        lease = [.text(failoverCheck.lease.server.description), .text("deliveries")]
        let answers = try connection.run([
            // A repeated delivery does no harm, so nothing waits for a disk.
            .run("SET synchronous_commit = off"), .run(.line), .run(.acquireLease, lease),
        ])
        let line = try apply(answers[1])
        guard !answers[2].rows.isEmpty else { return nil }
        if line.format < Self.format, try !isLocked(for: failoverCheck.address.schema) { return nil }
        // Once for ever: mark the operations before this moment as delivered.
        try connection.run([
            .run("BEGIN"),
            .run(
                """
                INSERT INTO deliveries(room, revision) SELECT id, revision FROM rooms
                WHERE NOT EXISTS (SELECT FROM deliveries WHERE room = 0) ON CONFLICT DO NOTHING
                """),
            .run("INSERT INTO deliveries(room, revision) VALUES(0, 0) ON CONFLICT DO NOTHING"), .run("COMMIT"),
        ])
    }

    deinit {
        // The next server then need not wait. If this fails, the lease ends by itself.
        _ = try? connection.run([.run(.endLease, lease)], until: .now + .seconds(1))
    }

    private func isLocked(for schema: String) throws(PostgresFailure) -> Bool {
        let lock = "SELECT pg_try_advisory_lock(hashtextextended('diffroom deliveries ' || $1::text, 0))"
        return try connection.run([.run(lock, .text(schema))])[0].rows.first?.bytes(0) == [1]
    }

    /// - Errors: `stale` when another server has taken the lease, and when the servers went on with another copy.
    @discardableResult
    func run(_ step: Connection.Step) throws(PostgresFailure) -> [Answer] {
        let answers = try connection.run([.run(.line), .run(.acquireLease, lease), step])
        _ = try apply(answers[0])
        guard !answers[1].rows.isEmpty else { throw .stale("another server tells by now") }
        return Array(answers.dropFirst(2))
    }

    private func apply(_ answer: Answer) throws(PostgresFailure) -> StoreLine {
        let line = try StoreLine(answer, knows: failoverCheck.lease.knows)
        try failoverCheck.history.apply(line, from: connection.origin)
        return line
    }
}

extension Row {
    fileprivate func deliveryState() throws(PostgresFailure) -> DeliveryState {
        DeliveryState(room: try room(), revision: try revision(1), delivered: try revision(2))
    }
}
