import ChatWire
import RoomStore

/// The database's tables, as a list of migrations.
///
/// - Shape: `migrations[n]` leads from format n to format n + 1. The table `store` holds the database's format, and the
///   format in force. A released migration is never changed.
///
/// Servers that know different formats run beside each other during an upgrade. The tables have the latest format that
/// any of them knows. So a step only adds: each addition has a default, and does not disturb a server that does not know
/// it. Operations are written in the format in force, which all servers know. A later step removes what an addition has
/// made useless. Its ``Step/least`` is the first format whose servers do without.
struct Schema {
    let migrations: [Step]

    struct Step: ExpressibleByArrayLiteral {
        let statements: [String]
        /// The earliest format that a server must know to run on a database with this step.
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
        version10, version11, version12, version13, version14,
        version15, version16, version17, version18, version19, version20, version21, version22, version23,
        version24, version25, version26, version27, version28, version29, version30,
    ])

    /// - `rooms`: names sort by their bytes, as on the servers, so that all lock in one order. Rows are updated in place.
    /// - `operations`: also the revision of each command. A send's command is its message's id, so this table also finds
    ///   messages: a message's sort key is the revision that inserted it.
    /// - `messages_touched`: the rows that were touched after they were inserted, in the order of the last touch. The
    ///   other rows are in that order by their key, so a send does not write to this index.
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

    /// - `operations.subject`, `value`: the affected user of a moderation or the author of a deleted message; the span,
    ///   the interval or the role.
    /// - `operations_audited`: actions on the room or on another person's message.
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

    /// - `fingerprints`: the fingerprint of the first server that reached a revision.
    private static let version3: Step = [
        """
        CREATE TABLE fingerprints(
            room bigint NOT NULL, revision bigint NOT NULL, fingerprint bigint NOT NULL, PRIMARY KEY(room, revision)
        )
        """
    ]

    /// - `operations.format`: the format in force when the operation was written; 3 stands for all formats up to 3.
    /// - `servers`: the latest format that each server knows, and the end of its lease by the database's clock.
    private static let version4: Step = [
        "ALTER TABLE store ADD COLUMN in_force bigint NOT NULL DEFAULT 0",
        "ALTER TABLE operations ADD COLUMN format bigint NOT NULL DEFAULT 3",
        "CREATE TABLE servers(id text PRIMARY KEY, knows bigint NOT NULL, until timestamptz NOT NULL)",
    ]

    /// - `rooms.start`: rows with smaller sort keys were trimmed. `floor`: operations up to that revision may be
    ///   forgotten.
    private static let version5: Step = [
        "ALTER TABLE rooms ADD COLUMN start bigint NOT NULL DEFAULT 0, ADD COLUMN floor bigint NOT NULL DEFAULT 0"
    ]

    /// - `deliveries`: the revision up to which each room was delivered; a row for room 0 marks that deliveries have
    ///   begun.
    private static let version6: Step = [
        "CREATE TABLE deliveries(room bigint PRIMARY KEY, revision bigint NOT NULL)"
    ]

    /// - `store.system`, `timeline`, `since`: the copy of the database that the servers use, and the time at which they
    ///   began. `generation`: the number of epochs that have begun. `fence`: see ``StoreLine/fence``.
    /// - `servers.timeline`: the last timeline in which a server found every commit that it acknowledged; NULL for
    ///   servers of earlier versions, which do not look.
    /// - `witnesses`: the number of durable commits of each lane of each server.
    /// - `lessees`: the server that has each lease, and the end of the lease.
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

    /// - `memberships`: the members of each room, the revision and time at which they joined, and their read marks. Rows
    ///   are updated in place.
    /// - `messages.ordinal`: the number of messages that had been inserted in the room with this one, and
    ///   `rooms.inserted` their number so far. Messages from before this format was in force have no ordinal that counts,
    ///   and need none: all members have joined, and have read, after them.
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

    /// - `messages.mentions`: the people whom the message mentions, and `operations.mentions` those of a send or edit; NULL
    ///   for none.
    /// - `mentions`: each of them but the author, to count them.
    private static let version10: Step = [
        "ALTER TABLE messages ADD COLUMN mentions text",
        "ALTER TABLE operations ADD COLUMN mentions text",
        """
        CREATE TABLE mentions(
            room bigint NOT NULL, person text COLLATE "C" NOT NULL, sort bigint NOT NULL,
            PRIMARY KEY(room, person, sort)
        )
        """,
        "CREATE INDEX mentions_sort ON mentions(room, sort)",
    ]

    /// - `rooms.title`: NULL for none. In `memberships` a person who is only invited has `joined` 0.
    private static let version11: Step = ["ALTER TABLE rooms ADD COLUMN title text"]

    /// Invitations, which `operations` has as a kind of their own. Servers of before cannot read them.
    private static let version12: Step = []

    /// - `mentions.author`: a message that mentions everybody has one row, whose `person` is empty, with its author, for
    ///   whom it does not count. In `messages.mentions` and `operations.mentions` an empty first line stands for everybody.
    private static let version13: Step = [
        "ALTER TABLE mentions ADD COLUMN author text COLLATE \"C\"",
        "CREATE INDEX mentions_author ON mentions(room, author, sort) WHERE author IS NOT NULL",
    ]

    /// - `memberships.pinned`: the place among the person's pinned rooms; 0 for none. `marked`: the revision at which the
    ///   person marked the room as unread; 0 for none. `silenced`: muted; servers of before join the table with another one
    ///   that has a column `muted`.
    private static let version14: Step = [
        """
        ALTER TABLE memberships
            ADD COLUMN pinned bigint NOT NULL DEFAULT 0, ADD COLUMN silenced bigint NOT NULL DEFAULT 0,
            ADD COLUMN archived bigint NOT NULL DEFAULT 0, ADD COLUMN marked bigint NOT NULL DEFAULT 0
        """
    ]

    /// - `rooms.topic`, `rooms.picture`: NULL for none.
    private static let version15: Step = ["ALTER TABLE rooms ADD COLUMN topic text, ADD COLUMN picture text"]

    /// - `profiles`: what people are called and look like, as of a second; NULL for none.
    private static let version16: Step = [
        """
        CREATE TABLE profiles(
            person text COLLATE "C" PRIMARY KEY, name text, picture text, second bigint NOT NULL
        ) WITH (fillfactor = 80)
        """
    ]

    /// - `memberships.inviter`: of a person who is only invited; NULL where it was not kept. Servers of before would keep
    ///   it for another invitation, so none is written before this format is in force.
    private static let version17: Step = ["ALTER TABLE memberships ADD COLUMN inviter text"]

    /// The creation of open rooms, which `operations` has as a kind of its own. Servers of before cannot read it.
    private static let version18: Step = []

    /// - `rooms.activity`: the stamp of the last message that was said, also if it is not there any more. `stamped`: the
    ///   value of `inserted` that it belongs to. Where it is another one, servers of before have written: the time of the
    ///   last message stands for the stamp.
    private static let version19: Step = [
        "ALTER TABLE rooms ADD COLUMN activity bigint NOT NULL DEFAULT 0, ADD COLUMN stamped bigint NOT NULL DEFAULT -1"
    ]

    /// - `parts`: the part of the rooms that this database has, as a ``PartRecord``: by state, with the index of the part,
    ///   and its first and last logical shard.
    /// - `store.map`: the map whose servers may read and write; NULL before there is one.
    private static let version20: Step = [
        "ALTER TABLE store ADD COLUMN map uuid",
        """
        CREATE TABLE parts(
            state text PRIMARY KEY, map uuid NOT NULL, parts bigint NOT NULL, part bigint, first_shard bigint,
            last_shard bigint, list text NOT NULL
        )
        """,
    ]

    /// The format from which on operations have instants of the store's time. Before, the clocks decide.
    static let storeTime = 21

    /// - `operations.drift`: what is to be added to `time` for the operation's instant in the store's time.
    /// - `store.lead`: the time by which the store's time is ahead of the database's clock.
    ///
    /// Before, the clocks decided. Operations that a clock stamped ahead of this moment get an instant right before it: the
    /// rooms keep their order, and mutes their length.
    private static let version21: Step = [
        "ALTER TABLE operations ADD COLUMN drift bigint NOT NULL DEFAULT 0",
        "ALTER TABLE store ADD COLUMN lead bigint NOT NULL DEFAULT 0",
        """
        WITH present AS (
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
        ), stamps AS (
            SELECT id, CASE WHEN stamped = inserted THEN activity ELSE greatest(activity, coalesce((
                SELECT time FROM messages WHERE room = rooms.id AND time < 1::bigint << 53 ORDER BY sort DESC LIMIT 1
            ), 0) * 512) END AS stamp FROM rooms
        ), ahead AS (
            SELECT id, stamp, now, now - row_number() OVER (ORDER BY stamp DESC, id) AS instant FROM stamps, present
            WHERE stamp > now * 512 OR id IN (SELECT room FROM memberships WHERE time > now)
                OR id IN (SELECT room FROM standings WHERE muted > now)
        ), places AS (
            UPDATE rooms SET stamped = inserted, activity = instant * 512 + greatest(1, (
                SELECT count(*) FROM operations WHERE room = ahead.id AND kind = 1 AND time > now
            )) - 1 FROM ahead WHERE rooms.id = ahead.id AND stamp > now * 512
        ), joins AS (
            UPDATE memberships SET time = instant FROM ahead WHERE room = ahead.id AND time > now
        ), sends AS (
            UPDATE last_sends SET time = instant FROM ahead WHERE room = ahead.id AND time > now
        ), mutes AS (
            SELECT DISTINCT ON (room, person) room, person,
                CASE WHEN time > now THEN instant ELSE time END + value AS until
            FROM standings JOIN ahead ON room = ahead.id JOIN operations USING (room)
            WHERE muted > now AND kind > 5 AND kind = 7 AND subject = person AND value BETWEEN 0 AND 1::bigint << 53
            ORDER BY room, person, revision DESC
        ), ends AS (
            UPDATE standings SET muted = until FROM mutes
            WHERE standings.room = mutes.room AND standings.person = mutes.person
        )
        UPDATE operations SET drift = instant - time FROM ahead WHERE room = ahead.id AND time > now
        """,
    ]

    /// The format from which on a message's content is one column. Before, the columns are ``ContentColumns/Form/apart``.
    static let wholeContents = 22

    /// Contents in the column `text`, which servers of before would show as they stand there.
    private static let version22: Step = []

    /// - `rooms.members`, `standings`, `senders`: the numbers of rows of a room's tables of people. `sized`: the revision to
    ///   which they belong. Where the room has another one, they were not counted yet, or servers of before have written.
    /// - `standings_over`, `last_sends_time`: the rows that may be stale, in the order in which they become so.
    private static let version23: Step = [
        """
        ALTER TABLE rooms ADD COLUMN members bigint NOT NULL DEFAULT 0, ADD COLUMN standings bigint NOT NULL DEFAULT 0,
            ADD COLUMN senders bigint NOT NULL DEFAULT 0, ADD COLUMN sized bigint NOT NULL DEFAULT -1
        """,
        "CREATE INDEX standings_over ON standings(room, muted, kicked) WHERE role = 0 AND banned = 0",
        "CREATE INDEX last_sends_time ON last_sends(room, time)",
    ]

    /// - `rooms.pins`: the pinned messages, as ``PinBytes``; NULL for none.
    private static let version24: Step = ["ALTER TABLE rooms ADD COLUMN pins bytea"]

    /// - `drafts`: what people have written and not sent, as ``MessageContent/stored``. `place`: the name of the room; all
    ///   tables with a column `room` are of a room.
    private static let version25: Step = [
        """
        CREATE TABLE drafts(
            person text COLLATE "C" NOT NULL, place text COLLATE "C" NOT NULL, time bigint NOT NULL, content text NOT NULL,
            PRIMARY KEY(person, place)
        ) WITH (fillfactor = 80)
        """
    ]

    /// The format from which on messages may grow.
    static let growth = 26

    /// Messages that grow: operations of the kinds -3 and -4, and contents that are open or ended early.
    private static let version26: Step = []

    /// A message's row may say that it has a thread.
    static let summaries = 27
    private static let version27: Step = []

    /// Rooms have threads, which are rooms with names that earlier servers cannot read. The followers of a thread are its
    /// members. `operations.subject` of a send in a thread: the people who follow it from then on, each on a line.
    static let threads = 28
    private static let version28: Step = []

    /// - `later`: the items of `me/later`, with `item` as ``LaterItem/Light/stored``. `due`: see ``StoredLater``; NULL for what
    ///   no server sends.
    private static let version29: Step = [
        """
        CREATE TABLE later(
            person text COLLATE "C" NOT NULL, id uuid NOT NULL, due bigint, held bigint NOT NULL, role bigint NOT NULL,
            item text NOT NULL,
            PRIMARY KEY(person, id)
        ) WITH (fillfactor = 80)
        """,
        "CREATE INDEX later_due ON later(due) WHERE due IS NOT NULL",
    ]

    /// - `blocks`: see ``StoredBlock``. `direct` is the direct room of the two. Each database has the blocks of all people.
    private static let version30: Step = [
        """
        CREATE TABLE blocks(
            person text COLLATE "C" NOT NULL, blocked text COLLATE "C" NOT NULL, direct text NOT NULL, time bigint NOT NULL,
            PRIMARY KEY(person, blocked)
        )
        """,
        "CREATE INDEX blocks_blocked ON blocks(blocked)",
    ]

    /// Migrates the database to the latest format in one transaction, while no other server does. An empty one gets the
    /// tables and an epoch. The server's lease runs from then on.
    ///
    /// - Errors: `outgrown` when this server does not know the format in force; `ahead` when a step would disturb a server
    ///   that is still running; `stale`. The database is unchanged then.
    func migrate(
        over connection: Connection, _ address: PostgresAddress, _ lease: Lease, _ history: History
    ) throws(PostgresFailure) {
        let origin = connection.origin
        try connection.run(
            [.run("BEGIN"), .run("SET LOCAL lock_timeout = 0"), .run(Lease.lock, .text(address.schema))],
            until: .now + .seconds(60))
        try makeStore(over: connection, address)
        // An older database, without a format in force, has servers of one format only.
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
                Query.goOn.sql, .integer(origin.system), .integer(origin.timeline),
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
                .run(Query.line.sql), .run("COMMIT"),
            ], until: .now + Connection.patience)
        try history.apply(StoreLine(answers[1], knows: .max), from: origin)
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
