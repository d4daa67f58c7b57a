import ChatRoom
import ChatWire

/// The statements that read people's rooms.
extension Query {
    /// The columns of a membership, with the first message above the read mark, the number of later ones that were
    /// deleted, and the number of messages above the mark that mention the person. All others after the first are in
    /// the list, because trimming removes the oldest only. A message mentions a person if it names them, or if another
    /// user wrote it to everybody, unless they have blocked its author.
    private static let membership = """
        SELECT name, member.person, revision, joined, member.time, read, count, inserted, first.ordinal,
            (SELECT count(*) FROM tombstones WHERE tombstones.room = member.room AND sort > first.sort)
                + (SELECT count(*) FROM deleted WHERE deleted.room = member.room AND sort > first.sort),
            (SELECT count(*) FROM mentions AS said
                WHERE said.room = member.room AND said.person = member.person AND sort > member.read)
                + (SELECT count(*) FROM mentions AS said
                    WHERE said.room = member.room AND said.person = '' AND sort > member.read)
                - (SELECT count(*) FROM mentions AS said
                    WHERE said.room = member.room AND said.author = member.person AND sort > member.read)
                - CASE WHEN EXISTS (SELECT FROM blocks WHERE blocks.person = member.person) THEN (
                    SELECT count(*) FROM mentions AS said, LATERAL (
                        SELECT author FROM messages
                        WHERE messages.room = member.room AND messages.sort = said.sort LIMIT 1
                    ) AS message, LATERAL (
                        SELECT FROM blocks
                        WHERE blocks.person = member.person AND blocked = message.author LIMIT 1
                    ) AS block
                    WHERE said.room = member.room AND said.person = ANY(ARRAY[member.person, ''])
                        AND said.sort > member.read
                ) ELSE 0 END,
            CASE WHEN parent_id IS NULL THEN title ELSE parent_title END,
            pinned, silenced, archived, marked,
            CASE WHEN parent_id IS NULL THEN picture ELSE parent_picture END, inviter, \(activity),
            coalesce(parent_revision, revision)
        """

    /// The room of a thread, from which it has its title, its picture and the standings of people. It follows `rooms`.
    private static let parent = """
        LEFT JOIN LATERAL (
            SELECT id AS parent_id, revision AS parent_revision, title AS parent_title, picture AS parent_picture
            FROM rooms AS above
            WHERE above.name = CASE WHEN strpos(rooms.name, '/thread/') > 0 THEN split_part(rooms.name, '/thread/', 1) END
            LIMIT 1
        ) AS parent ON true
        """

    /// A room's activity. A message of a time that makes no sense counts for none.
    static let activity = """
        CASE WHEN stamped = inserted THEN activity ELSE greatest(activity, coalesce((
            SELECT CASE WHEN messages.time BETWEEN 0 AND \(WireInteger.limit - 1) THEN
                messages.time * \(ActivityStamp.perMillisecond) END
            FROM messages WHERE messages.room = rooms.id ORDER BY sort DESC LIMIT 1
        ), 0)) END
        """

    /// All memberships of a person, with their rooms. The limits keep the planner from beginning with all rooms, whatever
    /// it takes the tables' sizes for.
    private static let allRooms = """
        FROM (SELECT * FROM memberships WHERE person = $1::text OFFSET 0) AS member, LATERAL (
            SELECT * FROM rooms WHERE rooms.id = member.room LIMIT 1
        ) AS rooms
        """
    /// Those in some rooms. Each is found by a lookup of its own.
    private static let someRooms = """
        FROM unnest($2::text[]) AS asked(wanted), LATERAL (
            SELECT * FROM rooms WHERE rooms.name = asked.wanted LIMIT 1
        ) AS rooms, LATERAL (
            SELECT * FROM memberships WHERE memberships.room = rooms.id AND memberships.person = $1::text LIMIT 1
        ) AS member
        """

    /// One statement for all rooms of a person, and one for some of them. A statement for both, with a NULL for all, has
    /// one plan for both.
    struct OfPerson: Sendable {
        let all: Query
        let some: Query

        /// - Parameter sql: makes the statement, with the person's rooms.
        fileprivate init(_ name: String, _ sql: (String) -> String) {
            all = Query(name + "Of", sql(allRooms))
            some = Query(name + "OfSome", sql(someRooms))
        }

        func step(_ person: Parameter, in rooms: Parameter?) -> Connection.Step {
            rooms.map { .run(some, person, $0) } ?? .run(all, person)
        }
    }

    /// Follows ``membership``.
    static let memberships = OfPerson("memberships") { rooms in
        """
        \(membership)
        \(rooms) \(parent) LEFT JOIN LATERAL (
            SELECT sort, ordinal FROM messages
            WHERE messages.room = member.room AND sort > member.read ORDER BY sort LIMIT 1
        ) AS first ON true
        """
    }
    static let placesOf = Query(
        "placesOf",
        """
        SELECT name, joined, member.time, pinned, archived, \(activity), role, muted, banned, kicked
        \(allRooms) \(parent) LEFT JOIN LATERAL (
            SELECT * FROM standings
            WHERE standings.room = coalesce(parent_id, member.room) AND standings.person = member.person LIMIT 1
        ) AS standings ON true
        """)
    /// Follows ``membership``.
    static let membershipsIn = Query(
        "membershipsIn",
        """
        \(membership)
        FROM unnest($2::text[]) AS asked(person), LATERAL (
            SELECT * FROM memberships
            WHERE memberships.room = (SELECT rooms.id FROM rooms WHERE rooms.name = $1::text)
                AND memberships.person = asked.person LIMIT 1
        ) AS member JOIN rooms ON rooms.id = member.room \(parent) LEFT JOIN LATERAL (
            SELECT sort, ordinal FROM messages
            WHERE messages.room = member.room AND sort > member.read ORDER BY sort LIMIT 1
        ) AS first ON true
        """)
    /// People who belong to a room, by their names; and the first ones after a name.
    static let namedMembers = Query(
        "namedMembers",
        """
        \(member)
        FROM unnest($2::text[]) AS asked(person), LATERAL (
            SELECT * FROM memberships
            WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND memberships.person = asked.person LIMIT 1
        ) AS member \(appointment)
        """)
    static let membersAfter = Query(
        "membersAfter",
        """
        \(member)
        FROM (
            SELECT * FROM memberships
            WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND person > $2::text COLLATE "C"
            ORDER BY person LIMIT $3::bigint
        ) AS member \(appointment)
        """)
    private static let member =
        "SELECT member.person, member.joined, member.time, member.inviter, member.read, standing.role"
    private static let appointment = """
        LEFT JOIN LATERAL (
            SELECT role FROM standings WHERE standings.room = member.room AND standings.person = member.person LIMIT 1
        ) AS standing ON true
        """
    static let memberCounts = Query(
        "memberCounts",
        """
        SELECT count(*) FILTER (WHERE joined > 0), count(*) FILTER (WHERE joined = 0) FROM memberships
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text)
        """)
    static let lastMessages = OfPerson("lastMessages") { rooms in
        """
        SELECT name, message.sort, message.id, changed, reloaded, author, message.time, text, edited, reply, reactions,
            mentions
        \(rooms), LATERAL (
            SELECT * FROM messages WHERE messages.room = member.room ORDER BY sort DESC LIMIT 1
        ) AS message
        """
    }
    /// The roots of threads.
    static let roots = OfPerson("roots") { rooms in
        """
        SELECT name, message.sort, message.id, changed, reloaded, author, message.time, text, edited, reply, reactions,
            mentions
        \(rooms) \(parent), LATERAL (
            SELECT revision AS sent, command FROM operations
            WHERE operations.room = parent_id AND command = CASE WHEN parent_id IS NOT NULL THEN right(name, 36)::uuid END
            LIMIT 1
        ) AS send, LATERAL (
            SELECT * FROM messages WHERE messages.room = parent_id AND sort = sent AND messages.id = command LIMIT 1
        ) AS message
        """
    }
    static let ownStandings = OfPerson("ownStandings") { rooms in
        """
        SELECT name, found.person, role, muted, banned, kicked
        \(rooms) \(parent), LATERAL (
            SELECT * FROM standings
            WHERE standings.room = coalesce(parent_id, member.room) AND standings.person = member.person LIMIT 1
        ) AS found
        """
    }
    /// The instant by which a message is new: the earliest of it and of those after it in its room.
    private static let earliest = "min(message.time + drift) OVER (PARTITION BY name ORDER BY message.sort DESC)"

    /// The time by which the store was ahead of the clock when a message came.
    private static let drift = """
        coalesce((
            SELECT operations.drift FROM operations
            WHERE operations.room = messages.room AND operations.revision = messages.sort
        ), 0)
        """

    /// The sort keys of the last messages in a room that mention the person, and that neither they nor a user whom they have
    /// blocked wrote: those that name the person, and those to everybody.
    private static func calls(in room: String, before end: String? = nil, limit: String) -> String {
        let isEarlier = end.map { "AND said.sort < \($0)" } ?? ""
        func last(_ condition: String, by author: String) -> String {
            """
            (
                SELECT said.sort FROM mentions AS said
                WHERE said.room = \(room) AND \(condition) \(isEarlier) AND NOT EXISTS (
                    SELECT FROM blocks WHERE blocks.person = $1::text AND blocked = \(author)
                )
                ORDER BY said.sort DESC LIMIT \(limit)
            )
            """
        }
        let author = "(SELECT author FROM messages WHERE messages.room = said.room AND messages.sort = said.sort)"
        return last("said.person = $1::text", by: author) + " UNION ALL "
            + last("said.person = '' AND said.author <> $1::text", by: "said.author")
    }

    /// The newest messages in some rooms that mention a person, and that neither they nor a user whom they have blocked wrote. Only rooms whose last one is
    /// among the newest of all can have any of them.
    static let mentionsOf = Query(
        "mentionsOf",
        """
        SELECT name, message.sort, message.id, changed, reloaded, author, message.time, text, edited, reply, reactions,
            mentions,
            (SELECT read FROM memberships WHERE room = place.id AND person = $1::text AND joined > 0), drift
        FROM (
            SELECT rooms.id, name FROM rooms, LATERAL (
                SELECT messages.time + drift AS instant FROM (
                    \(calls(in: "rooms.id", limit: "1"))
                ) AS said JOIN messages ON messages.room = rooms.id AND messages.sort = said.sort,
                LATERAL (SELECT \(drift) AS drift) AS sent
                ORDER BY said.sort DESC LIMIT 1
            ) AS newest
            WHERE name = ANY($2::text[]) ORDER BY newest.instant DESC, name LIMIT $3::bigint
        ) AS place, LATERAL (
            SELECT messages.*, drift FROM (
                \(calls(in: "place.id", limit: "$3::bigint"))
            ) AS said JOIN messages ON messages.room = place.id AND messages.sort = said.sort,
            LATERAL (SELECT \(drift) AS drift) AS sent
            ORDER BY said.sort DESC LIMIT $3::bigint
        ) AS message
        ORDER BY \(earliest) DESC, name, message.sort DESC LIMIT $3::bigint
        """)
    /// The same, of those that are older than a place: an instant, and of that instant a room and a message. In the place's
    /// own room the message's sort key tells them, also that of a deleted one. In others, and when it is not known any more,
    /// the first sort key from an instant on, which is found by halving, unless all are older.
    static let mentionsBefore = Query(
        "mentionsBefore",
        """
        SELECT name, message.sort, message.id, changed, reloaded, message.author, message.time, text, edited, reply, reactions,
            mentions,
            (SELECT read FROM memberships WHERE room = place.id AND person = $1::text AND joined > 0), drift
        FROM (
            SELECT asked.id, name, finish.sort AS finish FROM (
                SELECT id, name, start, $4::bigint + CASE WHEN name > $5::text THEN 1 ELSE 0 END AS late
                FROM rooms WHERE name = ANY($2::text[])
            ) AS asked, LATERAL (
                SELECT messages.sort, messages.time + drift AS instant FROM (
                    \(calls(in: "asked.id", limit: "1"))
                ) AS said JOIN messages ON messages.room = asked.id AND messages.sort = said.sort,
                LATERAL (SELECT \(drift) AS drift) AS sent
                ORDER BY said.sort DESC LIMIT 1
            ) AS last, LATERAL (
                SELECT coalesce(
                    CASE WHEN name = $5::text THEN (
                        SELECT revision FROM operations WHERE operations.room = asked.id AND command = $6::uuid LIMIT 1
                    ) END,
                    CASE WHEN last.instant < late THEN last.sort + 1 END,
                    (
                        WITH RECURSIVE span(low, high) AS (
                            SELECT asked.start, last.sort
                            UNION ALL
                            SELECT CASE WHEN found.instant < late THEN (low + high) / 2 + 1 ELSE low END,
                                CASE WHEN found.instant < late THEN high ELSE (low + high) / 2 END
                            FROM span, LATERAL (
                                SELECT time + \(drift) AS instant FROM messages
                                WHERE messages.room = asked.id AND sort >= (low + high) / 2 ORDER BY sort LIMIT 1
                            ) AS found
                            WHERE low < high
                        )
                        SELECT low FROM span WHERE low >= high
                    )
                ) AS sort OFFSET 0
            ) AS finish, LATERAL (
                SELECT messages.time + drift AS instant FROM (
                    \(calls(in: "asked.id", before: "finish.sort", limit: "1"))
                ) AS said JOIN messages ON messages.room = asked.id AND messages.sort = said.sort,
                LATERAL (SELECT \(drift) AS drift) AS sent
                ORDER BY said.sort DESC LIMIT 1
            ) AS newest
            ORDER BY newest.instant DESC, name LIMIT $3::bigint
        ) AS place, LATERAL (
            SELECT messages.*, drift FROM (
                \(calls(in: "place.id", before: "finish", limit: "$3::bigint"))
            ) AS said JOIN messages ON messages.room = place.id AND messages.sort = said.sort,
            LATERAL (SELECT \(drift) AS drift) AS sent
            ORDER BY said.sort DESC LIMIT $3::bigint
        ) AS message
        ORDER BY \(earliest) DESC, name, message.sort DESC LIMIT $3::bigint
        """)
    /// The people of the direct rooms of a person.
    static let companions = OfPerson("companions") { rooms in
        """
        SELECT name, found.person
        \(rooms) \(parent), LATERAL (
            SELECT person FROM standings
            WHERE standings.room = coalesce(parent_id, member.room) AND role > 0 AND starts_with(name, '@') OFFSET 0
        ) AS found
        """
    }
    static let companionsIn = Query(
        "companionsIn",
        """
        SELECT asked.name, found.person
        FROM unnest($1::text[]) AS asked(name), LATERAL (
            SELECT person FROM standings
            WHERE room = (SELECT id FROM rooms WHERE rooms.name = asked.name AND starts_with(rooms.name, '@')) AND role > 0
        ) AS found
        """)
}
