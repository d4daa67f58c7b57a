import ChatRoom
import ChatWire
import Locking
import RoomStore

/// Those of a ``PostgresStore``. Its connection holds the lock that makes it the only one: when it is lost, so is the
/// right to tell, and everything fails from then on.
final class PostgresDeliveries: Deliveries {
    private let place: String
    private let connection: Guarded<DeliveryConnection?>

    /// `nil` while another server tells.
    init?(_ address: PostgresAddress) throws(PostgresFailure) {
        place = address.place
        guard let connection = try DeliveryConnection(address) else { return nil }
        self.connection = Guarded(connection)
    }

    func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        try run { (connection) throws(PostgresFailure) in
            try connection.rows(.run(.deliveriesAfter, .text(name?.description ?? ""), .integer(Int64(limit))))
        }
    }

    func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        try run { (connection) throws(PostgresFailure) in
            try connection.rows(.run(.delivery, .text(room.description))).first
        }
    }

    func told(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {
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
                connection = nil
                throw RoomStoreError(error, at: place)
            }
        }
    }
}

/// A connection with the lock.
private final class DeliveryConnection: @unchecked Sendable {
    // @unchecked: it is used under the lock of its owner only.
    private let connection: Connection

    /// `nil` while another server has the lock.
    init?(_ address: PostgresAddress) throws(PostgresFailure) {
        connection = try Connection(address, preparing: Query.delivering)
        let name = Parameter.text(address.schema)
        let answers = try connection.run([
            // What is told twice does no harm, so nothing waits for a disk.
            .run("SET synchronous_commit = off"),
            .run("SELECT pg_try_advisory_lock(hashtextextended('diffroom deliveries ' || $1::text, 0))", name),
        ])
        guard answers[1].rows.first?.bytes(0) == [1] else { return nil }
        // Once for good: what was there before anybody was to be told.
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

    func run(_ step: Connection.Step) throws(PostgresFailure) -> [Answer] {
        try connection.run([step])
    }

    func rows(_ step: Connection.Step) throws(PostgresFailure) -> [DeliveryState] {
        try run(step)[0].rows.map { (row) throws(PostgresFailure) in
            DeliveryState(room: try row.room(), revision: try row.revision(1), told: try row.revision(2))
        }
    }
}
