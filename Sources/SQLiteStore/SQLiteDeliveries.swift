import ChatRoom
import ChatWire
import Locking
import RoomStore

/// Those of a ``SQLiteStore``, over a connection of its own.
///
/// What is told twice does no harm, so a note of it waits for no disk: the next commit takes it along.
final class SQLiteDeliveries: Deliveries {
    private let store: SQLiteStore
    private let statements: Guarded<DeliveryStatements>

    init(of store: SQLiteStore, path: String) throws(RoomStoreError) {
        self.store = store
        statements = Guarded(try DeliveryStatements(path: path))
        try store.whileNobodyCommits { () throws(RoomStoreError) in
            try statements.withLock { (statements) throws(RoomStoreError) in try statements.begin() }
        }
    }

    func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        try statements.withLock { (statements) throws(RoomStoreError) in
            try statements.states(after: name, limit: limit)
        }
    }

    func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        try statements.withLock { (statements) throws(RoomStoreError) in try statements.state(of: room) }
    }

    func told(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {
        try store.whileNobodyCommits { () throws(RoomStoreError) in
            try statements.withLock { (statements) throws(RoomStoreError) in
                try statements.told(room, upTo: revision)
            }
        }
    }
}

private struct DeliveryStatements: ~Copyable {
    private let connection: Connection
    private let statesAfter: Statement
    private let stateOf: Statement
    private let set: Statement

    init(path: String) throws(RoomStoreError) {
        let connection = try Connection.open(path)
        try connection.execute("PRAGMA synchronous = NORMAL")
        let statesAfter = try Statement(.deliveriesAfter, on: connection)
        let stateOf = try Statement(.delivery, on: connection)
        let set = try Statement(.setDelivery, on: connection)
        self.statesAfter = statesAfter
        self.stateOf = stateOf
        self.set = set
        self.connection = connection
    }

    /// Once for good: what is there before anybody is to be told counts as told.
    borrowing func begin() throws(RoomStoreError) {
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            guard try connection.number("SELECT count(*) FROM deliveries WHERE room = 0") == 0 else { return }
            try connection.execute(
                "INSERT INTO deliveries(room, revision) SELECT id, revision FROM rooms UNION ALL SELECT 0, 0")
        }
    }

    borrowing func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        statesAfter.bind(1, name?.description ?? "")
        statesAfter.bind(2, Int64(limit))
        return try statesAfter.all { (row) throws(RoomStoreError) in try row.deliveryState() }
    }

    borrowing func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        stateOf.bind(1, room.description)
        return try stateOf.first { (row) throws(RoomStoreError) in try row.deliveryState() }
    }

    borrowing func told(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {
        set.bind(1, room.description)
        set.bind(2, revision)
        try set.run()
    }
}

extension Row {
    fileprivate func deliveryState() throws(RoomStoreError) -> DeliveryState {
        DeliveryState(room: try room(0), revision: try revision(1), told: try revision(2))
    }
}
