import CSQLite
import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// The file finds every row by a key or an index.
struct QueryTests {
    private let folder = TemporaryFolder()

    @Test(arguments: Query.allCases)
    func noQueryScansATableOrSorts(query: Query) throws {
        _ = try SQLiteStore(path: folder.file("rooms.db"))

        let plan = try plan(of: query.rawValue)

        // The halving goes over a table of its own steps.
        let scans = plan.filter { $0.contains("SCAN") && $0 != "SCAN span" && $0 != "SCAN CONSTANT ROW" }
        #expect(scans == [] && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    /// Messages are not walked.
    @Test func whatIsUnreadIsCountedInAsManyStepsHoweverManyThereAre() throws {
        let store = try SQLiteStore(path: folder.file("rooms.db"))
        _ = try store.commit([.act(1, .join, by: Someone.bob)] + (2...10_001).map { .send($0) })

        let (few, many) = (try steps(read: 9_991), try steps(read: 1))

        #expect(try store.memberships(of: Someone.bob).map(\.unread) == [10_000])
        #expect(many == few && many > 0)
    }

    /// The steps of SQLite's machine to find what is unread.
    private func steps(read: Int64) throws -> Int32 {
        let connection = try Connection.open(folder.file("rooms.db"))
        var statement: OpaquePointer?
        let sql = Query.firstUnread.rawValue
        try #require(sqlite3_prepare_v2(connection.handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        sqlite3_bind_int64(statement, 1, 1)
        sqlite3_bind_int64(statement, 2, read)
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0)
    }

    private func plan(of sql: String) throws -> [String] {
        let connection = try Connection.open(folder.file("rooms.db"))
        let statement = try Statement("EXPLAIN QUERY PLAN " + sql, on: connection)
        return try statement.all { (row) throws(RoomStoreError) in try row.text(3) }
    }
}
