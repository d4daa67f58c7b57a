import ChatRoom
package import ChatWire
import Glibc
package import RoomStore
package import StoreEngine

/// Checks the whole file of a store, and puts right what its operations decide.
///
/// - Complexity: O(size of the store) time, O(largest room) memory.
package enum StoreCheck {
    /// Checks a file, also while it is served, and changes nothing.
    ///
    /// - Parameter report: called with each fault as it is found.
    /// - Returns: the number of faults.
    /// - Errors: the reason why the data cannot be checked.
    package static func check(
        _ data: String, report: (String) -> Void
    ) throws(RoomStoreError) -> Int {
        let path = try dataPath(data)
        var connection = try Connection.open(path, .required)
        try connection.execute("PRAGMA query_only = ON")
        try requireCurrentFormat(connection, path)
        try connection.requireSums()
        var problems = 0
        func count(_ problem: String) {
            report(problem)
            problems += 1
        }
        // Read as of one moment, whatever is committed meanwhile.
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            for problem in try pages(connection) { count(problem) }
            let tables = try RoomCheck(connection)
            for (id, name) in try rooms(connection) {
                for finding in findings(in: id, name, tables) { count(finding.text(of: name, id)) }
            }
            for problem in try personal(connection) { count(problem) }
        }
        return problems
    }

    /// Puts right what the operations decide, with one transaction for each room.
    ///
    /// - Parameter report: called with each fault, and what became of it.
    /// - Errors: `inUse` while a server serves the file; the reason why it cannot be checked or written.
    package static func repair(
        _ data: String, report: (String) -> Void
    ) throws(RoomStoreError) -> RepairReport {
        let path = try dataPath(data)
        guard access(path, F_OK) == 0 else {
            throw .unavailable("\(path) is not there: see how it is spelled, and from which folder")
        }
        let lock = try DataLock(for: path)
        let presence = LogPresence(of: path)
        var connection = try Connection.open(path, .required)
        try requireCurrentFormat(connection, path)
        try connection.requireSums()
        try connection.requireWriteAheadLog()
        // The log is copied at the end only, and noted.
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        let control = try ControlFile(for: path)
        let history = try History.begin(connection, control, log: presence)
        for notice in history.notices { report("\(path): \(notice)") }
        var result = RepairReport()
        for problem in try pages(connection) + personal(connection) {
            result.add(problem, report)
        }
        let tables = try RoomCheck(connection)
        for (id, name) in try rooms(connection) {
            try repair(id, name, tables, connection, &result, report)
        }
        if connection.sums != .required, result.remaining == 0 { try RowSums.complete(connection) }
        try History.end(connection, control)
        withExtendedLifetime(lock) {}
        return result
    }

    private static func repair(
        _ id: Int64, _ name: RoomName?, _ tables: borrowing RoomCheck, _ connection: borrowing Connection,
        _ result: inout RepairReport, _ report: (String) -> Void
    ) throws(RoomStoreError) {
        let found = findings(in: id, name, tables)
        guard let name, found.contains(where: { !$0.repairs.isEmpty }) else {
            for finding in found { result.add(finding.text(of: name, id), report) }
            return
        }
        let remaining = try connection.transaction(.writing) { () throws(RoomStoreError) in
            try RoomRepair.perform(found.flatMap(\.repairs), in: id, over: connection)
            return findings(in: id, name, tables)
        }
        result.add(found, remaining: remaining, of: name, report)
    }

    private static func requireCurrentFormat(
        _ connection: borrowing Connection, _ path: String
    ) throws(RoomStoreError) {
        guard try Schema.current.format(of: connection) == Schema.current.migrations.count else {
            throw .notAStore("\(path) is empty or of another version: name a file that this version served")
        }
    }

    private static func pages(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        let verdicts = try Statement("PRAGMA integrity_check(100)", on: connection)
            .all { (row) throws(RoomStoreError) in try row.text(0) }
        return verdicts == ["ok"] ? [] : verdicts
    }

    /// Returns the rooms; a name that makes no sense is `nil`.
    private static func rooms(
        _ connection: borrowing Connection
    ) throws(RoomStoreError) -> [(id: Int64, name: RoomName?)] {
        try Statement("SELECT id, name FROM rooms ORDER BY id", on: connection)
            .all { (row) throws(RoomStoreError) in
                let name: RoomName? = try? row.room(1)
                return (id: row.integer(0), name: name)
            }
    }

    private static func findings(in id: Int64, _ name: RoomName?, _ tables: borrowing RoomCheck) -> [Finding] {
        guard let name else { return [Finding("its name is not valid")] }
        do throws(RoomStoreError) {
            return try tables.findings(in: id, named: name)
        } catch {
            return [Finding("\(error)")]
        }
    }

    /// Visits the messages with files, also while the data is served.
    package static func visitFiles(
        _ data: String, visit: (RoomName, MessageID, [Attachment]) -> Void
    ) throws(RoomStoreError) {
        let path = try dataPath(data)
        let connection = try Connection.open(path, .required)
        try connection.execute("PRAGMA query_only = ON")
        try requireCurrentFormat(connection, path)
        let sql = """
            SELECT rooms.name, messages.id, messages.text FROM messages JOIN rooms ON rooms.id = messages.room
            WHERE substr(messages.text, 1, 2) = char(1) || '{' AND instr(messages.text, '"files":[')
            """
        let found = try Statement(sql, on: connection).all { (row) throws(RoomStoreError) in
            (try row.room(0), try row.id(1), try row.text(2))
        }
        for (room, message, text) in found {
            visit(room, message, MessageContent(stored: text)?.files ?? [])
        }
    }

    /// Returns the malformed profiles, which no reader is shown.
    private static func profiles(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        try Statement("SELECT name, picture, second, user, sum FROM profiles ORDER BY user", on: connection)
            .all { (row) throws(RoomStoreError) in
                let user: UserName? = try? row.user(3)
                guard let user else { return "a profile: its user's name is not valid" }
                do throws(RoomStoreError) {
                    _ = try row.profile()
                    return nil
                } catch {
                    return "profile of \(user): \(error)"
                }
            }.compactMap(\.self)
    }

    /// Returns the malformed drafts, which their authors are not shown.
    private static func drafts(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        try Statement("SELECT user, place, time, content, sum FROM drafts ORDER BY user, place", on: connection)
            .all { (row) throws(RoomStoreError) in
                do throws(RoomStoreError) {
                    _ = (try row.user(0), try row.draft())
                    return nil
                } catch {
                    return "a draft of \((try? row.text(0)) ?? "a user") in \((try? row.text(1)) ?? "a room"): \(error)"
                }
            }.compactMap(\.self)
    }

    /// Returns what is malformed of what is stored of people.
    private static func personal(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        try profiles(connection) + drafts(connection) + later(connection) + blocks(connection)
    }

    /// Returns the malformed items of `me/later`, which are not shown and not sent.
    private static func later(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        try Statement("SELECT user, id, due, held, role, item, sum FROM later ORDER BY user, id", on: connection)
            .all { (row) throws(RoomStoreError) in
                do throws(RoomStoreError) {
                    _ = try row.later()
                    return nil
                } catch {
                    return "an item in me/later of \((try? row.text(0)) ?? "a user"): \(error)"
                }
            }.compactMap(\.self)
    }

    /// Returns the malformed blocks, which are not in force.
    private static func blocks(_ connection: borrowing Connection) throws(RoomStoreError) -> [String] {
        try Statement("SELECT user, blocked, direct, time, sum FROM blocks ORDER BY user, blocked", on: connection)
            .all { (row) throws(RoomStoreError) in
                do throws(RoomStoreError) {
                    _ = try row.block()
                    return nil
                } catch {
                    return "a row in me/blocked of \((try? row.text(0)) ?? "a user"): \(error)"
                }
            }.compactMap(\.self)
    }
}

extension Finding {
    fileprivate func text(of room: RoomName?, _ id: Int64) -> String {
        "room \(room?.description ?? "\(id)"): \(text)"
    }
}
