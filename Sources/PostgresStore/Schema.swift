import ChatWire
import RoomStore

/// The database's tables, as the steps that lead to them.
///
/// - Shape: `migrations[n]` leads from format n to format n + 1; the table `store` says which the database has. A step
///   that was released is never changed.
struct Schema {
    let migrations: [[String]]

    static let current = Schema(migrations: [version1, version2, version3])

    /// - `rooms`: names sort by their bytes, as the servers sort them: all lock in one order. Rows are updated in place.
    /// - `operations`: also which revision each command got. A send's command is its message's id, so this is also how a
    ///   message is found: its sort key is the revision that inserted it.
    /// - `messages_touched`: the rows that were touched after they were inserted, in the order of the last touch. Those
    ///   that were not stand in that order by their key, so that a send does not write to this index.
    /// - texts: bytes, because a message may hold what PostgreSQL's text cannot.
    private static let version1 = [
        """
        CREATE TABLE rooms(
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE,
            revision bigint NOT NULL, count bigint NOT NULL
        ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)
        """,
        """
        CREATE TABLE operations(
            room bigint NOT NULL, revision bigint NOT NULL, command uuid NOT NULL, author text NOT NULL,
            role bigint NOT NULL,
            time bigint NOT NULL, kind bigint NOT NULL, target uuid, text bytea,
            PRIMARY KEY(room, revision), UNIQUE(room, command)
        )
        """,
        """
        CREATE TABLE messages(
            room bigint NOT NULL, sort bigint NOT NULL, id uuid NOT NULL, changed bigint NOT NULL,
            reloaded bigint NOT NULL, author text NOT NULL, time bigint NOT NULL, text bytea NOT NULL,
            edited bigint, reply uuid, reactions bytea,
            PRIMARY KEY(room, sort)
        )
        """,
        "CREATE INDEX messages_touched ON messages(room, changed) WHERE changed <> sort",
        """
        CREATE TABLE tombstones(
            room bigint NOT NULL, changed bigint NOT NULL, id uuid NOT NULL, sort bigint NOT NULL,
            PRIMARY KEY(room, changed)
        )
        """,
    ]

    /// - `operations.subject`, `value`: whom a moderation is about, whose message was deleted; how long, how slow, which
    ///   role.
    /// - `operations_audited`: what was done to the room, or to somebody else's.
    /// - `last_sends`: of rooms in slow mode.
    private static let version2 = [
        """
        ALTER TABLE rooms ADD COLUMN slow bigint NOT NULL DEFAULT 0, ADD COLUMN read_only bigint NOT NULL DEFAULT 0
        """,
        "ALTER TABLE operations ADD COLUMN subject text, ADD COLUMN value bigint",
        "CREATE INDEX operations_audited ON operations(room, revision) WHERE kind > 5",
        """
        CREATE TABLE standings(
            room bigint NOT NULL, person text COLLATE "C" NOT NULL, role bigint NOT NULL, muted bigint NOT NULL,
            banned bigint NOT NULL, kicked bigint NOT NULL,
            PRIMARY KEY(room, person)
        )
        """,
        """
        CREATE TABLE last_sends(
            room bigint NOT NULL, person text COLLATE "C" NOT NULL, time bigint NOT NULL,
            PRIMARY KEY(room, person)
        )
        """,
    ]

    /// - `fingerprints`: what the first server that stood at a revision had there.
    private static let version3 = [
        """
        CREATE TABLE fingerprints(
            room bigint NOT NULL, revision bigint NOT NULL, fingerprint bigint NOT NULL, PRIMARY KEY(room, revision)
        )
        """
    ]

    /// Brings the database to the latest format, in one transaction, while no other server does; an empty one gets the
    /// tables and an epoch.
    ///
    /// - Returns: the epoch.
    /// - Errors: `newer` for a format not known here.
    func migrate(over connection: Connection, _ address: PostgresAddress) throws(PostgresFailure) -> Preparation {
        let schema = address.schema
        try connection.run(
            [
                .run("BEGIN"),
                .run("SELECT pg_advisory_xact_lock(hashtextextended('diffroom ' || $1::text, 0))", .text(schema)),
            ], within: .seconds(60))
        let known = try connection.run([.run("SELECT to_regclass($1::text) IS NOT NULL", .text("\(schema).store"))])
        let isNew = known.first?.rows.first?.bytes(0) == [0]
        if isNew {
            try connection.run([
                .run("CREATE SCHEMA IF NOT EXISTS \"\(schema)\""),
                .run("CREATE TABLE store(format bigint NOT NULL, epoch text NOT NULL)"),
                .run("INSERT INTO store VALUES(0, $1::text)", .text(UniqueID.random().description)),
            ])
        }
        let stored = try connection.run([.run("SELECT format, epoch FROM store")])
        guard let row = stored.first?.rows.first, let epoch = Epoch(row.text(1)) else {
            throw .senseless(column: "epoch")
        }
        let format = Int(try row.integer(0))
        guard format <= migrations.count else { return .newer(found: format, supported: migrations.count) }
        let steps = migrations[format...].joined().map { Connection.Step.run($0) }
        let number = Parameter.integer(Int64(migrations.count))
        let close: [Connection.Step] =
            steps.isEmpty ? [.run("COMMIT")] : [.run("UPDATE store SET format = $1::bigint", number), .run("COMMIT")]
        try connection.run(steps + close, within: .seconds(600))
        return .ready(epoch)
    }

    enum Preparation {
        case ready(Epoch)
        case newer(found: Int, supported: Int)
    }
}
