/// The statements that read one room.
extension Query {
    static let reading: [Query] = [
        .line, .backend, .room, .messagesBefore, .messagesFrom, .sortOfID, .sortOfTime, .stampsUp, .stampsDown,
        .changedUp, .changedDown, .tombstonesUp, .tombstonesDown, .insertedSince, .touchedSince, .deletedSince,
        .operations, .audited, .allStandings, .roomsAfter, memberships.all, memberships.some, .membershipsIn,
        .membersAfter, .namedMembers, .memberCounts, .mentionsOf, .mentionsBefore,
        lastMessages.all, lastMessages.some, ownStandings.all, ownStandings.some, .placesOf,
        roots.all, roots.some, .messages, companions.all, companions.some, .companionsIn, .profiles, .drafts,
        .later, .nextLater, .blocks, .blockers, .blockedRooms, .blockedRoom,
        .standings,
        .addFingerprint, .removeFingerprints, .fingerprint,
    ]

    static let room = Query(
        "room",
        """
        SELECT revision, count, slow, read_only, start, floor, title, topic, picture, pins FROM rooms
        WHERE name = $1::text
        """)
    /// The rows before a sort key, the last one first.
    static let messagesBefore = Query(
        "messagesBefore",
        """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort < $2::bigint
        ORDER BY sort DESC LIMIT $3::bigint
        """)
    static let messagesFrom = Query(
        "messagesFrom",
        """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort >= $2::bigint
        ORDER BY sort LIMIT $3::bigint
        """)
    static let stampsUp = Query(
        "stampsUp",
        """
        SELECT id, sort, changed FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint
        ORDER BY sort LIMIT $4::bigint
        """)
    static let stampsDown = Query(
        "stampsDown",
        """
        SELECT id, sort, changed FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint
        ORDER BY sort DESC LIMIT $4::bigint
        """)
    static let changedUp = Query(
        "changedUp",
        """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint AND changed > $5::bigint
        ORDER BY sort LIMIT $4::bigint
        """)
    static let changedDown = Query(
        "changedDown",
        """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint AND changed > $5::bigint
        ORDER BY sort DESC LIMIT $4::bigint
        """)
    static let tombstonesUp = Query(
        "tombstonesUp",
        """
        SELECT id, sort, changed FROM tombstones
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint AND changed > $5::bigint
        ORDER BY sort LIMIT $4::bigint
        """)
    static let tombstonesDown = Query(
        "tombstonesDown",
        """
        SELECT id, sort, changed FROM tombstones
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort BETWEEN $2::bigint AND $3::bigint AND changed > $5::bigint
        ORDER BY sort DESC LIMIT $4::bigint
        """)
    /// The sort key of a message, which is the revision of its send.
    static let sortOfID = Query(
        "sortOfID",
        """
        SELECT sort FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND id = $2::uuid AND sort = (
            SELECT revision FROM operations
            WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND command = $2::uuid
        )
        """)
    /// The first sort key from which on messages have this time or a later one. Times grow with the sort keys, so it is
    /// found by halving.
    static let sortOfTime = Query(
        "sortOfTime",
        """
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
        """)
    static let insertedSince = Query(
        "insertedSince",
        """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND sort > $2::bigint
        ORDER BY sort LIMIT $3::bigint
        """)
    /// The touched rows that existed before.
    static let touchedSince = Query(
        "touchedSince",
        """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND changed > $2::bigint AND changed <> sort
            AND sort <= $2::bigint
        ORDER BY changed LIMIT $3::bigint
        """)
    static let deletedSince = Query(
        "deletedSince",
        """
        SELECT id, sort, changed FROM tombstones
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND changed > $2::bigint
        ORDER BY changed LIMIT $3::bigint
        """)
    static let operations = Query(
        "operations",
        """
        SELECT '', revision, command, author, time, kind, target, text, role, subject, value,
            mentions, drift, format FROM operations
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND revision > $2::bigint
        ORDER BY revision LIMIT $3::bigint
        """)
    static let roomsAfter = Query(
        "roomsAfter",
        """
        SELECT name, revision, count FROM rooms WHERE name > $1::text AND revision > 0 ORDER BY name LIMIT $2::bigint
        """)
    /// Operations for the audit log, the last one first.
    static let audited = Query(
        "audited",
        """
        SELECT '', revision, command, author, time, kind, target, text, role, subject, value,
            mentions, drift, format FROM operations
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND revision < $2::bigint AND kind > 5
        ORDER BY revision DESC LIMIT $3::bigint
        """)
    static let allStandings = Query(
        "allStandings",
        """
        SELECT '', person, role, muted, banned, kicked FROM standings
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) LIMIT $2::bigint
        """)
    static let addFingerprint = Query(
        "addFingerprint",
        """
        INSERT INTO fingerprints(room, revision, fingerprint)
        SELECT id, $2::bigint, $3::bigint FROM rooms WHERE name = $1::text ON CONFLICT DO NOTHING
        """)
    static let removeFingerprints = Query(
        "removeFingerprints",
        """
        DELETE FROM fingerprints
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND revision < $2::bigint - 1024
        """)
    static let fingerprint = Query(
        "fingerprint",
        """
        SELECT fingerprint FROM fingerprints
        WHERE room = (SELECT id FROM rooms WHERE name = $1::text) AND revision = $2::bigint
        """)
}
