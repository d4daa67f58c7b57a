/// The statements of webhooks' deliveries.
extension Query {
    static let delivering: [Query] = [.line, .acquireLease, .endLease, .deliveriesAfter, .delivery, .setDelivery]

    static let deliveriesAfter = Query(
        "deliveriesAfter",
        """
        SELECT name, rooms.revision, coalesce((SELECT deliveries.revision FROM deliveries WHERE room = rooms.id), 0)
        FROM rooms WHERE name > $1::text AND revision > 0 ORDER BY name LIMIT $2::bigint
        """)
    static let delivery = Query(
        "delivery",
        """
        SELECT name, rooms.revision, coalesce((SELECT deliveries.revision FROM deliveries WHERE room = rooms.id), 0)
        FROM rooms WHERE name = $1::text AND revision > 0
        """)
    static let setDelivery = Query(
        "setDelivery",
        """
        INSERT INTO deliveries(room, revision) SELECT id, $2::bigint FROM rooms WHERE name = $1::text
        ON CONFLICT (room) DO UPDATE SET revision = greatest(deliveries.revision, excluded.revision)
        """)
}
