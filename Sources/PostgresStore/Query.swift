/// The statements that run while rooms are served. Each finds its rows by a key or an index, so that its cost does not
/// grow with the size of the store.
enum Query: String, CaseIterable {
    // MARK: - Committing

    /// Makes the rooms that do not exist, in the order in which they are locked.
    case addRooms = """
        INSERT INTO rooms(name, revision, count)
        SELECT name, 0, 0 FROM unnest($1::text[]) AS asked(name)
        WHERE NOT EXISTS (SELECT FROM rooms WHERE rooms.name = asked.name) ON CONFLICT DO NOTHING
        """
    /// Locks rooms. The lock gives a room's operations their order.
    case lockRooms = """
        SELECT id, name, revision, count, slow, read_only, inserted, title, topic, picture, ACTIVITY FROM rooms
        WHERE name = ANY($1::text[]) ORDER BY name FOR UPDATE
        """
    /// The epoch and the format in force. It runs after the rooms are locked, so that their rows are in this format or
    /// an earlier one.
    case line = "SELECT in_force, epoch, generation, fence FROM store"
    /// Counts a lane's durable commits. The count shows whether a database has all of them. Because of this row, a
    /// transaction that writes nothing else still waits for the disk and for a synchronous standby.
    case witness = """
        INSERT INTO witnesses AS known(server, lane, count, time)
        VALUES($1::text, $2::bigint, 1, clock_timestamp())
        ON CONFLICT (server, lane) DO UPDATE SET count = known.count + 1, time = excluded.time RETURNING count
        """
    /// Finds each command by a lookup of its own. For a join, the planner might read the whole room instead.
    case commands = """
        SELECT name, revision, command, author, time, kind, target, text, role, subject, value,
            mentions
        FROM unnest($1::text[], $2::uuid[]) AS asked(name, id), LATERAL (
            SELECT * FROM operations
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND command = asked.id LIMIT 1
        ) AS found
        """
    case messages = """
        SELECT name, sort, message.id, changed, reloaded, message.author, message.time, message.text, edited, reply,
            reactions, mentions
        FROM unnest($1::text[], $2::uuid[]) AS asked(name, id), LATERAL (
            SELECT room, revision FROM operations
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND command = asked.id LIMIT 1
        ) AS sent, LATERAL (
            SELECT * FROM messages WHERE room = sent.room AND sort = sent.revision AND id = asked.id LIMIT 1
        ) AS message
        """
    case addOperations = """
        INSERT INTO operations(room, revision, command, author, time, kind, target, text, role, subject,
            value, mentions, format)
        SELECT *, $13::bigint FROM unnest(
            $1::bigint[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::uuid[], $8::bytea[],
            $9::bigint[], $10::text[], $11::bigint[], $12::text[])
        """
    case putMessages = """
        INSERT INTO messages(room, sort, id, changed, reloaded, author, time, text, edited, reply, reactions, ordinal,
            mentions)
        SELECT * FROM unnest(
            $1::bigint[], $2::bigint[], $3::uuid[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bytea[],
            $9::bigint[], $10::uuid[], $11::bytea[], $12::bigint[], $13::text[])
        ON CONFLICT (room, sort) DO UPDATE SET changed = excluded.changed, reloaded = excluded.reloaded,
            text = excluded.text, edited = excluded.edited, reactions = excluded.reactions, mentions = excluded.mentions
        """
    case addMentions = """
        INSERT INTO mentions(room, person, sort, author)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[])
        ON CONFLICT DO NOTHING
        """
    case removeMentions = """
        DELETE FROM mentions USING unnest($1::bigint[], $2::bigint[]) AS gone(room, sort)
        WHERE mentions.room = gone.room AND mentions.sort = gone.sort
        """
    case removeMessages = """
        DELETE FROM messages USING unnest($1::bigint[], $2::bigint[]) AS gone(room, sort)
        WHERE messages.room = gone.room AND messages.sort = gone.sort
        """
    case addTombstones = """
        INSERT INTO tombstones(room, changed, id, sort)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::bigint[])
        """
    case setRooms = """
        UPDATE rooms SET revision = new.revision, count = new.count, slow = new.slow, read_only = new.read_only,
            inserted = new.inserted, title = new.title, topic = new.topic, picture = new.picture,
            activity = new.activity, stamped = new.inserted
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
                $8::text[], $9::text[], $10::bigint[])
            AS new(id, revision, count, slow, read_only, inserted, title, topic, picture, activity)
        WHERE rooms.id = new.id
        """
    case profiles = "SELECT person, name, picture, second FROM profiles WHERE person = ANY($1::text[])"
    case putProfiles = """
        INSERT INTO profiles(person, name, picture, second)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
        ON CONFLICT (person) DO UPDATE SET name = excluded.name, picture = excluded.picture, second = excluded.second
        """
    /// A person joins rooms and is invited to them one after the other, so that they are never a member of too many.
    case lockPeople = """
        SELECT pg_advisory_xact_lock(hashtextextended('diffroom ' || $1::text || ' member ' || asked.person, 0))
        FROM unnest($2::text[]) AS asked(person)
        """
    case members = """
        SELECT name, asked.person, joined, (SELECT count(*) FROM memberships WHERE person = asked.person),
            pinned, silenced, archived, marked
        FROM unnest($1::text[], $2::text[]) AS asked(name, person) LEFT JOIN LATERAL (
            SELECT * FROM memberships
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND person = asked.person LIMIT 1
        ) AS found ON true
        """
    case addMembers = """
        INSERT INTO memberships(room, person, joined, time, read, inviter)
        SELECT room, person, joined, time, joined, inviter
        FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::text[])
            AS new(room, person, joined, time, inviter)
        ON CONFLICT (room, person) DO UPDATE SET joined = excluded.joined, time = excluded.time, read = excluded.read,
            inviter = excluded.inviter, pinned = 0, silenced = 0, archived = 0, marked = 0
        """
    case setSettings = """
        UPDATE memberships SET pinned = new.pinned, silenced = new.silenced, archived = new.archived, marked = new.marked,
            read = greatest(joined, least(read, new.most))
        FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
            AS new(room, person, pinned, silenced, archived, marked, most)
        WHERE memberships.room = new.room AND memberships.person = new.person
        """
    case removeMembers = """
        DELETE FROM memberships USING unnest($1::bigint[], $2::text[]) AS gone(room, person)
        WHERE memberships.room = gone.room AND memberships.person = gone.person
        """
    /// The rooms are locked, so that none of them gets another revision, and nobody waits for another's marks in turn.
    case setRead = """
        UPDATE memberships SET read = new.read_to
        FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS new(room, reader, read_to)
        WHERE memberships.room = new.room AND person = new.reader AND read < new.read_to
            AND joined > 0 AND (marked <= read OR marked <= new.read_to)
        """
    case standings = """
        SELECT name, found.person, role, muted, banned, kicked
        FROM unnest($1::text[], $2::text[]) AS asked(name, person), LATERAL (
            SELECT * FROM standings
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND person = asked.person LIMIT 1
        ) AS found
        """
    case lastSends = """
        SELECT name, found.person, found.time
        FROM unnest($1::text[], $2::text[]) AS asked(name, person), LATERAL (
            SELECT * FROM last_sends
            WHERE room = (SELECT rooms.id FROM rooms WHERE rooms.name = asked.name) AND person = asked.person LIMIT 1
        ) AS found
        """
    case putStandings = """
        INSERT INTO standings(room, person, role, muted, banned, kicked)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
        ON CONFLICT (room, person) DO UPDATE SET role = excluded.role, muted = excluded.muted,
            banned = excluded.banned, kicked = excluded.kicked
        """
    case putLastSends = """
        INSERT INTO last_sends(room, person, time) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])
        ON CONFLICT (room, person) DO UPDATE SET time = excluded.time
        """
    case forgetSends = "DELETE FROM last_sends WHERE room = ANY($1::bigint[])"
    case removeRooms = "DELETE FROM rooms WHERE id = ANY($1::bigint[])"

    // MARK: - Reading

    case room = """
        SELECT revision, count, slow, read_only, start, floor, title, topic, picture FROM rooms WHERE name = $1::text
        """
    /// The rows before a sort key, the last one first.
    case messagesBefore = """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort < $2::bigint
        ORDER BY sort DESC LIMIT $3::bigint
        """
    case messagesFrom = """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort >= $2::bigint
        ORDER BY sort LIMIT $3::bigint
        """
    case stampsUp = """
        SELECT id, sort, changed FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint
        ORDER BY sort LIMIT $4::bigint
        """
    case stampsDown = """
        SELECT id, sort, changed FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint
        ORDER BY sort DESC LIMIT $4::bigint
        """
    case changedUp = """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint AND changed > $5::bigint
        ORDER BY sort LIMIT $4::bigint
        """
    case changedDown = """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint AND changed > $5::bigint
        ORDER BY sort DESC LIMIT $4::bigint
        """
    case tombstonesUp = """
        SELECT id, sort, changed FROM tombstones
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint AND changed > $5::bigint
        ORDER BY sort LIMIT $4::bigint
        """
    case tombstonesDown = """
        SELECT id, sort, changed FROM tombstones
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint AND changed > $5::bigint
        ORDER BY sort DESC LIMIT $4::bigint
        """
    /// The sort key of a message, which is the revision of its send.
    case sortOfID = """
        SELECT sort FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND id = $2::uuid AND sort = (
            SELECT revision FROM operations
            WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND command = $2::uuid
        )
        """
    /// The first sort key from which on messages have this time or a later one. Times grow with the sort keys, so it is
    /// found by halving.
    case sortOfTime = """
        WITH RECURSIVE span(room, low, high) AS (
            SELECT id, start, revision + 1 FROM rooms WHERE name = $1::text
            UNION ALL
            SELECT span.room, CASE WHEN found.time < $2::bigint THEN (low + high) / 2 + 1 ELSE low END,
                CASE WHEN found.time < $2::bigint THEN high ELSE (low + high) / 2 END
            FROM span LEFT JOIN LATERAL (
                SELECT time FROM messages
                WHERE messages.room = span.room AND sort >= (low + high) / 2 ORDER BY sort LIMIT 1
            ) AS found ON true
            WHERE low < high
        )
        SELECT low FROM span WHERE low >= high
        """
    case insertedSince = """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort > $2::bigint
        ORDER BY sort LIMIT $3::bigint
        """
    /// The touched rows that existed before.
    case touchedSince = """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND changed > $2::bigint AND changed <> sort
            AND sort <= $2::bigint
        ORDER BY changed LIMIT $3::bigint
        """
    case deletedSince = """
        SELECT id, sort, changed FROM tombstones
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND changed > $2::bigint
        ORDER BY changed LIMIT $3::bigint
        """
    case operations = """
        SELECT '', revision, command, author, time, kind, target, text, role, subject, value,
            mentions, format FROM operations
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND revision > $2::bigint
        ORDER BY revision LIMIT $3::bigint
        """

    /// Follows ``membership``.
    case membershipsOf = """
        FROM memberships AS member JOIN rooms ON rooms.id = member.room LEFT JOIN LATERAL (
            SELECT sort, ordinal FROM messages
            WHERE messages.room = member.room AND sort > member.read ORDER BY sort LIMIT 1
        ) AS first ON true
        WHERE member.person = $1::text AND ($2::text[] IS NULL OR name = ANY($2::text[]))
        """
    case placesOf = """
        SELECT name, joined, member.time, pinned, archived, ACTIVITY, role, muted, banned, kicked
        FROM memberships AS member JOIN rooms ON rooms.id = member.room
            LEFT JOIN standings ON standings.room = member.room AND standings.person = member.person
        WHERE member.person = $1::text
        """
    /// Follows ``membership``.
    case membershipsIn = """
        FROM unnest($2::text[]) AS asked(person), LATERAL (
            SELECT * FROM memberships
            WHERE memberships.room = (SELECT rooms.id FROM rooms WHERE rooms.name = $1::text)
                AND memberships.person = asked.person LIMIT 1
        ) AS member JOIN rooms ON rooms.id = member.room LEFT JOIN LATERAL (
            SELECT sort, ordinal FROM messages
            WHERE messages.room = member.room AND sort > member.read ORDER BY sort LIMIT 1
        ) AS first ON true
        """
    case membersAfter = """
        SELECT name, person FROM rooms JOIN memberships ON memberships.room = rooms.id
        WHERE name = $1::text AND person > $2::text COLLATE "C" ORDER BY person LIMIT $3::bigint
        """
    case lastMessages = """
        SELECT name, message.sort, message.id, changed, reloaded, author, message.time, text, edited, reply, reactions,
            mentions
        FROM memberships AS member JOIN rooms ON rooms.id = member.room, LATERAL (
            SELECT * FROM messages WHERE messages.room = member.room ORDER BY sort DESC LIMIT 1
        ) AS message
        WHERE member.person = $1::text AND ($2::text[] IS NULL OR name = ANY($2::text[]))
        """
    case standingsOf = """
        SELECT name, found.person, role, muted, banned, kicked
        FROM memberships AS member JOIN rooms ON rooms.id = member.room, LATERAL (
            SELECT * FROM standings
            WHERE standings.room = member.room AND standings.person = member.person LIMIT 1
        ) AS found
        WHERE member.person = $1::text AND ($2::text[] IS NULL OR name = ANY($2::text[]))
        """

    /// The newest messages in some rooms that mention a person, and that they did not write. Only rooms whose newest one is
    /// among the newest of all can have any of them.
    case mentionsOf = """
        SELECT name, message.sort, message.id, changed, reloaded, author, message.time, text, edited, reply, reactions,
            mentions,
            (SELECT read FROM memberships WHERE room = place.id AND person = $1::text AND joined > 0)
        FROM (
            SELECT rooms.id, name FROM rooms, LATERAL (
                SELECT messages.time FROM (
                    (SELECT sort FROM mentions WHERE room = rooms.id AND person = $1::text ORDER BY sort DESC LIMIT 1)
                    UNION ALL (
                        SELECT sort FROM mentions WHERE room = rooms.id AND person = '' AND author <> $1::text
                        ORDER BY sort DESC LIMIT 1
                    )
                ) AS said JOIN messages ON messages.room = rooms.id AND messages.sort = said.sort
                ORDER BY said.sort DESC LIMIT 1
            ) AS newest
            WHERE name = ANY($2::text[]) ORDER BY newest.time DESC, name LIMIT $3::bigint
        ) AS place, LATERAL (
            SELECT messages.* FROM (
                (SELECT sort FROM mentions WHERE room = place.id AND person = $1::text ORDER BY sort DESC LIMIT $3::bigint)
                UNION ALL (
                    SELECT sort FROM mentions WHERE room = place.id AND person = '' AND author <> $1::text
                    ORDER BY sort DESC LIMIT $3::bigint
                )
            ) AS said JOIN messages ON messages.room = place.id AND messages.sort = said.sort
            ORDER BY said.sort DESC LIMIT $3::bigint
        ) AS message
        ORDER BY message.time DESC, name, message.sort DESC LIMIT $3::bigint
        """

    /// The same, of those that are older than a place: a time, and of that time a room and a message. In the place's own room
    /// the message's sort key tells them, also that of a deleted one. In others, and when it is not known any more, the
    /// first sort key from a time on, which is found by halving, unless all are older.
    case mentionsBefore = """
        SELECT name, message.sort, message.id, changed, reloaded, message.author, message.time, text, edited, reply, reactions,
            mentions,
            (SELECT read FROM memberships WHERE room = place.id AND person = $1::text AND joined > 0)
        FROM (
            SELECT asked.id, name, finish.sort AS finish FROM (
                SELECT id, name, start, $4::bigint + CASE WHEN name > $5::text THEN 1 ELSE 0 END AS late
                FROM rooms WHERE name = ANY($2::text[])
            ) AS asked, LATERAL (
                SELECT messages.sort, messages.time FROM (
                    (SELECT sort FROM mentions WHERE room = asked.id AND person = $1::text ORDER BY sort DESC LIMIT 1)
                    UNION ALL (
                        SELECT sort FROM mentions WHERE room = asked.id AND person = '' AND author <> $1::text
                        ORDER BY sort DESC LIMIT 1
                    )
                ) AS said JOIN messages ON messages.room = asked.id AND messages.sort = said.sort
                ORDER BY said.sort DESC LIMIT 1
            ) AS last, LATERAL (
                SELECT coalesce(
                    CASE WHEN name = $5::text THEN (
                        SELECT revision FROM operations WHERE operations.room = asked.id AND command = $6::uuid LIMIT 1
                    ) END,
                    CASE WHEN last.time < late THEN last.sort + 1 END,
                    (
                        WITH RECURSIVE span(low, high) AS (
                            SELECT asked.start, last.sort
                            UNION ALL
                            SELECT CASE WHEN found.time < late THEN (low + high) / 2 + 1 ELSE low END,
                                CASE WHEN found.time < late THEN high ELSE (low + high) / 2 END
                            FROM span, LATERAL (
                                SELECT time FROM messages
                                WHERE messages.room = asked.id AND sort >= (low + high) / 2 ORDER BY sort LIMIT 1
                            ) AS found
                            WHERE low < high
                        )
                        SELECT low FROM span WHERE low >= high
                    )
                ) AS sort OFFSET 0
            ) AS finish, LATERAL (
                SELECT messages.time FROM (
                    (
                        SELECT sort FROM mentions WHERE room = asked.id AND person = $1::text AND sort < finish.sort
                        ORDER BY sort DESC LIMIT 1
                    ) UNION ALL (
                        SELECT sort FROM mentions
                        WHERE room = asked.id AND person = '' AND author <> $1::text AND sort < finish.sort
                        ORDER BY sort DESC LIMIT 1
                    )
                ) AS said JOIN messages ON messages.room = asked.id AND messages.sort = said.sort
                ORDER BY said.sort DESC LIMIT 1
            ) AS newest
            ORDER BY newest.time DESC, name LIMIT $3::bigint
        ) AS place, LATERAL (
            SELECT messages.* FROM (
                (
                    SELECT sort FROM mentions WHERE room = place.id AND person = $1::text AND sort < finish
                    ORDER BY sort DESC LIMIT $3::bigint
                ) UNION ALL (
                    SELECT sort FROM mentions WHERE room = place.id AND person = '' AND author <> $1::text AND sort < finish
                    ORDER BY sort DESC LIMIT $3::bigint
                )
            ) AS said JOIN messages ON messages.room = place.id AND messages.sort = said.sort
            ORDER BY said.sort DESC LIMIT $3::bigint
        ) AS message
        ORDER BY message.time DESC, name, message.sort DESC LIMIT $3::bigint
        """

    /// The people of the direct rooms of a person.
    case companionsOf = """
        SELECT name, found.person
        FROM memberships AS member JOIN rooms ON rooms.id = member.room AND starts_with(name, '@'), LATERAL (
            SELECT person FROM standings WHERE standings.room = member.room AND role > 0
        ) AS found
        WHERE member.person = $1::text AND ($2::text[] IS NULL OR name = ANY($2::text[]))
        """
    case companionsIn = """
        SELECT name, person FROM rooms JOIN standings ON standings.room = rooms.id AND role > 0
        WHERE name = $1::text AND starts_with(name, '@')
        """

    case roomsAfter = """
        SELECT name, revision, count FROM rooms WHERE name > $1::text AND revision > 0 ORDER BY name LIMIT $2::bigint
        """

    // MARK: - Keeping one history

    /// Tells whether a commit waits for a standby.
    case isReplicated = """
        SELECT current_setting('synchronous_standby_names') <> ''
            AND current_setting('synchronous_commit') NOT IN ('off', 'local')
        """

    /// Returns a row if a backend still exists.
    case backend = """
        SELECT pid FROM pg_stat_activity
        WHERE pid = $1::bigint AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
        """
    /// Returns a row if a backend still exists, and ends it unless it is in its commit.
    case endBackend = """
        SELECT CASE WHEN query = 'COMMIT' AND state = 'active' THEN false ELSE pg_terminate_backend(pid) END
        FROM pg_stat_activity
        WHERE pid = $1::bigint AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
        """
    /// Ends the backends of servers that sent half of a round trip three seconds ago and that somebody waits for. The
    /// timeout of idle transactions does not run for them, because the database waits for their next statement.
    case endStalled = """
        SELECT pg_terminate_backend(holder.pid)
        FROM pg_stat_activity AS waiting, unnest(pg_blocking_pids(waiting.pid)) AS blocking(pid),
            pg_stat_activity AS holder
        WHERE waiting.wait_event_type = 'Lock' AND holder.pid = blocking.pid
            AND holder.datname = current_database() AND holder.usename = current_user
            AND holder.application_name = current_setting('application_name')
            AND holder.state = 'active' AND holder.wait_event = 'ClientRead'
            AND holder.state_change < clock_timestamp() - interval '3 seconds'
        """
    /// Notes that this copy of the database continues the history. A cluster with another number was made from a dump,
    /// which is a history of its own.
    case goOn = """
        UPDATE store SET since = clock_timestamp(), timeline = $2::bigint, system = $1::bigint,
            epoch = CASE WHEN system IN (0, $1::bigint) THEN epoch ELSE $3::text END,
            generation = generation + CASE WHEN system IN (0, $1::bigint) THEN 0 ELSE 1 END
        WHERE system <> $1::bigint OR timeline < $2::bigint
        """
    /// Notes that this timeline has every commit that a server acknowledged.
    case vouch = "UPDATE servers SET timeline = $2::bigint WHERE id = $1::text"
    /// Counts the servers that should have noted that by now.
    case silent = """
        SELECT count(*) FROM servers, store
        WHERE servers.timeline < store.timeline AND clock_timestamp() > store.since + interval '10 seconds'
            AND servers.id <> $1::text
        """
    case beginEpoch = """
        UPDATE store SET epoch = $1::text, generation = greatest(generation, $2::bigint) + 1
        """
    case forgetSilent = "DELETE FROM servers USING store WHERE servers.timeline < store.timeline"
    /// Lowers the revisions up to which rooms were delivered, after a history was lost, so that the present state is
    /// delivered again.
    case lowerDeliveries = """
        UPDATE deliveries SET revision = rooms.revision FROM rooms
        WHERE deliveries.room = rooms.id AND deliveries.revision > rooms.revision
        """
    case raiseFence = "UPDATE store SET fence = $1::bigint WHERE fence < $1::bigint"
    /// Forgets the servers that ended without saying so, on a copy of this timeline that has all that they acknowledged.
    case forgetServers = """
        DELETE FROM servers USING store
        WHERE until < clock_timestamp() - interval '1 minute' AND store.timeline = $1::bigint
            AND coalesce(servers.timeline, store.timeline) >= store.timeline
        """
    /// Forgets the counts of servers that are gone. A running server knows its own, also those of lanes that are idle.
    case forgetWitnesses = """
        DELETE FROM witnesses WHERE NOT EXISTS (
            SELECT FROM witnesses AS newer
            WHERE newer.server = witnesses.server AND newer.time >= clock_timestamp() - interval '7 days'
        )
        """

    // MARK: - Delivering

    /// Takes or renews the lease on a task of one server at a time. It returns no row while another server has the
    /// lease.
    case takeLease = """
        INSERT INTO lessees AS lessee(task, server, until)
        VALUES($2::text, $1::text, clock_timestamp() + interval '10 seconds')
        ON CONFLICT (task) DO UPDATE SET server = excluded.server, until = excluded.until
        WHERE lessee.server = excluded.server OR lessee.until < clock_timestamp() RETURNING 1::bigint
        """
    case keepLease = """
        UPDATE lessees SET until = clock_timestamp() + interval '10 seconds'
        WHERE server = $1::text AND until > clock_timestamp()
        """
    case endLease = "DELETE FROM lessees WHERE task = $2::text AND server = $1::text"

    case deliveriesAfter = """
        SELECT name, rooms.revision, coalesce((SELECT deliveries.revision FROM deliveries WHERE room = rooms.id), 0)
        FROM rooms WHERE name > $1::text AND revision > 0 ORDER BY name LIMIT $2::bigint
        """
    case delivery = """
        SELECT name, rooms.revision, coalesce((SELECT deliveries.revision FROM deliveries WHERE room = rooms.id), 0)
        FROM rooms WHERE name = $1::text AND revision > 0
        """
    case setDelivery = """
        INSERT INTO deliveries(room, revision) SELECT id, $2::bigint FROM rooms WHERE name = $1::text
        ON CONFLICT (room) DO UPDATE SET revision = greatest(deliveries.revision, excluded.revision)
        """

    // MARK: - Comparing

    case addFingerprint = """
        INSERT INTO fingerprints(room, revision, fingerprint)
        SELECT id, $2::bigint, $3::bigint FROM rooms WHERE name = $1::text ON CONFLICT DO NOTHING
        """
    case removeFingerprints = """
        DELETE FROM fingerprints
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND revision < $2::bigint - 1024
        """
    case fingerprint = """
        SELECT fingerprint FROM fingerprints
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND revision = $2::bigint
        """

    // MARK: - Trimming

    /// Rooms with the facts that tell whether to trim them: the time of the oldest row, and that of the oldest
    /// operation that is not forgotten yet.
    case roomsToTrim = """
        SELECT name, count, (SELECT time FROM messages WHERE room = rooms.id ORDER BY sort LIMIT 1),
            (SELECT time FROM operations WHERE room = rooms.id AND revision > rooms.floor ORDER BY revision LIMIT 1)
        FROM rooms WHERE name > $1::text ORDER BY name LIMIT $2::bigint
        """
    case lockRoom = "SELECT id, revision, count, floor FROM rooms WHERE name = $1::text FOR UPDATE"
    case firstMessages = """
        SELECT sort, time FROM messages WHERE room = (SELECT id FROM rooms WHERE name = $1::text)
        ORDER BY sort LIMIT $2::bigint
        """
    /// The last column is NULL unless the operation is the send of an existing message.
    case firstOperations = """
        SELECT revision, time, kind,
            (SELECT sort FROM messages WHERE messages.room = operations.room AND sort = operations.revision)
        FROM operations WHERE room = (SELECT id FROM rooms WHERE name = $1::text)
            AND revision > (SELECT floor FROM rooms WHERE name = $1::text)
        ORDER BY revision LIMIT $2::bigint
        """
    case removeFirstMessages = "DELETE FROM messages WHERE room = $1::bigint AND sort < $2::bigint"
    case removeFirstMentions = "DELETE FROM mentions WHERE room = $1::bigint AND sort < $2::bigint"
    case removeOperations = "DELETE FROM operations WHERE room = $1::bigint AND revision = ANY($2::bigint[])"
    /// Removes the sends of deleted messages. A send stays as long as its message.
    case removeSendsOfTombstones = """
        DELETE FROM operations WHERE room = $1::bigint
            AND revision = ANY(ARRAY(SELECT sort FROM tombstones WHERE room = $1::bigint AND changed <= $2::bigint))
        """
    case keepDeleted = """
        INSERT INTO deleted(room, sort)
        SELECT room, sort FROM tombstones
        WHERE room = $1::bigint AND changed <= $2::bigint
            AND sort >= (SELECT start FROM rooms WHERE id = $1::bigint)
        ON CONFLICT DO NOTHING
        """
    /// Deletions before the list's start, which count for nobody any more.
    case removeDeleted = """
        DELETE FROM deleted WHERE room = $1::bigint AND sort = ANY(ARRAY(
            SELECT sort FROM deleted WHERE room = $1::bigint AND sort < $2::bigint ORDER BY sort LIMIT $3::bigint
        ))
        """
    case removeTombstones = "DELETE FROM tombstones WHERE room = $1::bigint AND changed <= $2::bigint"
    case shorten = """
        UPDATE rooms SET revision = revision + 1, count = count - $2::bigint, start = $3::bigint WHERE id = $1::bigint
        """
    case setFloor = "UPDATE rooms SET floor = $2::bigint WHERE id = $1::bigint"

    // MARK: - Following

    case heads = "SELECT name, revision FROM rooms WHERE name = ANY($1::text[])"
    case notify = "SELECT pg_notify($1::text, $2::text)"
    /// Operations for the audit log, the last one first.
    case audited = """
        SELECT '', revision, command, author, time, kind, target, text, role, subject, value,
            mentions, format FROM operations
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND revision < $2::bigint AND kind > 5
        ORDER BY revision DESC LIMIT $3::bigint
        """
    case allStandings = """
        SELECT '', person, role, muted, banned, kicked FROM standings
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text)
        """

    // MARK: - Formats

    /// Renews a lease, and returns the database's time of day in microseconds since 1970.
    case renewLease = """
        INSERT INTO servers(id, knows, until, timeline)
        VALUES($1::text, $2::bigint, clock_timestamp() + $3::bigint * interval '1 millisecond', $4::bigint)
        ON CONFLICT (id) DO UPDATE SET until = excluded.until
        RETURNING (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
        """
    case formats = """
        SELECT in_force, (SELECT min(knows) FROM servers WHERE until > clock_timestamp()) FROM store
        """
    case raiseFormat = """
        UPDATE store SET in_force = (SELECT min(knows) FROM servers WHERE until > clock_timestamp())
        WHERE in_force < (SELECT min(knows) FROM servers WHERE until > clock_timestamp())
        """
}
