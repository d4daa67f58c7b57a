import CSQLite
import ChatRoom
import ChatWire
import Foundation
import RoomStore
import Testing

import class TestSupport.TemporaryFolder

@testable import SQLiteStore

/// A transaction larger than the cache puts pages into the log before it ends, and may end in a rollback.
struct RolledBackTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    enum NextUse: String, CaseIterable, Sendable {
        case write = "INSERT INTO tombstones VALUES(1, 8, x'08', 8, 0)"
        case read = "SELECT count(*) FROM tombstones"
        case checkpoint = "PRAGMA wal_checkpoint(PASSIVE)"
        case close = ""
    }

    /// The log has another commit in the place of the rolled-back pages; then the first connection is used again.
    @Test(arguments: NextUse.allCases)
    func whatWasRolledBackTakesNoPlaceOfAnotherConnectionsCommit(use: NextUse) throws {
        do { _ = try SQLiteStore(path: path) }
        let other = try Connection.open(path)
        // The rollback reads pages again, but none of a log that was copied; a read would write the gathered pages.
        try other.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)")
        do {
            let first = try Connection.open(path, gathersLog: true)
            let frames = try spillAndRollBack(first)
            #expect(frames > 0, "nothing was written before the rollback")

            try other.execute(Self.insert(500..<540))
            try first.execute(use.rawValue)
        }

        #expect(try found(500..<540) == 40)
        #expect(try found(8..<9) == (use == .write ? 1 : 0))
        #expect(try found(100..<101) == 0)
    }

    private static func insert(_ changes: Range<Int>) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT \(changes.lowerBound) UNION ALL SELECT i + 1 FROM n LIMIT \(changes.count))
        INSERT INTO tombstones SELECT 1, i, zeroblob(3500), i, 0 FROM n
        """
    }

    @Test func aStoreGoesOnAfterItsOwn() throws {
        let store = try SQLiteStore(path: path)
        let text = String(repeating: "x", count: 8_000)
        // The last row finds its place taken, when the others have long been too much for the cache.
        try Connection.open(path).execute("INSERT INTO tombstones VALUES(1, 3003, x'00', 1, 0)")
        let batch: [RoomOperation] = [.send(1)] + (2...3_002).map { .send($0, text) } + [.delete(3_003, 1)]

        #expect(throws: RoomStoreError.self) { try store.commit(batch) }

        #expect(try store.commit([.send(1), .send(2)]).map(\.revision) == [1, 2])
        let copy = try copied()
        #expect(try Connection.open(copy).number("SELECT count(*) FROM operations") == 2)
    }

    /// Returns the number of pages of the log that it took.
    private func spillAndRollBack(_ connection: borrowing Connection) throws -> Int64 {
        // One row of many pages, which nothing reads again, because a read would write the gathered pages.
        try connection.execute(
            "PRAGMA cache_size = 10; BEGIN IMMEDIATE; INSERT INTO tombstones VALUES(1, 100, zeroblob(100000), 100, 0)")
        let spilled = try connection.spilledPages()
        try connection.execute("ROLLBACK")
        return spilled
    }

    /// Returns how many of these rows exist in the files after a power cut.
    private func found(_ changes: Range<Int>) throws -> Int64 {
        let copy = try Connection.open(try copied())
        let verdict = try Statement("PRAGMA integrity_check", on: copy).first { (row) throws(RoomStoreError) in
            try row.text(0)
        }
        #expect(verdict == "ok")
        return try copy.number(
            """
            SELECT count(*) FROM tombstones
            WHERE changed >= \(changes.lowerBound) AND changed < \(changes.upperBound)
            """)
    }

    private func copied() throws -> String {
        let copy = folder.file("found-\(UUID()).db")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }
}

extension Connection {
    /// The number of pages written since the connection was opened.
    fileprivate borrowing func spilledPages() throws -> Int64 {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_SPILL, &current, &highest, 0)
        return Int64(current)
    }
}
