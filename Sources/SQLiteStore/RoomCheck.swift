import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// The statements that read a room's tables for its ``RoomStore/Recount``.
struct RoomCheck: ~Copyable {
    private let columns: Statement
    private let operations: Statement
    private let messages: Statement
    private let tombstones: Statement
    private let deleted: Statement
    private let standings: Statement
    private let memberships: Statement
    private let mentions: Statement
    private let lastSends: Statement
    private let commands: Statement
    private let sizes: Statement
    private let countRows: Statement
    /// The store's time.
    private let instant: Milliseconds
    private let sums: SumStatements
}

extension RoomCheck {
    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            columns: try Statement(
                """
                SELECT revision, count, inserted, start, floor, slow, read_only, title, topic, picture, activity, is_ruled,
                    entries
                FROM rooms LEFT JOIN pins ON pins.room = rooms.id WHERE id = ?1
                """, on: connection, sums: .ignored),
            operations: try Statement(.operations, on: connection),
            messages: try Statement(
                """
                SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions, ordinal,
                    sum IN (\(connection.sums == .required ? "" : "0, ")\(RowSums.messages.right))
                FROM messages WHERE room = ?1 ORDER BY sort
                """, on: connection, sums: .ignored),
            tombstones: try Statement(
                "SELECT changed, id, sort FROM tombstones WHERE room = ?1", on: connection, sums: .ignored),
            deleted: try Statement("SELECT sort FROM deleted WHERE room = ?1", on: connection),
            standings: try Statement(.standings, on: connection, sums: .ignored),
            memberships: try Statement(
                """
                SELECT user, joined, time, read, pinned, silenced, archived, marked, inviter
                FROM memberships WHERE room = ?1
                """, on: connection, sums: .ignored),
            mentions: try Statement("SELECT sort, user, author FROM mentions WHERE room = ?1", on: connection),
            lastSends: try Statement("SELECT user, time FROM last_sends WHERE room = ?1", on: connection),
            commands: try Statement(
                """
                SELECT (SELECT count(*) FROM operations AS o WHERE room = ?1 AND NOT EXISTS (
                        SELECT 1 FROM commands AS c WHERE c.room = ?1 AND c.command = o.command AND c.revision = o.revision)),
                    (SELECT count(*) FROM commands AS c WHERE room = ?1 AND NOT EXISTS (
                        SELECT 1 FROM operations AS o WHERE o.room = ?1 AND o.revision = c.revision AND o.command = c.command))
                """, on: connection),
            sizes: try Statement(.sizes, on: connection),
            countRows: try Statement(.countRows, on: connection),
            instant: try connection.timeNote().latest,
            sums: try SumStatements(connection))
    }

    /// Returns the differences between a room's tables and its operations.
    borrowing func findings(in id: Int64, named name: RoomName) throws(RoomStoreError) -> [Finding] {
        guard let stored = try columns(of: id, name.kind) else { return [] }
        var recount = Recount(name, stored, at: instant, ordinals: .all)
        var last: Revision = 0
        operations.bind(2, Int64(0))
        operations.bind(3, Int64(-1))
        do throws(RoomStoreError) {
            try forEach(operations, of: id) { (row) throws(RoomStoreError) in
                let entry = try row.committedOperation(in: name)
                last = entry.revision
                recount.apply(entry)
            }
        } catch {
            let text = "an operation after revision \(last) cannot be read, so the room is not compared: \(error)"
            return [Finding(text)]
        }
        recount.endOperations()
        var unreadable = try compareMessages(in: id, &recount)
        unreadable += try comparePeople(in: id, &recount)
        let found = unreadable + recount.finish()
        // The repair of another fault of these tables counts them anew.
        let isOfPeople = found.contains { $0.repairs.contains(where: \.isAboutPeople) }
        return found + (try compareCommands(in: id)) + (isOfPeople ? [] : try compareSizes(in: id))
            + (try sums.findings(in: id))
    }

    private borrowing func compareSizes(in id: Int64) throws(RoomStoreError) -> [Finding] {
        sizes.bind(1, id)
        countRows.bind(1, id)
        let kept = try sizes.first { (row) throws(RoomStoreError) in try row.sizes() }
        let counted = try countRows.first { (row) throws(RoomStoreError) in try row.sizes() }
        return Finding(sizes: kept, counted: counted ?? RoomSizes()).map { [$0] } ?? []
    }

    private borrowing func columns(of id: Int64, _ kind: RoomName.Kind) throws(RoomStoreError) -> RoomColumns? {
        columns.bind(1, id)
        return try columns.first { (row) throws(RoomStoreError) in
            var damage: [String] = []
            func read<Value>(_ body: () throws(RoomStoreError) -> Value?) -> Value? {
                do throws(RoomStoreError) {
                    return try body()
                } catch {
                    damage.append("\(error)")
                    return nil
                }
            }
            let configuration = RoomConfiguration(
                of: kind, slowMode: row.integer(5), isReadOnly: row.integer(6) != 0,
                title: read { () throws(RoomStoreError) in try row.title(7) },
                topic: read { () throws(RoomStoreError) in try row.topic(8) },
                picture: read { () throws(RoomStoreError) in try row.picture(9) },
                pins: read { () throws(RoomStoreError) in try row.pins(12, since: try row.revision(3)) } ?? Pins())
            let activity = read { () throws(RoomStoreError) in try row.activity(10) } ?? ActivityStamp.none
            return RoomColumns(
                revision: try row.revision(0), count: try row.count(1), inserted: try row.count(2),
                start: try row.revision(3), floor: try row.revision(4), configuration: configuration,
                activity: activity,
                isRuled: row.integer(11) != 0, damage: damage)
        }
    }

    private borrowing func compareMessages(
        in id: Int64, _ recount: inout Recount
    ) throws(RoomStoreError) -> [Finding] {
        var unreadable: [Finding] = []
        try forEach(messages, of: id) { (row) throws(RoomStoreError) in
            let (sort, ordinal) = (try row.revision(0), Int(clamping: row.integer(11)))
            let found: (Message, reloaded: Revision)? = try? row.message()
            recount.compare(
                StoredMessage(
                    sort: sort, ordinal: ordinal, message: found?.0, reloaded: found?.reloaded ?? 0,
                    isSound: row.integer(12) != 0))
        }
        try forEach(deleted, of: id) { (row) throws(RoomStoreError) in recount.compare(deleted: try row.revision(0)) }
        try read(tombstones, of: id, "a deletion", &unreadable) { (row) throws(RoomStoreError) in
            recount.compare(StoredTombstone(id: try row.id(1), sort: try row.revision(2)), at: try row.revision(0))
        }
        try read(mentions, of: id, "a mention", &unreadable) { (row) throws(RoomStoreError) in
            recount.compare(
                MentionRow(
                    sort: try row.revision(0), user: try row.text(1), author: row.isNull(2) ? nil : try row.text(2)))
        }
        return unreadable
    }

    private borrowing func comparePeople(in id: Int64, _ recount: inout Recount) throws(RoomStoreError) -> [Finding] {
        var unreadable: [Finding] = []
        try read(standings, of: id, "a standing", &unreadable) { (row) throws(RoomStoreError) in
            let standing: Standing? = try? row.standing(1)
            recount.compare(standing, of: try row.user(0))
        }
        try read(memberships, of: id, "a membership", &unreadable) { (row) throws(RoomStoreError) in
            let membership: StoredMembership? = try? row.membership(1)
            recount.compare(membership, of: try row.user(0))
        }
        try read(lastSends, of: id, "a last message in slow mode", &unreadable) { (row) throws(RoomStoreError) in
            recount.compare(lastSend: try row.time(1), of: try row.user(0))
        }
        return unreadable
    }

    private borrowing func compareCommands(in id: Int64) throws(RoomStoreError) -> [Finding] {
        commands.bind(1, id)
        let counts = try commands.first { (row) throws(RoomStoreError) in (row.integer(0), row.integer(1)) }
        let (missing, extra) = counts ?? (0, 0)
        guard missing + extra > 0 else { return [] }
        let text = "\(missing) operations without their command, and \(extra) commands without their operation"
        return [Finding(text, [.commands])]
    }

    private borrowing func forEach(
        _ statement: borrowing Statement, of room: Int64, _ body: (Row) throws(RoomStoreError) -> Void
    ) throws(RoomStoreError) {
        statement.bind(1, room)
        try statement.forEach(body)
    }

    /// Reads rows, and reports those that make no sense.
    private borrowing func read(
        _ statement: borrowing Statement, of room: Int64, _ what: String, _ unreadable: inout [Finding],
        _ body: (Row) throws(RoomStoreError) -> Void
    ) throws(RoomStoreError) {
        try forEach(statement, of: room) { (row) throws(RoomStoreError) in
            do throws(RoomStoreError) {
                try body(row)
            } catch {
                guard case .damaged = error else { throw error }
                unreadable.append(Finding("\(what) cannot be read: \(error)"))
            }
        }
    }
}

extension Row {
    /// Reads a membership from this column and the seven after it.
    fileprivate func membership(_ column: Int32) throws(RoomStoreError) -> StoredMembership {
        StoredMembership(
            joined: try revision(column), time: try time(column + 1), read: try revision(column + 2),
            settings: try settings(column + 3), inviter: isNull(column + 7) ? nil : try user(column + 7))
    }
}

/// The statements that count the rows of a room whose sums are wrong.
private struct SumStatements: ~Copyable {
    private let count: Statement

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        let isWrong = connection.sums == .required ? "" : " AND sum <> 0"
        let counts = RowSums.derived.map { "(SELECT count(*) \($0.wrong)\(isWrong))" }
        count = try Statement("SELECT \(counts.joined(separator: ", "))", on: connection)
    }

    borrowing func findings(in room: Int64) throws(RoomStoreError) -> [Finding] {
        count.bind(1, room)
        let counts = try count.first { (row) throws(RoomStoreError) in
            RowSums.derived.indices.map { row.integer(Int32($0)) }
        }
        return zip(RowSums.derived, counts ?? []).filter { $1 > 0 }.map { sums, count in
            Finding("\(count) rows of \(sums.table) have a wrong checksum", [.sums])
        }
    }
}
