import ChatWire
import RoomStore

/// The copying of whole rooms, and of what is stored of people, from one database to another, while no server runs.
///
/// - Law: a room's copy is made in one transaction, and is durable before the original is removed. So a room that is cut
///   off while it is moved is whole in one of both databases, or in both with the same rows.
struct RoomMove {
    let source: PartDatabase
    let target: PartDatabase

    private static let patience = Duration.seconds(600)
    /// The number of rows that are copied at a time.
    private static let page = 1_000

    private var end: ContinuousClock.Instant { .now + Self.patience }

    /// A room in one of both databases.
    private struct Stored {
        let id: Int64
        let revision: Int64
    }

    // MARK: - Rooms

    /// Copies rooms. Those that are there already must have the same rows.
    func copyRooms(_ names: [String]) throws(PostgresFailure) {
        let (here, there) = (try rooms(names, in: source), try rooms(names, in: target))
        let tables = try tables()
        for (name, copy) in there {
            guard let original = here[name] else { continue }
            guard try digest(of: original, tables, in: source) == digest(of: copy, tables, in: target) else {
                throw Self.conflict(name, source, target)
            }
        }
        let rest = here.filter { there[$0.key] == nil }
        guard !rest.isEmpty else { return }
        try source.connection.run([.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")])
        try target.connection.run([.run("BEGIN")])
        let ids = try insert(rest)
        for table in tables { try copy(table, ids) }
        try beginDeliveries(ids.map(\.new))
        try target.connection.runDurably([.run("COMMIT")], until: end)
        try source.connection.run([.run("COMMIT")])
    }

    static func conflict(_ name: String, _ source: PartDatabase, _ target: PartDatabase) -> PostgresFailure {
        .misplaced(
            "the room '\(name)' is in \(source.place) and in \(target.place), with different contents: decide which one is "
                + "true, remove the other's rows, then run this again")
    }

    /// Removes rooms that were copied.
    func removeRooms(_ names: [String]) throws(PostgresFailure) {
        let ids = Parameter.integers(try rooms(names, in: source).values.map(\.id))
        let removals = try tables().map { table in
            Connection.Step.run("DELETE FROM \(table) WHERE room = ANY($1::bigint[])", ids)
        }
        try source.commit(removals + [.run("DELETE FROM rooms WHERE id = ANY($1::bigint[])", ids)])
    }

    /// The tables with rows of rooms, each with the room's number. The number is each database's own.
    private func tables() throws(PostgresFailure) -> [String] {
        try source.connection.run([.run(Self.tablesOfRooms)])[0].rows.map { $0.text(0) }
    }

    static let tablesOfRooms = """
        SELECT quote_ident(relname::text) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attname = 'room' ORDER BY relname
        """

    private func rooms(_ names: [String], in database: PartDatabase) throws(PostgresFailure) -> [String: Stored] {
        let sql = "SELECT name, id, revision FROM rooms WHERE name = ANY($1::text[]) AND revision > 0"
        let rows = try database.connection.run([.run(sql, .texts(names))], until: end)[0].rows
        var rooms: [String: Stored] = [:]
        for row in rows { rooms[row.text(0)] = Stored(id: try row.integer(1), revision: try row.integer(2)) }
        return rooms
    }

    /// Inserts the rows of the table of rooms, and returns the rooms' numbers in both databases.
    private func insert(_ rooms: [String: Stored]) throws(PostgresFailure) -> [(old: Int64, new: Int64)] {
        let columns = try source.connection.run([
            .run(
                """
                SELECT string_agg(quote_ident(attname::text), ', ' ORDER BY attnum) FROM pg_attribute
                WHERE attrelid = 'rooms'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'id'
                """)
        ])[0].rows.first?.text(0)
        guard let columns else { throw .senseless(column: "attname", room: nil) }
        let read = "SELECT to_jsonb(rooms)::text FROM rooms WHERE id = ANY($1::bigint[])"
        let rows = try source.connection.run([.run(read, .integers(rooms.values.map(\.id)))], until: end)[0].rows
        let answers = try target.connection.run(
            [
                .run("DELETE FROM rooms WHERE name = ANY($1::text[]) AND revision = 0", .texts(Array(rooms.keys))),
                .run(
                    """
                    INSERT INTO rooms(\(columns))
                    SELECT \(columns) FROM unnest($1::text[]) AS copied(line),
                        LATERAL jsonb_populate_record(NULL::rooms, line::jsonb)
                    RETURNING name, id
                    """, .texts(rows.map { $0.text(0) })),
            ], until: end)
        var ids: [(old: Int64, new: Int64)] = []
        for row in answers[1].rows {
            if let room = rooms[row.text(0)] { ids.append((room.id, try row.integer(1))) }
        }
        return ids
    }

    /// Copies the rows of one table, a page at a time.
    private func copy(_ table: String, _ ids: [(old: Int64, new: Int64)]) throws(PostgresFailure) {
        let rooms = ids.map { "\($0.old)" }.joined(separator: ",")
        let sql = "SELECT to_jsonb(\(table))::text FROM \(table) WHERE room = ANY('{\(rooms)}'::bigint[])"
        try source.connection.run([.run("DECLARE lines NO SCROLL CURSOR FOR " + sql)], until: end)
        let insertion = """
            INSERT INTO \(table)
            SELECT copy.* FROM unnest($1::text[]) AS copied(line),
                LATERAL (
                    SELECT new FROM unnest($2::bigint[], $3::bigint[]) AS ids(old, new)
                    WHERE old = (line::jsonb ->> 'room')::bigint
                ) AS room,
                LATERAL jsonb_populate_record(NULL::\(table), line::jsonb || jsonb_build_object('room', room.new)) AS copy
            """
        while true {
            let rows = try source.connection.run([.run("FETCH \(Self.page) FROM lines")], until: end)[0].rows
            guard !rows.isEmpty else { break }
            try target.connection.run(
                [
                    .run(
                        insertion, .texts(rows.map { $0.text(0) }), .integers(ids.map(\.old)), .integers(ids.map(\.new))
                    )
                ], until: end)
        }
        try source.connection.run([.run("CLOSE lines")])
    }

    /// Sees to it that webhooks get what they lack of the rooms, and nothing twice. A database without webhooks has no
    /// row for room 0, and none for its rooms.
    private func beginDeliveries(_ rooms: [Int64]) throws(PostgresFailure) {
        let begun = try source.connection.run([.run("SELECT 1 FROM deliveries WHERE room = 0")])[0].rows
        try target.connection.run([
            begun.isEmpty
                ? .run(
                    """
                    INSERT INTO deliveries(room, revision) SELECT id, revision FROM rooms WHERE id = ANY($1::bigint[])
                        AND EXISTS (SELECT FROM deliveries WHERE room = 0)
                    ON CONFLICT DO NOTHING
                    """, .integers(rooms))
                : .run(
                    """
                    INSERT INTO deliveries(room, revision)
                    SELECT id, revision FROM rooms
                    WHERE NOT EXISTS (SELECT FROM deliveries WHERE room = 0) AND id <> ALL($1::bigint[])
                    UNION ALL SELECT 0, 0
                    ON CONFLICT DO NOTHING
                    """, .integers(rooms))
        ])
    }

    /// Returns a digest of all rows of a room, which is the same in both databases.
    private func digest(
        of room: Stored, _ tables: [String], in database: PartDatabase
    ) throws(PostgresFailure) -> [String] {
        // A webhook's progress is no content.
        let steps = ["rooms"] + tables.filter { $0 != "deliveries" }
        let sums = steps.map { table -> Connection.Step in
            let key = table == "rooms" ? "id" : "room"
            return .run(
                """
                SELECT concat(count(*), ' ', sum(hashtextextended((to_jsonb(\(table)) - '\(key)')::text, 0)::numeric))
                FROM \(table) WHERE \(key) = $1::bigint
                """, .integer(room.id))
        }
        return try database.connection.run(sums, until: end).map { $0.rows.first?.text(0) ?? "" }
    }

    // MARK: - People

    /// Copies profiles, drafts and items of `me/later`. Of two, the later one stays.
    func copyPeople(_ names: [String]) throws(PostgresFailure) {
        try copy(
            "profiles", of: names, key: "person",
            "name = excluded.name, picture = excluded.picture, second = excluded.second", isLater: "second")
        try copy(
            "drafts", of: names, key: "person, place", "time = excluded.time, content = excluded.content",
            isLater: "time")
        try copy(
            "later", of: names, key: "person, id",
            "due = excluded.due, held = excluded.held, role = excluded.role, item = excluded.item", isLater: "held")
    }

    private func copy(
        _ table: String, of people: [String], key: String, _ update: String, isLater column: String
    ) throws(PostgresFailure) {
        let read = "SELECT to_jsonb(\(table))::text FROM \(table) WHERE person = ANY($1::text[])"
        let rows = try source.connection.run([.run(read, .texts(people))], until: end)[0].rows
        try target.commit([
            .run(
                """
                INSERT INTO \(table)
                SELECT copy.* FROM unnest($1::text[]) AS copied(line),
                    LATERAL jsonb_populate_record(NULL::\(table), line::jsonb) AS copy
                ON CONFLICT (\(key)) DO UPDATE SET \(update) WHERE \(table).\(column) < excluded.\(column)
                """, .texts(rows.map { $0.text(0) }))
        ])
    }

    /// Copies whom people have blocked, a page at a time.
    func copyBlocks() throws(PostgresFailure) {
        var last = (person: "", blocked: "")
        while true {
            let rows = try source.connection.run(
                [
                    .run(
                        """
                        SELECT person, blocked, to_jsonb(blocks)::text FROM blocks
                        WHERE (person, blocked) > ($1::text, $2::text) ORDER BY person, blocked LIMIT \(Self.page)
                        """, .text(last.person), .text(last.blocked))
                ], until: end)[0].rows
            guard let row = rows.last else { return }
            last = (row.text(0), row.text(1))
            try target.commit([
                .run(
                    """
                    INSERT INTO blocks
                    SELECT copy.* FROM unnest($1::text[]) AS copied(line),
                        LATERAL jsonb_populate_record(NULL::blocks, line::jsonb) AS copy
                    ON CONFLICT DO NOTHING
                    """, .texts(rows.map { $0.text(2) }))
            ])
        }
    }

    func removePeople(_ names: [String]) throws(PostgresFailure) {
        try source.commit(
            ["profiles", "drafts", "later"].map {
                .run("DELETE FROM \($0) WHERE person = ANY($1::text[])", .texts(names))
            })
    }
}
