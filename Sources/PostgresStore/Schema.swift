import ChatWire
import RoomStore

/// The database's tables, as the steps that lead to them.
///
/// - Shape: `migrations[n]` leads from format n to format n + 1; the table `store` says which the database has, and which
///   is in force. A step that was released is never changed.
///
/// Servers that know different formats run beside each other while they are upgraded. The tables are brought to the
/// latest format that any of them knows, so a step adds: what is added has a default, and nobody who does not know it is
/// in its way. Operations are written in the format in force, which all of them know. What an addition has made useless
/// goes with a later step, which says in ``Step/least`` from which format on servers do without.
struct Schema {
    let migrations: [Step]

    struct Step: ExpressibleByArrayLiteral {
        let statements: [String]
        /// The earliest format that a server has to know that runs while the database has this step.
        let least: Int

        init(_ statements: [String], least: Int = 0) {
            self.statements = statements
            self.least = least
        }

        init(arrayLiteral statements: String...) {
            self.init(statements)
        }
    }

    static let current = Schema(migrations: [
        version1, version2, version3, version4, version5, version6, version7, version8, version9,
    ])

    /// - `rooms`: names sort by their bytes, as the servers sort them: all lock in one order. Rows are updated in place.
    /// - `operations`: also which revision each command got. A send's command is its message's id, so this is also how a
    ///   message is found: its sort key is the revision that inserted it.
    /// - `messages_touched`: the rows that were touched after they were inserted, in the order of the last touch. Those
    ///   that were not stand in that order by their key, so that a send does not write to this index.
    /// - texts: bytes, because a message may hold what PostgreSQL's text cannot.
    private static let version1: Step = [
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
    private static let version2: Step = [
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
    private static let version3: Step = [
        """
        CREATE TABLE fingerprints(
            room bigint NOT NULL, revision bigint NOT NULL, fingerprint bigint NOT NULL, PRIMARY KEY(room, revision)
        )
        """
    ]

    /// - `operations.format`: the format in force when it was written; 3 stands for that and those before.
    /// - `servers`: which format each server knows, for as long as its lease runs, by the database's clock.
    private static let version4: Step = [
        "ALTER TABLE store ADD COLUMN in_force bigint NOT NULL DEFAULT 0",
        "ALTER TABLE operations ADD COLUMN format bigint NOT NULL DEFAULT 3",
        "CREATE TABLE servers(id text PRIMARY KEY, knows bigint NOT NULL, until timestamptz NOT NULL)",
    ]

    /// - `rooms.start`: rows with sort keys below were trimmed. `floor`: what happened up to that revision may be forgotten.
    private static let version5: Step = [
        "ALTER TABLE rooms ADD COLUMN start bigint NOT NULL DEFAULT 0, ADD COLUMN floor bigint NOT NULL DEFAULT 0"
    ]

    /// - `deliveries`: up to which revision rooms were told to somebody outside; room 0 stands for that this has begun.
    private static let version6: Step = [
        "CREATE TABLE deliveries(room bigint PRIMARY KEY, revision bigint NOT NULL)"
    ]

    /// - `store.system`, `timeline`, `since`: which copy of the database is the one that the servers are on, and since when.
    ///   `generation`: how often an epoch has begun. `fence`: see ``StoreLine/fence``.
    /// - `servers.timeline`: up to which timeline a server has looked whether all that it acknowledged is there; none for
    ///   those of earlier versions, which do not look.
    /// - `witnesses`: how often a lane of a server has committed durably.
    /// - `lessees`: who tells outside what was committed, and until when unless it says so again.
    private static let version7: Step = [
        """
        ALTER TABLE store ADD COLUMN system bigint NOT NULL DEFAULT 0, ADD COLUMN timeline bigint NOT NULL DEFAULT 0,
            ADD COLUMN since timestamptz NOT NULL DEFAULT clock_timestamp(),
            ADD COLUMN generation bigint NOT NULL DEFAULT 0, ADD COLUMN fence bigint NOT NULL DEFAULT 0
        """,
        "ALTER TABLE servers ADD COLUMN timeline bigint",
        """
        CREATE TABLE witnesses(
            server text NOT NULL, lane bigint NOT NULL, count bigint NOT NULL, time timestamptz NOT NULL,
            PRIMARY KEY(server, lane)
        ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)
        """,
        "CREATE TABLE lessees(task text PRIMARY KEY, server text NOT NULL, until timestamptz NOT NULL)",
    ]

    /// - `tombstones_sort`: the deletions among the rows that a returning reader holds.
    private static let version8: Step = ["CREATE INDEX tombstones_sort ON tombstones(room, sort)"]

    /// - `memberships`: who is a member of which room, since which revision and time, and has read up to where. Rows are
    ///   updated in place.
    /// - `messages.ordinal`: the message is the room's so manieth that was inserted, and `rooms.inserted` says how many
    ///   there are. Messages from before this format was in force have none that counts, and need none: everybody has
    ///   joined, and has read, after them.
    /// - `deleted`: the sort keys of deleted messages whose tombstones are forgotten.
    private static let version9: Step = [
        """
        CREATE TABLE memberships(
            room bigint NOT NULL, person text COLLATE "C" NOT NULL, joined bigint NOT NULL, time bigint NOT NULL,
            read bigint NOT NULL,
            PRIMARY KEY(room, person)
        ) WITH (fillfactor = 70)
        """,
        "CREATE INDEX memberships_person ON memberships(person, room)",
        "ALTER TABLE rooms ADD COLUMN inserted bigint NOT NULL DEFAULT 0",
        "ALTER TABLE messages ADD COLUMN ordinal bigint NOT NULL DEFAULT 0",
        "CREATE TABLE deleted(room bigint NOT NULL, sort bigint NOT NULL, PRIMARY KEY(room, sort))",
    ]

    /// Brings the database to the latest format, in one transaction, while no other server does; an empty one gets the
    /// tables and an epoch. From then on the server's lease runs.
    ///
    /// - Errors: `outgrown` when the format in force is not known here; `ahead` when a step would be in the way of a server
    ///   that is still running; `stale`. The database is as it was then.
    func migrate(
        over connection: Connection, _ address: PostgresAddress, _ lease: Lease, _ history: History
    ) throws(PostgresFailure) {
        let origin = connection.origin
        try connection.run(
            [.run("BEGIN"), .run("SET LOCAL lock_timeout = 0"), .run(Lease.lock, .text(address.schema))],
            until: .now + .seconds(60))
        try makeStore(over: connection, address)
        // A database from before there was a format in force has servers of one format only.
        let stored = try connection.run([
            .run("SELECT format, coalesce((to_jsonb(store) ->> 'in_force')::bigint, format) FROM store")
        ])
        guard let row = stored.first?.rows.first else { throw .senseless(column: "format", room: nil) }
        let (format, inForce) = (Int(clamping: try row.integer(0)), Int(clamping: try row.integer(1)))
        guard inForce <= lease.knows else { throw .outgrown(inForce: inForce, known: lease.knows) }
        let steps = migrations.dropFirst(max(0, format))
        try connection.run(steps.flatMap(\.statements).map { .run($0) }, until: .now + .seconds(600))
        try connection.run([
            .run(
                Query.goOn.rawValue, .integer(origin.system), .integer(origin.timeline),
                .text(UniqueID.random().description))
        ])
        let living = try lease.begin(over: connection)
        let least = steps.map(\.least).max() ?? 0
        guard living >= least else { throw .ahead(living: living, least: least) }
        let answers = try connection.runDurably(
            [
                .run(
                    "UPDATE store SET format = $1::bigint, in_force = $2::bigint",
                    .integer(Int64(max(format, migrations.count))), .integer(Int64(max(inForce, living)))),
                .run(Query.line.rawValue), .run("COMMIT"),
            ], until: .now + Connection.patience)
        try history.take(StoreLine(answers[1], knows: .max), from: origin)
    }

    private func makeStore(over connection: Connection, _ address: PostgresAddress) throws(PostgresFailure) {
        let schema = address.schema
        let known = try connection.run([.run("SELECT to_regclass($1::text) IS NOT NULL", .text("\(schema).store"))])
        guard known.first?.rows.first?.bytes(0) == [0] else { return }
        try connection.run([
            .run("CREATE SCHEMA IF NOT EXISTS \"\(schema)\""),
            .run("CREATE TABLE store(format bigint NOT NULL, epoch text NOT NULL)"),
            .run("INSERT INTO store VALUES(0, $1::text)", .text(UniqueID.random().description)),
        ])
    }
}
