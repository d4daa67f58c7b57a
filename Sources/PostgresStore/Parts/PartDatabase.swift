import ChatRoom
import ChatWire
import Glibc
import RoomStore

/// A database with its record, over a connection of its own. It is confined to its owner.
final class PartDatabase {
    let address: PostgresAddress
    let connection: Connection
    let identity: Identity

    /// The identity of a database, however it is addressed.
    struct Identity: Hashable, Comparable {
        let system: Int64
        let database: Int64
        let schema: String

        static func < (left: Identity, right: Identity) -> Bool {
            (left.system, left.database, left.schema) < (right.system, right.database, right.schema)
        }
    }

    init(_ address: PostgresAddress, seeing history: History) throws(PostgresFailure) {
        let connection = try Connection.open(address, seeing: history)
        let answers = try connection.run([
            .run("SELECT oid::bigint FROM pg_database WHERE datname = current_database()"),
            // The owner waits for locks in its own way.
            .run("SET lock_timeout = 0"), .run("SET idle_in_transaction_session_timeout = 0"),
        ])
        guard let row = answers[0].rows.first else { throw .senseless(column: "oid", room: nil) }
        (self.address, self.connection) = (address, connection)
        identity = Identity(system: connection.origin.system, database: try row.integer(0), schema: address.schema)
    }

    var place: String { address.place }

    /// Refuses a list that names a database twice.
    static func requireDistinct(_ databases: [PartDatabase]) throws(PostgresFailure) {
        for (index, database) in databases.enumerated() {
            guard let first = databases[..<index].first(where: { $0.identity == database.identity }) else { continue }
            throw .misplaced("\(database.place) is the same database as \(first.place): name each once in --store")
        }
    }

    // MARK: - Records

    func records() throws(PostgresFailure) -> PartRecords {
        let answer = try connection.run([.run("SELECT state, map, parts, part, list FROM parts")])[0]
        var records = PartRecords()
        for row in answer.rows {
            let part = row.isNull(3) ? nil : Int(clamping: try row.integer(3))
            let record = PartRecord(
                map: try row.id(1), parts: Int(clamping: try row.integer(2)), part: part, list: row.text(4))
            switch PartRecord.State(rawValue: row.text(0)) {
            case .current: records.current = record
            case .tentative: records.tentative = record
            case .next: records.next = record
            case nil: throw .senseless(column: "state", room: nil)
            }
        }
        return records
    }

    /// The statement that writes a record. The database refuses it where one is in this state.
    static func write(_ record: PartRecord, as state: PartRecord.State) -> Connection.Step {
        let shards = record.part.map { Partition(parts: record.parts).shards(of: $0) }
        return .run(
            """
            INSERT INTO parts(state, map, parts, part, first_shard, last_shard, list)
            VALUES($1::text, $2::uuid, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::text)
            """, .text(state.rawValue), .id(record.map), .integer(Int64(record.parts)),
            record.part.map { .integer(Int64($0)) } ?? .null, shards.map { .revision($0.lowerBound) } ?? .null,
            shards.map { .revision($0.upperBound - 1) } ?? .null, .text(record.list))
    }

    static func forget(_ state: PartRecord.State) -> Connection.Step {
        .run("DELETE FROM parts WHERE state = $1::text", .text(state.rawValue))
    }

    /// The statement that binds all servers to a record that is in force, and to none with `nil`.
    static func bind(to map: UniqueID?) -> Connection.Step {
        .run("UPDATE store SET map = $1::uuid", map.map { .id($0) } ?? .null)
    }

    /// Runs a transaction that is durable when this returns.
    func commit(_ steps: [Connection.Step]) throws(PostgresFailure) {
        let all: [Connection.Step] = [.run("BEGIN")] + steps + [.run("COMMIT")]
        try connection.runDurably(all, until: .now + Self.patience)
    }

    private static let patience = Duration.seconds(600)

    // MARK: - Locks

    private static let lockName = "hashtextextended('diffroom map ' || $1::text, 0)"

    /// Takes the locks of all databases, in the same order for everybody, or none. Their holder alone writes records.
    /// They end with the connections.
    static func lock(_ databases: [PartDatabase]) throws(PostgresFailure) -> Bool {
        var locked: [PartDatabase] = []
        for database in databases.sorted(by: { $0.identity < $1.identity }) {
            let name = Parameter.text(database.address.schema)
            let answer = try database.connection.run([.run("SELECT pg_try_advisory_lock(\(lockName))", name)])[0]
            guard answer.rows.first?.bytes(0) == [1] else {
                for database in locked {
                    let name = Parameter.text(database.address.schema)
                    try database.connection.run([.run("SELECT pg_advisory_unlock(\(lockName))", name)])
                }
                return false
            }
            locked.append(database)
        }
        return true
    }

    // MARK: - Names

    /// The tables with a row for each name, which decides about its place.
    enum Named: CaseIterable {
        case rooms
        case people

        fileprivate var sql: String {
            switch self {
            // A room without operations is in the table while its first one is under way.
            case .rooms: "SELECT name FROM rooms WHERE name > $1::text AND revision > 0 ORDER BY name LIMIT $2::bigint"
            case .people:
                """
                (SELECT person FROM profiles WHERE person > $1::text ORDER BY person LIMIT $2::bigint)
                UNION (SELECT DISTINCT person FROM drafts WHERE person > $1::text ORDER BY person LIMIT $2::bigint)
                UNION (SELECT DISTINCT person FROM later WHERE person > $1::text ORDER BY person LIMIT $2::bigint)
                ORDER BY person LIMIT $2::bigint
                """
            }
        }
    }

    private static let page = 10_000

    /// Returns the next names after `name` in the order of their bytes; none at the end.
    func names(of named: Named, after name: String) throws(PostgresFailure) -> [String] {
        let end = ContinuousClock.now + Self.patience
        let answer = try connection.run([.run(named.sql, .text(name), .integer(Int64(Self.page)))], until: end)[0]
        return answer.rows.map { $0.text(0) }
    }

    /// Returns the first room or person that another database of the partition should have; `nil` if there is none.
    ///
    /// - Complexity: O(rooms + profiles).
    func misplaced(in partition: Partition, part: Int) throws(PostgresFailure) -> (name: String, part: Int)? {
        for named in Named.allCases {
            var last = ""
            while true {
                let names = try names(of: named, after: last)
                guard let end = names.last else { break }
                if let name = names.first(where: { partition.part(of: $0) != part }) {
                    return (name, partition.part(of: name))
                }
                last = end
            }
        }
        return nil
    }
}
