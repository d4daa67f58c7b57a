/// The statements that run while rooms are served. Each finds its rows by a key or an index, so that its cost does not
/// grow with the size of the store.
///
/// The column `sum` of a row is the `row_sum` of its other columns, in the order of the statements that read it:
///
/// - messages: `sort` to `mentions`, `room`, `ordinal`; operations: `revision` to `mentions`, `room`, and
///   `drift` unless it is 0.
/// - rooms: `revision` to `activity`, `name`; memberships: in the order of the table; standings: `user` to `kicked`, `room`.
/// - profiles: `name`, `picture`, `second`, `user`; tombstones: `id`, `sort`, `changed`, `room`; pins: `room`, `entries`;
///   drafts: `user` to `content`; later: `user` to `item`; blocks: `user` to `time`.
enum Query: String, CaseIterable {
    case room = """
        SELECT id, revision, count, slow, read_only, is_ruled, start, floor, inserted, title,
            topic, picture, activity, name, rooms.sum, entries, pins.sum,
            CASE WHEN entries IS NULL THEN NULL ELSE row_sum(room, entries) END
        FROM rooms LEFT JOIN pins ON pins.room = rooms.id WHERE name = ?1
        """
    /// Rooms by name. A room whose operations were all refused has revision 0 and is left out.
    case roomsAfter = """
        SELECT name, revision, count, sum,
            row_sum(revision, count, slow, read_only, is_ruled, start, floor, inserted, title,
                topic, picture, activity, name)
        FROM rooms WHERE name > ?1 AND revision > 0 ORDER BY name
        """
    case deliveriesAfter = """
        SELECT name, rooms.revision, coalesce(deliveries.revision, 0)
        FROM rooms LEFT JOIN deliveries ON deliveries.room = rooms.id
        WHERE name > ?1 AND rooms.revision > 0 ORDER BY name
        """
    case delivery = """
        SELECT name, rooms.revision, coalesce(deliveries.revision, 0)
        FROM rooms LEFT JOIN deliveries ON deliveries.room = rooms.id WHERE name = ?1 AND rooms.revision > 0
        """
    case setDelivery = """
        INSERT OR REPLACE INTO deliveries(room, revision) SELECT id, ?2 FROM rooms WHERE name = ?1
        """
    case addRoom = """
        INSERT INTO rooms(name, revision, count, sum)
        VALUES(?1, 0, 0, row_sum(0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, ?1)) RETURNING id
        """
    case setRoom = """
        UPDATE rooms SET revision = ?2, count = ?3, slow = ?4, read_only = ?5, is_ruled = ?6, inserted = ?7,
            title = ?8, topic = ?9, picture = ?10, activity = ?11,
            sum = row_sum(?2, ?3, ?4, ?5, ?6, start, floor, ?7, ?8, ?9, ?10, ?11, name)
        WHERE id = ?1
        """

    case command = "SELECT revision FROM commands WHERE room = ?1 AND command = ?2"
    case addCommand = "INSERT INTO commands(room, command, revision) VALUES(?1, ?2, ?3)"

    case operation = """
        SELECT revision, command, author, time, kind, target, text, role, subject, value, mentions, room, drift, sum
        FROM operations WHERE room = ?1 AND revision = ?2
        """
    case operations = """
        SELECT revision, command, author, time, kind, target, text, role, subject, value, mentions, room, drift, sum
        FROM operations WHERE room = ?1 AND revision > ?2 ORDER BY revision LIMIT ?3
        """
    case addOperation = """
        INSERT INTO operations(
            room, revision, command, author, time, kind, target, text, role, subject, value, mentions, sum, drift)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
        """
    /// Operations for the audit log, the last one first.
    case audited = """
        SELECT revision, command, author, time, kind, target, text, role, subject, value, mentions, room, drift, sum
        FROM operations INDEXED BY operations_audited
        WHERE room = ?1 AND revision < ?2 AND kind > 5 ORDER BY revision DESC LIMIT ?3
        """

    case standing = """
        SELECT user, role, muted, banned, kicked, room, sum FROM standings WHERE room = ?1 AND user = ?2
        """
    case standings = "SELECT user, role, muted, banned, kicked, room, sum FROM standings WHERE room = ?1"
    case firstStandings = "SELECT user, role, muted, banned, kicked, room, sum FROM standings WHERE room = ?1 LIMIT ?2"
    case setStanding = """
        INSERT OR REPLACE INTO standings(room, user, role, muted, banned, kicked, sum)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, row_sum(?2, ?3, ?4, ?5, ?6, ?1))
        """
    case removeStanding = "DELETE FROM standings WHERE room = ?1 AND user = ?2"
    case setPins = "INSERT OR REPLACE INTO pins(room, entries, sum) VALUES(?1, ?2, row_sum(?1, ?2))"
    case removePins = "DELETE FROM pins WHERE room = ?1"
    case lastSend = "SELECT time FROM last_sends WHERE room = ?1 AND user = ?2"
    case setLastSend = "INSERT OR REPLACE INTO last_sends(room, user, time) VALUES(?1, ?2, ?3)"
    case forgetSends = "DELETE FROM last_sends WHERE room = ?1"

    /// The sizes of a room's tables. A row with a wrong sum is no row.
    case sizes = """
        SELECT members, standings, senders FROM sizes
        WHERE room = ?1 AND sum = row_sum(room, members, standings, senders)
        """
    case countRows = """
        SELECT (SELECT count(*) FROM memberships WHERE room = ?1), (SELECT count(*) FROM standings WHERE room = ?1),
            (SELECT count(*) FROM last_sends WHERE room = ?1)
        """
    case setSizes = """
        INSERT OR REPLACE INTO sizes(room, members, standings, senders, sum)
        VALUES(?1, ?2, ?3, ?4, row_sum(?1, ?2, ?3, ?4))
        """
    /// Mutes that are over, and kicks that all servers have applied.
    case removeStaleStandings = """
        DELETE FROM standings WHERE room = ?1 AND user IN (
            SELECT user FROM standings INDEXED BY standings_over
            WHERE room = ?1 AND role = 0 AND banned = 0 AND muted <= ?2 AND kicked <= ?3
        ) AND sum IN (0, row_sum(user, role, muted, banned, kicked, room))
        """
    case removeStaleSends = "DELETE FROM last_sends INDEXED BY last_sends_time WHERE room = ?1 AND time <= ?2"

    /// The membership of a person who is a member or invited.
    case membership = """
        SELECT joined, pinned, silenced, archived, marked, sum,
            row_sum(room, user, joined, time, read, pinned, silenced, archived, marked, inviter)
        FROM memberships WHERE room = ?1 AND user = ?2
        """
    case membershipCount = "SELECT count(*) FROM memberships INDEXED BY memberships_user WHERE user = ?1"
    /// The rooms that a person has joined or created, those that others gave them and that they have not put away, and
    /// all. A direct room's first operation, of kind 17, tells who created it.
    case membershipCounts = """
        SELECT coalesce(sum(own), 0), coalesce(sum(NOT own AND NOT archived), 0), count(*) FROM (
            SELECT archived, joined > 0 AND NOT EXISTS (
                SELECT 1 FROM operations
                WHERE room = memberships.room AND revision = 1 AND kind = 17 AND author <> ?1
            ) AS own
            FROM memberships INDEXED BY memberships_user JOIN rooms ON rooms.id = memberships.room
            WHERE user = ?1 AND instr(name, '/thread/') = 0
        )
        """
    case followedThreads = """
        SELECT count(*) FROM memberships INDEXED BY memberships_user JOIN rooms ON rooms.id = memberships.room
        WHERE user = ?1 AND instr(name, '/thread/') > 0
        """
    case addMembership = """
        INSERT OR REPLACE INTO memberships(room, user, joined, time, read, inviter, sum)
        VALUES(?1, ?2, ?3, ?4, ?6, ?5, row_sum(?1, ?2, ?3, ?4, ?6, 0, 0, 0, 0, ?5))
        """
    case removeMembership = "DELETE FROM memberships WHERE room = ?1 AND user = ?2"
    case setSettings = """
        UPDATE memberships SET pinned = ?3, silenced = ?4, archived = ?5, marked = ?6,
            read = min(read, max(joined - ?8, ?7)),
            sum = CASE
                WHEN sum IN (0, row_sum(room, user, joined, time, read, pinned, silenced, archived, marked, inviter))
                THEN row_sum(room, user, joined, time, min(read, max(joined - ?8, ?7)), ?3, ?4, ?5, ?6, inviter)
                ELSE sum END
        WHERE room = ?1 AND user = ?2
        """
    case setRead = """
        UPDATE memberships SET read = ?3,
            sum = CASE
                WHEN sum IN (0, row_sum(room, user, joined, time, read, pinned, silenced, archived, marked, inviter))
                THEN row_sum(room, user, joined, time, ?3, pinned, silenced, archived, marked, inviter)
                ELSE sum END
        WHERE room = ?1 AND user = ?2 AND read < ?3 AND joined > 0 AND (marked <= read OR marked <= ?3)
        """
    case membershipsOf = """
        SELECT name, user, revision, joined, time, read, rooms.id, count, inserted, is_ruled, title,
            pinned, silenced, archived, marked, picture, inviter, activity,
            memberships.sum,
            row_sum(memberships.room, user, joined, time, read, pinned, silenced, archived, marked, inviter),
            rooms.sum, row_sum(revision, count, slow, read_only, is_ruled, start, floor, inserted, title,
                topic, picture, activity, name)
        FROM memberships INDEXED BY memberships_user JOIN rooms ON rooms.id = memberships.room WHERE user = ?1
        """
    /// Its first table is read from the index alone. The standing in a thread is that in its room.
    case placesOf = """
        SELECT rooms.name, joined, time, pinned, archived, rooms.activity, role, muted, banned, kicked
        FROM memberships INDEXED BY memberships_user JOIN rooms ON rooms.id = memberships.room
            LEFT JOIN rooms AS parent ON parent.name = CASE WHEN instr(rooms.name, '/thread/') > 0
                THEN substr(rooms.name, 1, instr(rooms.name, '/thread/') - 1) END
            LEFT JOIN standings ON standings.room = coalesce(parent.id, memberships.room)
                AND standings.user = memberships.user
        WHERE memberships.user = ?1
        """
    case membershipIn = """
        SELECT name, user, revision, joined, time, read, rooms.id, count, inserted, is_ruled, title,
            pinned, silenced, archived, marked, picture, inviter, activity,
            memberships.sum,
            row_sum(memberships.room, user, joined, time, read, pinned, silenced, archived, marked, inviter),
            rooms.sum, row_sum(revision, count, slow, read_only, is_ruled, start, floor, inserted, title,
                topic, picture, activity, name)
        FROM rooms JOIN memberships ON memberships.room = rooms.id WHERE name = ?1 AND user = ?2
        """
    case membersAfter = """
        SELECT user, joined, time, inviter, read, sum,
            row_sum(room, user, joined, time, read, pinned, silenced, archived, marked, inviter)
        FROM memberships WHERE room = ?1 AND user > ?2 ORDER BY user LIMIT ?3
        """
    case member = """
        SELECT user, joined, time, inviter, read, sum,
            row_sum(room, user, joined, time, read, pinned, silenced, archived, marked, inviter)
        FROM memberships WHERE room = ?1 AND user = ?2
        """
    case memberCounts = """
        SELECT count(*), count(CASE joined WHEN 0 THEN 1 END) FROM memberships WHERE room = ?1
        """
    case roomNumber = "SELECT id FROM rooms WHERE name = ?1"
    /// The first message above a sort key, the number of later ones that were deleted, and the number of messages above
    /// the key that mention a person. All others after the first are in the list, because trimming removes the oldest
    /// only. A message mentions a person if it names them, or if another user wrote it to everybody.
    case firstUnread = """
        SELECT sort, ordinal,
            (SELECT count(*) FROM tombstones INDEXED BY tombstones_sort WHERE room = ?1 AND sort > first.sort),
            (SELECT count(*) FROM deleted WHERE room = ?1 AND sort > first.sort),
            (SELECT count(*) FROM mentions WHERE room = ?1 AND user = ?3 AND sort > ?2)
                + (SELECT count(*) FROM mentions WHERE room = ?1 AND user = '' AND sort > ?2)
                - (SELECT count(*) FROM mentions INDEXED BY mentions_author
                    WHERE room = ?1 AND author = ?3 AND sort > ?2)
        FROM messages AS first WHERE room = ?1 AND sort > ?2 ORDER BY sort LIMIT 1
        """

    case profile = "SELECT name, picture, second, user, sum FROM profiles WHERE user = ?1"
    case putProfile = """
        INSERT INTO profiles(user, name, picture, second, sum) VALUES(?1, ?2, ?3, ?4, row_sum(?2, ?3, ?4, ?1))
        ON CONFLICT(user) DO UPDATE
        SET name = excluded.name, picture = excluded.picture, second = excluded.second, sum = excluded.sum
        """
    case drafts = "SELECT user, place, time, content, sum FROM drafts WHERE user = ?1"
    case putDraft = """
        INSERT OR REPLACE INTO drafts(user, place, time, content, sum) VALUES(?1, ?2, ?3, ?4, row_sum(?1, ?2, ?3, ?4))
        """
    case removeDraft = "DELETE FROM drafts WHERE user = ?1 AND place = ?2"
    case draftTimes = "SELECT place, time FROM drafts WHERE user = ?1"
    case later = "SELECT user, id, due, held, role, item, sum FROM later WHERE user = ?1"
    case nextLater = """
        SELECT user, id, due, held, role, item, sum FROM later INDEXED BY later_due
        WHERE due IS NOT NULL ORDER BY due LIMIT ?1
        """
    case putLater = """
        INSERT OR REPLACE INTO later(user, id, due, held, role, item, sum)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, row_sum(?1, ?2, ?3, ?4, ?5, ?6))
        """
    case removeLater = "DELETE FROM later WHERE user = ?1 AND id = ?2"
    case blocks = "SELECT user, blocked, direct, time, sum FROM blocks WHERE user = ?1"
    case blockers = "SELECT user, blocked, direct, time, sum FROM blocks INDEXED BY blocks_blocked WHERE blocked = ?1"
    case putBlock = """
        INSERT OR IGNORE INTO blocks(user, blocked, direct, time, sum) VALUES(?1, ?2, ?3, ?4, row_sum(?1, ?2, ?3, ?4))
        """
    case removeBlock = "DELETE FROM blocks WHERE user = ?1 AND blocked = ?2"
    /// The rooms of a person from users whom they have blocked: see ``Blocks``.
    case blockedRooms = """
        SELECT name FROM memberships INDEXED BY memberships_user JOIN rooms ON rooms.id = memberships.room
        WHERE user = ?1 AND instr(name, '/thread/') = 0 AND (SELECT
            CASE WHEN joined = 0 THEN inviter
                WHEN read <= joined AND name LIKE '@%' THEN (SELECT author FROM operations WHERE room = rooms.id AND revision = 1)
            END
        ) IN (SELECT blocked FROM blocks WHERE blocks.user = ?1)
        """
    /// The same of one room.
    case blockedRoom = """
        SELECT name FROM rooms JOIN memberships ON memberships.room = rooms.id
        WHERE name = ?2 AND user = ?1 AND instr(name, '/thread/') = 0 AND (SELECT
            CASE WHEN joined = 0 THEN inviter
                WHEN read <= joined AND name LIKE '@%' THEN (SELECT author FROM operations WHERE room = rooms.id AND revision = 1)
            END
        ) IN (SELECT blocked FROM blocks WHERE blocks.user = ?1)
        """
    /// The number of messages above a sort key that mention a person, and that a user whom they have blocked wrote.
    case blockedMentions = """
        SELECT count(*) FROM mentions
            CROSS JOIN messages ON messages.room = mentions.room AND messages.sort = mentions.sort
            CROSS JOIN blocks ON blocks.user = ?2 AND blocked = messages.author
        WHERE mentions.room = ?1 AND mentions.user IN (?2, '') AND mentions.sort > ?3
        """
    /// The last message before a sort key that mentions a person, and that neither they nor a user whom they have blocked
    /// wrote.
    case mentionBefore = """
        SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal, sum,
            (SELECT CASE
                WHEN sum IN (0, row_sum(room, user, joined, time, read, pinned, silenced, archived, marked, inviter))
                THEN read ELSE -1 END
            FROM memberships WHERE room = ?1 AND user = ?2 AND joined > 0),
            coalesce((SELECT drift FROM operations WHERE room = ?1 AND revision = messages.sort), 0)
        FROM messages
        WHERE room = ?1 AND sort = max(
            coalesce((
                SELECT sort FROM mentions AS said
                WHERE room = ?1 AND user = ?2 AND sort < ?3 AND NOT EXISTS (
                    SELECT 1 FROM blocks WHERE blocks.user = ?2 AND blocked = (
                        SELECT author FROM messages WHERE messages.room = ?1 AND messages.sort = said.sort
                    )
                )
                ORDER BY sort DESC LIMIT 1
            ), 0), coalesce((
                SELECT sort FROM mentions AS said
                WHERE room = ?1 AND user = '' AND author <> ?2 AND sort < ?3
                    AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocks.user = ?2 AND blocked = said.author)
                ORDER BY sort DESC LIMIT 1
            ), 0))
        """

    case message = """
        SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal,
            sum
        FROM messages WHERE room = ?1 AND sort = ?2 AND id = ?3
        """
    case addMessage = """
        INSERT INTO messages(room, sort, id, changed, reloaded, author, time, text, ordinal, sum)
        VALUES(?1, ?2, ?3, ?2, ?2, ?4, ?5, ?6, ?7, ?8)
        """
    case setContent = """
        UPDATE messages SET changed = ?3, reloaded = ?3, text = ?4, edited = ?5, reply = NULL, mentions = NULL,
            sum = row_sum(sort, id, ?3, ?3, author, time, ?4, ?5, NULL, reactions, NULL, room, ordinal)
        WHERE room = ?1 AND sort = ?2
        """
    case setReactions = """
        UPDATE messages SET changed = ?3, reactions = ?4,
            sum = row_sum(sort, id, ?3, reloaded, author, time, text, edited, reply, ?4, mentions, room, ordinal)
        WHERE room = ?1 AND sort = ?2
        """
    case addMention = "INSERT INTO mentions(room, user, sort, author) VALUES(?1, ?2, ?3, ?4)"
    case removeMentions = "DELETE FROM mentions INDEXED BY mentions_sort WHERE room = ?1 AND sort = ?2"
    case removeMessage = "DELETE FROM messages WHERE room = ?1 AND sort = ?2"
    case addTombstone = """
        INSERT INTO tombstones(room, changed, id, sort, sum) VALUES(?1, ?2, ?3, ?4, row_sum(?3, ?4, ?2, ?1))
        """

    case authorOfMessage = "SELECT author FROM messages WHERE room = ?1 AND sort = ?2"
    /// The authors and times of the last rows, the last one first.
    case lastAuthors = "SELECT author, time FROM messages WHERE room = ?1 ORDER BY sort DESC LIMIT ?2"

    /// The rows before a sort key, the last one first.
    case messagesBefore = """
        SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal,
            sum
        FROM messages WHERE room = ?1 AND sort < ?2 ORDER BY sort DESC LIMIT ?3
        """
    case messagesFrom = """
        SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal,
            sum
        FROM messages WHERE room = ?1 AND sort >= ?2 ORDER BY sort LIMIT ?3
        """

    /// The deletions between two sort keys.
    case deletionsBetween = """
        SELECT (SELECT count(*) FROM tombstones INDEXED BY tombstones_sort WHERE room = ?1 AND sort > ?2 AND sort < ?3)
            + (SELECT count(*) FROM deleted WHERE room = ?1 AND sort > ?2 AND sort < ?3)
        """

    case stampsUp = """
        SELECT id, sort, changed FROM messages WHERE room = ?1 AND sort BETWEEN ?2 AND ?3 ORDER BY sort LIMIT ?4
        """
    case stampsDown = """
        SELECT id, sort, changed FROM messages WHERE room = ?1 AND sort BETWEEN ?2 AND ?3 ORDER BY sort DESC LIMIT ?4
        """
    case changedUp = """
        SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal,
            sum
        FROM messages WHERE room = ?1 AND sort BETWEEN ?2 AND ?3 AND +changed > ?5 ORDER BY sort LIMIT ?4
        """
    case changedDown = """
        SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal,
            sum
        FROM messages WHERE room = ?1 AND sort BETWEEN ?2 AND ?3 AND +changed > ?5 ORDER BY sort DESC LIMIT ?4
        """
    case tombstonesUp = """
        SELECT id, sort, changed, room, sum FROM tombstones INDEXED BY tombstones_sort
        WHERE room = ?1 AND sort BETWEEN ?2 AND ?3 AND changed > ?5 ORDER BY sort LIMIT ?4
        """
    case tombstonesDown = """
        SELECT id, sort, changed, room, sum FROM tombstones INDEXED BY tombstones_sort
        WHERE room = ?1 AND sort BETWEEN ?2 AND ?3 AND changed > ?5 ORDER BY sort DESC LIMIT ?4
        """

    /// The sort key of a message, which is the revision of its send.
    case sortOfID = """
        SELECT sort FROM messages
        WHERE room = ?1 AND sort = (SELECT revision FROM commands WHERE room = ?1 AND command = ?2) AND id = ?2
        """
    /// The first sort key from which on messages have this time or a later one: times grow with the sort keys, so it is
    /// found by halving.
    case sortOfTime = """
        WITH RECURSIVE span(low, high) AS (
            SELECT start, revision + 1 FROM rooms WHERE id = ?1
            UNION ALL
            SELECT CASE WHEN (
                SELECT time FROM messages WHERE room = ?1 AND sort >= (low + high) / 2 ORDER BY sort LIMIT 1
            ) < ?2 THEN (low + high) / 2 + 1 ELSE low END, CASE WHEN (
                SELECT time FROM messages WHERE room = ?1 AND sort >= (low + high) / 2 ORDER BY sort LIMIT 1
            ) < ?2 THEN high ELSE (low + high) / 2 END
            FROM span WHERE low < high
        )
        SELECT low FROM span WHERE low >= high
        """
    /// The same of instants: a message's is its time with the drift of the operation that sent it.
    case sortOfInstant = """
        WITH RECURSIVE span(low, high) AS (
            SELECT start, revision + 1 FROM rooms WHERE id = ?1
            UNION ALL
            SELECT CASE WHEN (
                SELECT time + coalesce((SELECT drift FROM operations WHERE room = ?1 AND revision = sort), 0)
                FROM messages WHERE room = ?1 AND sort >= (low + high) / 2 ORDER BY sort LIMIT 1
            ) < ?2 THEN (low + high) / 2 + 1 ELSE low END, CASE WHEN (
                SELECT time + coalesce((SELECT drift FROM operations WHERE room = ?1 AND revision = sort), 0)
                FROM messages WHERE room = ?1 AND sort >= (low + high) / 2 ORDER BY sort LIMIT 1
            ) < ?2 THEN high ELSE (low + high) / 2 END
            FROM span WHERE low < high
        )
        SELECT low FROM span WHERE low >= high
        """
    case insertedSince = """
        SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal,
            sum
        FROM messages WHERE room = ?1 AND sort > ?2 ORDER BY sort LIMIT ?3
        """
    /// The touched rows that existed before.
    case touchedSince = """
        SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, room, ordinal,
            sum
        FROM messages INDEXED BY messages_touched
        WHERE room = ?1 AND changed > ?2 AND changed <> sort AND sort <= ?2 ORDER BY changed LIMIT ?3
        """
    case deletedSince = """
        SELECT id, sort, changed, room, sum FROM tombstones WHERE room = ?1 AND changed > ?2 ORDER BY changed LIMIT ?3
        """

    /// Rooms with the facts that tell whether to trim them: the time and drift of the oldest row, and those of the oldest
    /// operation that is not forgotten yet.
    case roomsToTrim = """
        SELECT name, count, first.time, sent.drift, done.time, done.drift
        FROM rooms LEFT JOIN messages AS first
                ON first.room = rooms.id AND first.sort = (SELECT min(sort) FROM messages WHERE room = rooms.id)
            LEFT JOIN operations AS sent ON sent.room = rooms.id AND sent.revision = first.sort
            LEFT JOIN operations AS done ON done.room = rooms.id AND done.revision = (
                SELECT min(revision) FROM operations WHERE room = rooms.id AND revision > rooms.floor
            )
        WHERE name > ?1 ORDER BY name
        """
    /// With the drift of the send, which stays as long as the message.
    case firstMessages = """
        SELECT sort, time, (SELECT drift FROM operations WHERE room = ?1 AND revision = sort)
        FROM messages WHERE room = ?1 ORDER BY sort LIMIT ?2
        """
    case removeFirstMessages = "DELETE FROM messages WHERE room = ?1 AND sort < ?2"
    case removeFirstMentions = "DELETE FROM mentions INDEXED BY mentions_sort WHERE room = ?1 AND sort < ?2"
    /// Deletions before the list's start, which no longer count.
    case removeDeleted = """
        DELETE FROM deleted WHERE room = ?1
            AND sort IN (SELECT sort FROM deleted WHERE room = ?1 AND sort < ?2 ORDER BY sort LIMIT ?3)
        """
    case shorten = """
        UPDATE rooms SET revision = revision + 1, count = count - ?2, start = ?3,
            sum = row_sum(revision + 1, count - ?2, slow, read_only, is_ruled, ?3, floor, inserted, title,
                topic, picture, activity, name)
        WHERE id = ?1
        """
    /// The last column is NULL unless the operation is the send of an existing message.
    case firstOperations = """
        SELECT revision, time, kind, (SELECT sort FROM messages WHERE room = ?1 AND sort = operations.revision), drift
        FROM operations WHERE room = ?1 AND revision > ?2 ORDER BY revision LIMIT ?3
        """
    case removeCommand = """
        DELETE FROM commands
        WHERE room = ?1 AND command = (SELECT command FROM operations WHERE room = ?1 AND revision = ?2)
        """
    case removeOperation = "DELETE FROM operations WHERE room = ?1 AND revision = ?2"
    case firstTombstones = "SELECT sort FROM tombstones WHERE room = ?1 AND changed <= ?2"
    case keepDeleted = """
        INSERT OR IGNORE INTO deleted(room, sort)
        SELECT room, sort FROM tombstones
        WHERE room = ?1 AND changed <= ?2 AND sort >= (SELECT start FROM rooms WHERE id = ?1)
        """
    case removeTombstones = "DELETE FROM tombstones WHERE room = ?1 AND changed <= ?2"
    case setFloor = """
        UPDATE rooms SET floor = ?2,
            sum = row_sum(revision, count, slow, read_only, is_ruled, start, ?2, inserted, title,
                topic, picture, activity, name)
        WHERE id = ?1
        """
}
