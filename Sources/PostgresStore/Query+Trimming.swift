/// The statements of retention.
extension Query {
    static let trimming: [Query] = [
        .line, .witness, .acquireLease, .endLease, .roomsToTrim, .lockRoom, .firstMessages, .firstOperations,
        .removeFirstMessages,
        .removeOperations, .removeSendsOfTombstones, .keepDeleted, .removeTombstones, .removeDeleted,
        .removeFirstMentions, .shorten, .setFloor,
    ]

    /// Rooms with the facts that tell whether to trim them: the time and drift of the oldest row, and those of the oldest
    /// operation that is not forgotten yet.
    static let roomsToTrim = Query(
        "roomsToTrim",
        """
        SELECT name, count, first.time, sent.drift, done.time, done.drift
        FROM (SELECT * FROM rooms WHERE name > $1::text ORDER BY name LIMIT $2::bigint) AS rooms
            LEFT JOIN LATERAL (
                SELECT sort, time FROM messages WHERE messages.room = rooms.id ORDER BY sort LIMIT 1
            ) AS first ON true LEFT JOIN LATERAL (
                SELECT drift FROM operations
                WHERE operations.room = rooms.id AND operations.revision = first.sort LIMIT 1
            ) AS sent ON true LEFT JOIN LATERAL (
                SELECT time, drift FROM operations
                WHERE operations.room = rooms.id AND operations.revision > rooms.floor
                ORDER BY operations.revision LIMIT 1
            ) AS done ON true
        ORDER BY name
        """)
    static let lockRoom = Query(
        "lockRoom",
        "SELECT id, revision, count, floor FROM rooms WHERE name = $1::text FOR UPDATE")
    static let firstMessages = Query(
        "firstMessages",
        """
        SELECT sort, time, (
            SELECT drift FROM operations WHERE operations.room = messages.room AND revision = sort
        ) FROM messages WHERE room = (SELECT id FROM rooms WHERE name = $1::text)
        ORDER BY sort LIMIT $2::bigint
        """)
    /// The last column is NULL unless the operation is the send of an existing message.
    static let firstOperations = Query(
        "firstOperations",
        """
        SELECT revision, time, kind,
            (SELECT sort FROM messages WHERE messages.room = operations.room AND sort = operations.revision), drift
        FROM operations WHERE room = (SELECT id FROM rooms WHERE name = $1::text)
            AND revision > (SELECT floor FROM rooms WHERE name = $1::text)
        ORDER BY revision LIMIT $2::bigint
        """)
    static let removeFirstMessages = Query(
        "removeFirstMessages",
        "DELETE FROM messages WHERE room = $1::bigint AND sort < $2::bigint")
    static let removeFirstMentions = Query(
        "removeFirstMentions",
        "DELETE FROM mentions WHERE room = $1::bigint AND sort < $2::bigint")
    static let removeOperations = Query(
        "removeOperations",
        "DELETE FROM operations WHERE room = $1::bigint AND revision = ANY($2::bigint[])")
    /// Removes the sends of deleted messages. A send stays as long as its message.
    static let removeSendsOfTombstones = Query(
        "removeSendsOfTombstones",
        """
        DELETE FROM operations WHERE room = $1::bigint
            AND revision = ANY(ARRAY(SELECT sort FROM tombstones WHERE room = $1::bigint AND changed <= $2::bigint))
        """)
    static let keepDeleted = Query(
        "keepDeleted",
        """
        INSERT INTO deleted(room, sort)
        SELECT room, sort FROM tombstones
        WHERE room = $1::bigint AND changed <= $2::bigint
            AND sort >= (SELECT start FROM rooms WHERE id = $1::bigint)
        ON CONFLICT DO NOTHING
        """)
    /// Deletions before the list's start, which no longer count.
    static let removeDeleted = Query(
        "removeDeleted",
        """
        DELETE FROM deleted WHERE room = $1::bigint AND sort = ANY(ARRAY(
            SELECT sort FROM deleted WHERE room = $1::bigint AND sort < $2::bigint ORDER BY sort LIMIT $3::bigint
        ))
        """)
    static let removeTombstones = Query(
        "removeTombstones",
        "DELETE FROM tombstones WHERE room = $1::bigint AND changed <= $2::bigint")
    static let shorten = Query(
        "shorten",
        """
        UPDATE rooms SET revision = revision + 1, count = count - $2::bigint, start = $3::bigint,
            sized = CASE WHEN sized = revision THEN revision + 1 ELSE -1 END
        WHERE id = $1::bigint
        """)
    static let setFloor = Query("setFloor", "UPDATE rooms SET floor = $2::bigint WHERE id = $1::bigint")
}
