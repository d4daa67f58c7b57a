/// The statements by which a commit looks up and writes.
extension Query {
    static let committing: [Query] = [
        .addRooms, .lockRooms, .line, .witness, .endBackend, .commands, .messages, .addOperations,
        .putMessages, .removeMessages, .addMentions, .removeMentions, .addTombstones, .setRooms, .removeRooms,
        .standings, .lastSends, .lastReplies, .putStandings, .removeStandings, .putLastSends, .removeLastSends,
        .forgetSends,
        .staleStandings, .staleSends, .countRows, .lockPeople, .members, .companionsIn, .addMembers,
        .removeMembers, .setSettings, .setRead, .profiles, .putProfiles, .putDrafts, .removeDrafts, .removeOldDrafts,
        .later, .putLater, .removeLater, .blocks, .putBlock, .removeBlock,
    ]

    /// Makes the rooms that do not exist, in the order in which they are locked.
    static let addRooms = Query(
        "addRooms",
        """
        INSERT INTO rooms(name, revision, count)
        SELECT name, 0, 0 FROM unnest($1::text[]) AS asked(name)
        WHERE NOT EXISTS (SELECT FROM rooms WHERE rooms.name = asked.name) ON CONFLICT DO NOTHING
        """)
    /// Locks rooms. The lock gives a room's operations their order.
    static let lockRooms = Query(
        "lockRooms",
        """
        SELECT id, name, revision, count, slow, read_only, inserted, title, topic, picture, \(activity),
            CASE WHEN sized = revision THEN 1::bigint ELSE 0::bigint END, members, standings, senders, pins, start
        FROM rooms WHERE name = ANY($1::text[]) ORDER BY name FOR UPDATE
        """)
    /// The epoch and the format in force. It runs after the rooms are locked, so that their rows are in this format or
    /// an earlier one.
    /// The map is read by its name, because a database of an earlier format has no such column.
    static let line = Query(
        "line", "SELECT in_force, epoch, generation, fence, (to_jsonb(store) ->> 'map')::uuid FROM store")
    /// Counts a lane's durable commits. The count shows whether a database has all of them. Because of this row, a
    /// transaction that writes nothing else still waits for the disk and for a synchronous standby.
    static let witness = Query(
        "witness",
        """
        INSERT INTO witnesses AS known(server, lane, count, time)
        VALUES($1::text, $2::bigint, 1, clock_timestamp())
        ON CONFLICT (server, lane) DO UPDATE SET count = known.count + 1, time = excluded.time RETURNING count
        """)
    /// Finds each command by a lookup of its own. For a join, the planner might read the whole room instead.
    static let commands = Query(
        "commands",
        """
        SELECT name, revision, command, author, time, kind, target, text, role, subject, value,
            mentions, drift
        FROM unnest($1::text[], $2::uuid[]) AS asked(name, id), LATERAL (
            SELECT * FROM operations
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND command = asked.id LIMIT 1
        ) AS found
        """)
    static let messages = Query(
        "messages",
        """
        SELECT name, sort, message.id, changed, reloaded, message.author, message.time, message.text, edited, reply,
            reactions, mentions, sent.author, sent.time
        FROM unnest($1::text[], $2::uuid[]) AS asked(name, id), LATERAL (
            SELECT room, revision, author, time FROM operations
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND command = asked.id LIMIT 1
        ) AS sent, LATERAL (
            SELECT * FROM messages WHERE room = sent.room AND sort = sent.revision AND id = asked.id LIMIT 1
        ) AS message
        """)
    /// The authors and times of the last rows of rooms with rows, the last one first, with the number of all.
    static let lastReplies = Query(
        "lastReplies",
        """
        SELECT rooms.name, count, author, time FROM rooms, LATERAL (
            SELECT author, time, sort FROM messages WHERE room = rooms.id ORDER BY sort DESC LIMIT $2::bigint
        ) AS last
        WHERE rooms.name = ANY($1::text[]) ORDER BY rooms.name, sort DESC
        """)
    static let addOperations = Query(
        "addOperations",
        """
        INSERT INTO operations(room, revision, command, author, time, kind, target, text, role, subject,
            value, mentions, drift, format)
        SELECT *, $14::bigint FROM unnest(
            $1::bigint[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::uuid[], $8::bytea[],
            $9::bigint[], $10::text[], $11::bigint[], $12::text[], $13::bigint[])
        """)
    static let putMessages = Query(
        "putMessages",
        """
        INSERT INTO messages(room, sort, id, changed, reloaded, author, time, text, edited, reply, reactions, ordinal,
            mentions)
        SELECT * FROM unnest(
            $1::bigint[], $2::bigint[], $3::uuid[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bytea[],
            $9::bigint[], $10::uuid[], $11::bytea[], $12::bigint[], $13::text[])
        ON CONFLICT (room, sort) DO UPDATE SET changed = excluded.changed, reloaded = excluded.reloaded,
            text = excluded.text, edited = excluded.edited, reply = excluded.reply, reactions = excluded.reactions,
            mentions = excluded.mentions
        """)
    static let addMentions = Query(
        "addMentions",
        """
        INSERT INTO mentions(room, person, sort, author)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[])
        ON CONFLICT DO NOTHING
        """)
    static let removeMentions = Query(
        "removeMentions",
        """
        DELETE FROM mentions USING unnest($1::bigint[], $2::bigint[]) AS gone(room, sort)
        WHERE mentions.room = gone.room AND mentions.sort = gone.sort
        """)
    static let removeMessages = Query(
        "removeMessages",
        """
        DELETE FROM messages USING unnest($1::bigint[], $2::bigint[]) AS gone(room, sort)
        WHERE messages.room = gone.room AND messages.sort = gone.sort
        """)
    static let addTombstones = Query(
        "addTombstones",
        """
        INSERT INTO tombstones(room, changed, id, sort)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::bigint[])
        """)
    static let setRooms = Query(
        "setRooms",
        """
        UPDATE rooms SET revision = new.revision, count = new.count, slow = new.slow, read_only = new.read_only,
            inserted = new.inserted, title = new.title, topic = new.topic, picture = new.picture,
            activity = new.activity, stamped = new.inserted, members = new.members, standings = new.standings,
            senders = new.senders, sized = new.sized, pins = new.pins
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
                $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bytea[])
            AS new(id, revision, count, slow, read_only, inserted, title, topic, picture, activity, members, standings,
                senders, sized, pins)
        WHERE rooms.id = new.id
        """)
    static let profiles = Query(
        "profiles",
        "SELECT person, name, picture, second FROM profiles WHERE person = ANY($1::text[])")
    static let putProfiles = Query(
        "putProfiles",
        """
        INSERT INTO profiles(person, name, picture, second)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
        ON CONFLICT (person) DO UPDATE SET name = excluded.name, picture = excluded.picture, second = excluded.second
        """)
    static let drafts = Query(
        "drafts", "SELECT person, place, time, content FROM drafts WHERE person = ANY($1::text[])")
    static let putDrafts = Query(
        "putDrafts",
        """
        INSERT INTO drafts(person, place, time, content)
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
        ON CONFLICT (person, place) DO UPDATE SET time = excluded.time, content = excluded.content
        """)
    static let removeDrafts = Query(
        "removeDrafts",
        """
        DELETE FROM drafts USING unnest($1::text[], $2::text[]) AS gone(person, place)
        WHERE drafts.person = gone.person AND drafts.place = gone.place
        """)
    static let removeOldDrafts = Query(
        "removeOldDrafts",
        """
        DELETE FROM drafts USING (
            SELECT person, place, row_number() OVER (PARTITION BY person ORDER BY time DESC, place) AS number
            FROM drafts WHERE person = ANY($1::text[])
        ) AS kept
        WHERE drafts.person = kept.person AND drafts.place = kept.place AND number > $2::bigint
        """)
    static let later = Query(
        "later", "SELECT person, id, due, held, role, item FROM later WHERE person = ANY($1::text[])")
    static let nextLater = Query(
        "nextLater",
        "SELECT person, id, due, held, role, item FROM later WHERE due >= 0 ORDER BY due LIMIT $1::bigint")
    static let putLater = Query(
        "putLater",
        """
        INSERT INTO later(person, id, due, held, role, item)
        SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
        ON CONFLICT (person, id) DO UPDATE
        SET due = excluded.due, held = excluded.held, role = excluded.role, item = excluded.item
        """)
    static let removeLater = Query(
        "removeLater",
        """
        DELETE FROM later USING unnest($1::text[], $2::uuid[]) AS gone(person, id)
        WHERE later.person = gone.person AND later.id = gone.id
        """)
    static let blocks = Query(
        "blocks", "SELECT person, blocked, direct, time FROM blocks WHERE person = ANY($1::text[])")
    static let blockers = Query(
        "blockers", "SELECT person, blocked, direct, time FROM blocks WHERE blocked = $1::text")
    /// The rooms of people from users whom they have blocked: see ``Blocks``. All of them, and one.
    static let blockedRooms = blockedRooms(
        "blockedRooms", "SELECT * FROM memberships WHERE memberships.person = blocker.person OFFSET 0")
    static let blockedRoom = blockedRooms(
        "blockedRoom",
        """
        SELECT * FROM memberships
        WHERE memberships.room = (SELECT id FROM rooms WHERE rooms.name = $2::text)
            AND memberships.person = blocker.person LIMIT 1
        """)

    private static func blockedRooms(_ name: String, _ members: String) -> Query {
        Query(
            name,
            """
            SELECT member.person, name
            FROM (SELECT DISTINCT person FROM blocks WHERE person = ANY($1::text[])) AS blocker,
                LATERAL (\(members)) AS member,
                LATERAL (SELECT name FROM rooms WHERE rooms.id = member.room LIMIT 1) AS rooms
            WHERE strpos(name, '/thread/') = 0 AND EXISTS (
                SELECT FROM blocks WHERE blocks.person = member.person AND blocked = CASE
                    WHEN joined = 0 THEN inviter
                    WHEN read <= joined AND left(name, 1) = '@' THEN (
                        SELECT author FROM operations WHERE operations.room = member.room AND revision = 1 LIMIT 1
                    )
                END
            )
            """)
    }

    static let putBlock = Query(
        "putBlock",
        """
        INSERT INTO blocks(person, blocked, direct, time) VALUES($1::text, $2::text, $3::text, $4::bigint)
        ON CONFLICT DO NOTHING
        """)
    static let removeBlock = Query(
        "removeBlock", "DELETE FROM blocks WHERE person = $1::text AND blocked = $2::text")
    /// A person joins rooms and is invited to them one after the other, so that they are never a member of too many.
    static let lockPeople = Query(
        "lockPeople",
        """
        SELECT pg_advisory_xact_lock(hashtextextended('diffroom ' || $1::text || ' member ' || asked.person, 0))
        FROM unnest($2::text[]) AS asked(person)
        """)
    /// True when another user created the direct room, by its first operation, of kind 17.
    private static func isGiven(_ room: String, to person: String) -> String {
        """
        EXISTS (
            SELECT FROM operations
            WHERE operations.room = \(room) AND revision = 1 AND kind = 17 AND author <> \(person)
        )
        """
    }

    /// Memberships, with the numbers of the person's rooms, or of the threads that they follow: all, those that they have
    /// joined or created, and those that others gave them and that they have not put away. Up to a number of rooms it makes no difference which they are,
    /// and all count as either.
    static let members = Query(
        "members",
        """
        SELECT name, asked.person, joined, total.rooms, pinned, silenced, archived, marked,
            CASE WHEN total.rooms < $3::bigint THEN total.rooms ELSE parts.own END,
            CASE WHEN total.rooms < $3::bigint THEN total.rooms ELSE parts.given END,
            CASE WHEN \(isGiven("found.room", to: "asked.person")) THEN 0::bigint ELSE 1::bigint END
        FROM unnest($1::text[], $2::text[]) AS asked(name, person) LEFT JOIN LATERAL (
            SELECT * FROM memberships
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND person = asked.person LIMIT 1
        ) AS found ON true, LATERAL (
            SELECT count(*) AS rooms FROM memberships WHERE person = asked.person
        ) AS total, LATERAL (
            SELECT count(*) FILTER (WHERE own) AS own, count(*) FILTER (WHERE NOT own AND archived = 0) AS given FROM (
                SELECT archived, joined > 0 AND NOT \(isGiven("member.room", to: "asked.person")) AS own
                FROM memberships AS member JOIN rooms ON rooms.id = member.room
                WHERE member.person = asked.person AND total.rooms >= $3::bigint
                    AND (strpos(rooms.name, '/thread/') > 0) = (strpos(asked.name, '/thread/') > 0)
            ) AS one
        ) AS parts
        """)
    static let addMembers = Query(
        "addMembers",
        """
        INSERT INTO memberships(room, person, joined, time, inviter, read)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])
        ON CONFLICT (room, person) DO UPDATE SET joined = excluded.joined, time = excluded.time, read = excluded.read,
            inviter = excluded.inviter, pinned = 0, silenced = 0, archived = 0, marked = 0
        """)
    static let setSettings = Query(
        "setSettings",
        """
        UPDATE memberships SET pinned = new.pinned, silenced = new.silenced, archived = new.archived, marked = new.marked,
            read = least(read, greatest(joined - new.slack, new.most))
        FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                $8::bigint[])
            AS new(room, person, pinned, silenced, archived, marked, most, slack)
        WHERE memberships.room = new.room AND memberships.person = new.person
        """)
    static let removeMembers = Query(
        "removeMembers",
        """
        DELETE FROM memberships USING unnest($1::bigint[], $2::text[]) AS gone(room, person)
        WHERE memberships.room = gone.room AND memberships.person = gone.person
        """)
    /// The rooms are locked, so that none of them gets another revision, and no two transactions wait for each other's marks.
    static let setRead = Query(
        "setRead",
        """
        UPDATE memberships SET read = new.read_to
        FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS new(room, reader, read_to)
        WHERE memberships.room = new.room AND person = new.reader AND read < new.read_to
            AND joined > 0 AND (marked <= read OR marked <= new.read_to)
        """)
    static let standings = Query(
        "standings",
        """
        SELECT name, found.person, role, muted, banned, kicked
        FROM unnest($1::text[], $2::text[]) AS asked(name, person), LATERAL (
            SELECT * FROM standings
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND person = asked.person LIMIT 1
        ) AS found
        """)
    static let lastSends = Query(
        "lastSends",
        """
        SELECT name, found.person, found.time
        FROM unnest($1::text[], $2::text[]) AS asked(name, person), LATERAL (
            SELECT * FROM last_sends
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND person = asked.person LIMIT 1
        ) AS found
        """)
    static let putStandings = Query(
        "putStandings",
        """
        INSERT INTO standings(room, person, role, muted, banned, kicked)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
        ON CONFLICT (room, person) DO UPDATE SET role = excluded.role, muted = excluded.muted,
            banned = excluded.banned, kicked = excluded.kicked
        """)
    static let removeStandings = Query(
        "removeStandings",
        """
        DELETE FROM standings USING unnest($1::bigint[], $2::text[]) AS gone(room, person)
        WHERE standings.room = gone.room AND standings.person = gone.person
        """)
    static let putLastSends = Query(
        "putLastSends",
        """
        INSERT INTO last_sends(room, person, time) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])
        ON CONFLICT (room, person) DO UPDATE SET time = excluded.time
        """)
    static let removeLastSends = Query(
        "removeLastSends",
        """
        DELETE FROM last_sends USING unnest($1::bigint[], $2::text[]) AS gone(room, person)
        WHERE last_sends.room = gone.room AND last_sends.person = gone.person
        """)
    static let forgetSends = Query("forgetSends", "DELETE FROM last_sends WHERE room = ANY($1::bigint[])")
    /// Mutes that are over, and kicks that all servers have applied.
    static let staleStandings = Query(
        "staleStandings",
        """
        SELECT name, found.person, role, muted, banned, found.kicked
        FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS asked(room, name, instant, kicked), LATERAL (
            SELECT * FROM standings
            WHERE standings.room = asked.room AND role = 0 AND banned = 0 AND muted <= asked.instant
                AND standings.kicked <= asked.kicked
            ORDER BY muted, standings.kicked
        ) AS found
        """)
    /// Last messages that slow mode no longer counts.
    static let staleSends = Query(
        "staleSends",
        """
        SELECT name, found.person, found.time
        FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS asked(room, name, sent), LATERAL (
            SELECT * FROM last_sends WHERE last_sends.room = asked.room AND time <= asked.sent ORDER BY time
        ) AS found
        """)
    /// Counts the rows of rooms' tables of people. Servers of before kept rows of default standings.
    static let countRows = Query(
        "countRows",
        """
        SELECT name, (SELECT count(*) FROM memberships WHERE memberships.room = asked.room),
            (
                SELECT count(*) FROM standings
                WHERE standings.room = asked.room AND NOT (role = 0 AND muted = 0 AND banned = 0 AND kicked = 0)
            ),
            (SELECT count(*) FROM last_sends WHERE last_sends.room = asked.room)
        FROM unnest($1::bigint[], $2::text[]) AS asked(room, name)
        """)
    static let removeRooms = Query("removeRooms", "DELETE FROM rooms WHERE id = ANY($1::bigint[])")
}
