import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// Reads a room's tables for its ``RoomStore/Recount``, within the transaction of the connection.
struct RoomCheck {
    let id: Int64
    let name: RoomName

    private static let page = 1_000

    /// Returns the differences between the room's tables and its operations.
    func findings(over connection: Connection) throws(PostgresFailure) -> [Finding] {
        guard let stored = try columns(over: connection) else { return [] }
        let instant = try connection.run([.run(Self.instant)])[0].rows.first?.integer(0) ?? 0
        var recount = Recount(name, stored, at: instant, ordinals: .sinceTheFirstJoin)
        var last: Revision = 0
        do throws(PostgresFailure) {
            try forEach(Self.operations, over: connection) { (row) throws(PostgresFailure) in
                let entry = try row.committedOperation(in: name)
                last = entry.revision
                recount.apply(entry)
                return entry.revision
            }
        } catch {
            guard case .senseless(let column, _) = error else { throw error }
            let text = "an operation after revision \(last) cannot be read (no sense in column \(column))"
            return [Finding("\(text), so the room is not compared")]
        }
        recount.endOperations()
        try compareMessages(over: connection, &recount)
        let found = try comparePeople(over: connection, &recount) + recount.finish()
        // The repair of another fault of these tables counts them anew.
        if found.contains(where: { $0.repairs.contains(where: \.isAboutPeople) }) { return found }
        return found + (try compareSizes(over: connection))
    }

    private func compareSizes(over connection: Connection) throws(PostgresFailure) -> [Finding] {
        let answers = try connection.run(
            [
                .run(
                    "SELECT members, standings, senders FROM rooms WHERE id = $1::bigint AND sized = revision",
                    .integer(id)),
                .run(Query.countRows.sql, .integers([id]), .texts([name.description])),
            ], until: .now + Self.patience)
        let kept = try answers[0].rows.first.map { (row) throws(PostgresFailure) in try row.sizes(0) }
        let counted = try answers[1].rows.first.map { (row) throws(PostgresFailure) in try row.sizes(1) }
        return Finding(sizes: kept, counted: counted ?? RoomSizes()).map { [$0] } ?? []
    }

    private func columns(over connection: Connection) throws(PostgresFailure) -> RoomColumns? {
        let answers = try connection.run([.run(Self.columns, .integer(id))])
        guard let row = answers[0].rows.first else { return nil }
        var damage: [String] = []
        func read<Value>(_ body: () throws(PostgresFailure) -> Value?) -> Value? {
            do throws(PostgresFailure) {
                return try body()
            } catch {
                damage.append("\(error)")
                return nil
            }
        }
        let configuration = RoomConfiguration(
            of: name.kind, slowMode: try row.integer(6), isReadOnly: try row.integer(7) != 0,
            title: read { () throws(PostgresFailure) in try row.title(8) },
            topic: read { () throws(PostgresFailure) in try row.topic(9) },
            picture: read { () throws(PostgresFailure) in try row.picture(10) },
            pins: read { () throws(PostgresFailure) in try row.pins(13, since: try row.revision(4)) } ?? Pins())
        let inserted = try row.integer(3)
        // Of another number of messages, the column is not relied on.
        let isStamped = try row.integer(12) == inserted
        let activity =
            isStamped ? read { () throws(PostgresFailure) in try row.activity(11) } ?? ActivityStamp.none : nil
        return RoomColumns(
            revision: try row.revision(1), count: Int(clamping: try row.integer(2)), inserted: Int(clamping: inserted),
            start: try row.revision(4), floor: try row.revision(5), configuration: configuration, activity: activity,
            isRuled: nil,
            damage: damage)
    }

    private func compareMessages(over connection: Connection, _ recount: inout Recount) throws(PostgresFailure) {
        try forEach(Self.messages, over: connection) { (row) throws(PostgresFailure) in
            let (sort, ordinal) = (try row.revision(1), Int(clamping: try row.integer(12)))
            let found: (Message, reloaded: Revision)? = try? row.message()
            recount.compare(
                StoredMessage(sort: sort, ordinal: ordinal, message: found?.0, reloaded: found?.reloaded ?? 0))
            return sort
        }
        try forEach(Self.tombstones, over: connection) { (row) throws(PostgresFailure) in
            let revision = try row.revision(1)
            recount.compare(StoredTombstone(id: try row.id(2), sort: try row.revision(3)), at: revision)
            return revision
        }
        try forEach(Self.deleted, over: connection) { (row) throws(PostgresFailure) in
            let sort = try row.revision(1)
            recount.compare(deleted: sort)
            return sort
        }
        let mentions = try connection.run(
            [.run("SELECT '', sort, person, author FROM mentions WHERE room = $1::bigint", .integer(id))],
            until: .now + Self.patience)
        for row in mentions[0].rows {
            recount.compare(
                MentionRow(sort: try row.revision(1), user: row.text(2), author: row.isNull(3) ? nil : row.text(3)))
        }
    }

    private func comparePeople(
        over connection: Connection, _ recount: inout Recount
    ) throws(PostgresFailure) -> [Finding] {
        let answers = try connection.run(
            [
                .run(
                    "SELECT '', person, role, muted, banned, kicked FROM standings WHERE room = $1::bigint",
                    .integer(id)),
                .run(
                    """
                    SELECT '', person, joined, time, read, pinned, silenced, archived, marked, inviter
                    FROM memberships WHERE room = $1::bigint
                    """, .integer(id)),
                .run("SELECT '', person, time FROM last_sends WHERE room = $1::bigint", .integer(id)),
            ], until: .now + Self.patience)
        var unreadable: [Finding] = []
        func forEach(_ answer: Answer, _ what: String, _ body: (Row, UserName) throws(PostgresFailure) -> Void) {
            for row in answer.rows {
                do throws(PostgresFailure) {
                    try body(row, try row.user(1))
                } catch {
                    unreadable.append(Finding("\(what) cannot be read: \(error)"))
                }
            }
        }
        forEach(answers[0], "a standing") { (row, user) throws(PostgresFailure) in
            let standing: Standing? = try? row.standing(2)
            recount.compare(standing, of: user)
        }
        forEach(answers[1], "a membership") { (row, user) throws(PostgresFailure) in
            let membership: StoredMembership? = try? row.membership(2)
            recount.compare(membership, of: user)
        }
        forEach(answers[2], "a last message in slow mode") { (row, user) throws(PostgresFailure) in
            recount.compare(lastSend: try row.time(2), of: user)
        }
        return unreadable
    }

    private static let patience = Duration.seconds(60)

    /// Calls `body` with the rows of a statement, page by page. It returns the row's key.
    private func forEach(
        _ sql: String, over connection: Connection, _ body: (Row) throws(PostgresFailure) -> UInt64
    ) throws(PostgresFailure) {
        var last: Int64 = -1
        while true {
            let rows = try connection.run(
                [.run(sql, .integer(id), .integer(last), .integer(Int64(Self.page)))], until: .now + Self.patience)[0]
                .rows
            for row in rows { last = Int64(clamping: try body(row)) }
            guard rows.count == Self.page else { return }
        }
    }
}

extension RoomCheck {
    private static let columns = """
        SELECT name, revision, count, inserted, start, floor, slow, read_only, title, topic, picture, activity, stamped,
            pins
        FROM rooms WHERE id = $1::bigint
        """
    /// The store's time.
    private static let instant = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + lead FROM store"
    private static let operations = """
        SELECT '', revision, command, author, time, kind, target, text, role, subject, value, mentions,
            drift FROM operations
        WHERE room = $1::bigint AND revision > $2::bigint ORDER BY revision LIMIT $3::bigint
        """
    private static let messages = """
        SELECT '', sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, ordinal
        FROM messages WHERE room = $1::bigint AND sort > $2::bigint ORDER BY sort LIMIT $3::bigint
        """
    private static let tombstones = """
        SELECT '', changed, id, sort FROM tombstones
        WHERE room = $1::bigint AND changed > $2::bigint ORDER BY changed LIMIT $3::bigint
        """
    private static let deleted = """
        SELECT '', sort FROM deleted WHERE room = $1::bigint AND sort > $2::bigint ORDER BY sort LIMIT $3::bigint
        """
}

extension Row {
    /// Reads a membership from this column and the seven after it.
    fileprivate func membership(_ column: Int32) throws(PostgresFailure) -> StoredMembership {
        StoredMembership(
            joined: try revision(column), time: try time(column + 1), read: try revision(column + 2),
            settings: try settings(column + 3), inviter: isNull(column + 7) ? nil : try user(column + 7))
    }
}
