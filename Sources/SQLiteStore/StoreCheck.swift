import ChatRoom
import ChatWire
package import RoomStore

/// Checks the whole file of a store, also while it is served.
///
/// - Complexity: O(size of the store).
package enum StoreCheck {
    /// - Parameter report: called with each fault as it is found.
    /// - Returns: the number of faults.
    /// - Errors: the reason why the data cannot be checked.
    package static func check(
        _ data: String, report: (String) -> Void
    ) throws(RoomStoreError) -> Int {
        let path = try dataPath(data)
        let connection = try Connection.open(path, .required)
        try connection.execute("PRAGMA query_only = ON")
        guard try Schema.current.format(of: connection) == Schema.current.migrations.count else {
            throw .notAStore("\(path) is empty or of another version: name a file that this version served")
        }
        var problems = 0
        // Read as of one moment, whatever is committed meanwhile.
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            for problem in try pages(connection) + rooms(connection) + profiles(connection) {
                report(problem)
                problems += 1
            }
        }
        return problems
    }

    private static func pages(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        let verdicts = try Statement("PRAGMA integrity_check(100)", on: connection)
            .all { (row) throws(RoomStoreError) in try row.text(0) }
        return verdicts == ["ok"] ? [] : verdicts
    }

    private static func rooms(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        let tables = try RoomTables(connection)
        let rooms = try Statement("SELECT id, name FROM rooms ORDER BY id", on: connection)
            .all { (row) throws(RoomStoreError) in
                let name: RoomName? = try? row.room(1)
                return (id: row.integer(0), name: name)
            }
        var problems: [String] = []
        for (id, name) in rooms {
            guard let name else {
                problems.append("room \(id): its name makes no sense")
                continue
            }
            do throws(RoomStoreError) {
                problems += try tables.contradictions(in: id, named: name).map { "room \(name): \($0)" }
            } catch {
                problems.append("room \(name): \(error)")
            }
        }
        return problems
    }

    /// Returns the profiles that make no sense. Nobody is shown those.
    private static func profiles(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        try Statement("SELECT name, picture, second, user FROM profiles ORDER BY user", on: connection)
            .all { (row) throws(RoomStoreError) in
                let user: UserName? = try? row.user(3)
                guard let user else { return "a profile: its user's name makes no sense" }
                do throws(RoomStoreError) {
                    _ = try row.profile()
                    return nil
                } catch {
                    return "profile of \(user): \(error)"
                }
            }.compactMap(\.self)
    }
}

/// The statements that check a room.
private struct RoomTables: ~Copyable {
    private let room: Statement
    private let messages: Statement
    private let operations: Statement
    private let standings: Statement
    private let tombstones: Statement
    private let memberships: MembershipCheck
    private let unnamed: Statement
    private let unsent: Statement
}

extension RoomTables {
    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            room: try Statement(.room, on: connection),
            messages: try Statement(.insertedSince, on: connection),
            operations: try Statement(.operations, on: connection),
            standings: try Statement(.standings, on: connection),
            tombstones: try Statement(.deletedSince, on: connection),
            memberships: try MembershipCheck(connection),
            unnamed: try Statement(
                """
                SELECT count(*) FROM operations AS o WHERE room = ?1 AND NOT EXISTS
                (SELECT 1 FROM commands AS c WHERE c.room = ?1 AND c.command = o.command AND c.revision = o.revision)
                """, on: connection),
            unsent: try Statement(
                """
                SELECT count(*) FROM messages AS m WHERE room = ?1 AND NOT EXISTS
                (SELECT 1 FROM operations AS o
                 WHERE o.room = ?1 AND o.revision = m.sort AND o.command = m.id AND o.author = m.author
                 AND (m.edited IS NOT NULL OR o.text = m.text))
                """, on: connection)
        )
    }

    /// Returns contradictions that no operations can cause.
    borrowing func contradictions(in id: Int64, named name: RoomName) throws(RoomStoreError) -> [String] {
        var problems: [String] = []
        let room = try room.room(named: name)
        var last: Milliseconds = 0
        let sorts = try all(messages, of: id) { (row) throws(RoomStoreError) in
            let (message, reloaded) = try row.message()
            last = max(last, message.time)
            guard message.rev <= room.revision, message.sort <= reloaded, reloaded <= message.rev else {
                problems.append("row \(message.id) is of revision \(message.rev), sent at \(message.sort)")
                return message.sort
            }
            return message.sort
        }
        if sorts.count != room.count { problems.append("\(sorts.count) rows, and it says \(room.count)") }
        if room.activity < ActivityStamp(of: last) {
            problems.append("a message of \(last), and its activity is of \(room.activity.time)")
        }
        if let first = sorts.first, first < room.start { problems.append("a row before its beginning") }
        let done = try all(operations, of: id) { (row) throws(RoomStoreError) in
            try row.committedOperation(in: name).revision
        }
        if let last = done.last, last > room.revision {
            problems.append("an operation of revision \(last), which is to come")
        }
        _ = try all(tombstones, of: id) { (row) throws(RoomStoreError) in try row.revision(2) }
        standings.bind(1, id)
        _ = try standings.all { (row) throws(RoomStoreError) in try row.standing() }
        problems += try memberships.contradictions(in: id, room)
        for (statement, what) in [(0, "operations without their command"), (1, "messages that nobody sent so")] {
            let count = try statement == 0 ? number(unnamed, of: id) : number(unsent, of: id)
            if count > 0 { problems.append("\(count) \(what)") }
        }
        return problems
    }

    private borrowing func all<Value>(
        _ statement: borrowing Statement, of room: Int64, _ read: (Row) throws(RoomStoreError) -> Value
    ) throws(RoomStoreError) -> [Value] {
        statement.bind(1, room)
        statement.bind(2, Int64(0))
        statement.bind(3, Int64(-1))
        return try statement.all(read)
    }

    private borrowing func number(_ statement: borrowing Statement, of room: Int64) throws(RoomStoreError) -> Int64 {
        statement.bind(1, room)
        return try statement.first { (row) throws(RoomStoreError) in row.integer(0) } ?? 0
    }
}
