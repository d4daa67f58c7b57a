import ChatRoom
package import ChatWire
package import RoomStore
package import StoreEngine

extension PostgresStore {
    /// Checks a database, also while servers run, and changes nothing.
    ///
    /// - Parameter report: called with each fault as it is found.
    /// - Returns: the number of faults.
    /// - Errors: the reason why the database cannot be checked.
    package static func check(
        at address: PostgresAddress, report: (String) -> Void
    ) throws(RoomStoreError) -> Int {
        var problems = 0
        try inAllRooms(of: address) { (room, connection) throws(PostgresFailure) in
            try connection.run([.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")])
            for finding in try room.findings(over: connection) {
                report("room \(room.name): \(finding.text)")
                problems += 1
            }
            try connection.run([.run("COMMIT")])
        }
        return problems
    }

    /// Visits the messages with files, also while servers run.
    package static func visitFiles(
        at address: PostgresAddress, visit: (RoomName, MessageID, [Attachment]) -> Void
    ) throws(RoomStoreError) {
        try inAllRooms(of: address) { (room, connection) throws(PostgresFailure) in
            let sql = """
                SELECT id, text FROM messages
                WHERE room = $1::bigint AND left(text, 2) = chr(1) || '{' AND strpos(text, '"files":[') > 0
                """
            for row in try connection.run([.run(sql, .integer(room.id))])[0].rows {
                visit(room.name, try row.id(0), MessageContent(stored: row.text(1))?.files ?? [])
            }
        }
    }

    /// Puts right what the operations decide, with one transaction for each room, which holds the room's lock.
    ///
    /// - Parameter report: called with each fault, and what became of it.
    /// - Errors: `inUse` while a server runs; the reason why the database cannot be checked or written.
    package static func repair(
        at address: PostgresAddress, into result: inout RepairReport, report: (String) -> Void
    ) throws(RoomStoreError) {
        var found = result
        try inAllRooms(of: address) { (room, connection) throws(PostgresFailure) in
            try connection.run([
                .run("BEGIN"), .run(Lease.lock, .text(address.schema)),
                .run("SELECT id FROM rooms WHERE id = $1::bigint FOR UPDATE", .integer(room.id)),
            ])
            try requireNoServer(over: connection, address)
            let before = try room.findings(over: connection)
            let writes = RoomRepair.writes(for: before.flatMap(\.repairs), in: room.id)
            if !writes.isEmpty { try connection.run(writes) }
            let after = writes.isEmpty ? before : try room.findings(over: connection)
            try connection.runDurably([.run("COMMIT")], until: .now + Connection.patience)
            found.add(before, remaining: after, of: room.name, report)
        }
        result = found
    }

    private static func inAllRooms(
        of address: PostgresAddress, _ body: (RoomCheck, Connection) throws(PostgresFailure) -> Void
    ) throws(RoomStoreError) {
        let lease = Lease(server: .random(), knows: .max, length: .zero, schema: address.schema)
        let failoverCheck = FailoverCheck(address: address, lease: lease, history: History())
        OldPrimaries(failoverCheck).search()
        do throws(PostgresFailure) {
            let connection = try Connection.open(address, seeing: failoverCheck.history)
            let format = try connection.run([.run("SELECT format FROM store")])[0].rows.first?.integer(0) ?? 0
            guard format == Schema.current.migrations.count else {
                throw .outgrown(inForce: Int(clamping: format), known: Schema.current.migrations.count)
            }
            var last = Parameter.integer(0)
            while true {
                let rows = try connection.run([
                    .run("SELECT name, id FROM rooms WHERE id > $1::bigint ORDER BY id LIMIT 500", last)
                ])[0].rows
                guard let end = rows.last else { return }
                for row in rows { try body(RoomCheck(id: try row.integer(1), name: try row.room()), connection) }
                last = .integer(try end.integer(1))
            }
        } catch {
            throw RoomStoreError(error, at: address.place)
        }
    }

    /// - Errors: `served` while the lease of a server runs.
    private static func requireNoServer(
        over connection: Connection, _ address: PostgresAddress
    ) throws(PostgresFailure) {
        let living = try connection.run([.run("SELECT count(*) FROM servers WHERE until > clock_timestamp()")])[0]
        guard let count = try living.rows.first?.integer(0), count > 0 else { return }
        _ = try? connection.run([.run("ROLLBACK")])
        throw .served(by: Int(clamping: count))
    }
}
