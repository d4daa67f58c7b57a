import CSQLite
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

    private func plan(of sql: String) throws -> [String] {
        let connection = try Connection.open(folder.file("rooms.db"))
        let statement = try Statement("EXPLAIN QUERY PLAN " + sql, on: connection)
        return try statement.all { (row) throws(RoomStoreError) in try row.text(3) }
    }
}
