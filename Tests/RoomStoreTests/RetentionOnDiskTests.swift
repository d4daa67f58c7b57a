import ChatRoom
import ChatWire
import PostgresStore
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// The effect of trimming on the file, and on the database.
struct RetentionOnDiskTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    private func pages() throws -> Int64 { try Connection.open(path).number("PRAGMA page_count") }

    private func fill(_ store: any RoomStore) throws {
        let text = String(repeating: "x", count: 4_000)
        for batch in 0..<5 as Range<UInt64> { _ = try store.commit((0..<200).map { .send(batch * 200 + $0, text) }) }
    }

    @Test func theFileGivesBackWhatIsFreeALittleAtATime() throws {
        let store = try SQLiteStore(path: path)
        try fill(store)
        let before = try pages()
        let retention = Retention(.init(messages: 10), resumeTime: Retention.day)

        var freed = 0
        var next = Trimming.Next.after(nil)
        while case .after(let room) = next {
            let step = try store.trim(retention, part: 0, after: room, at: 30 * Retention.day)
            #expect(step.bytesFreed <= 66 * 4_096)  // 64 pages, and those that record their place
            freed += step.bytesFreed
            next = step.next
        }

        #expect(try pages() <= before / 4)
        #expect(freed == Int(before - (try pages())) * 4_096)
        #expect(try store.read(lobby, tail: 100, since: nil, atMost: 0).tail.count == 10)
    }

    @Test func aFileOfAnEarlierFormatKeepsItsFreePagesForTheNextMessages() throws {
        let earlier = Schema(migrations: Array(Schema.current.migrations.prefix(3)))
        do {
            let connection = try Connection.open(path)
            try connection.requireWriteAheadLog()
            try earlier.migrate(connection, from: 0)
        }
        let store = try SQLiteStore(path: path)
        try fill(store)
        let before = try pages()

        try store.trim(Retention(.init(messages: 10), resumeTime: Retention.day), at: 30 * Retention.day)
        #expect(try pages() == before)
        try fill(store)

        #expect(try pages() <= before + before / 4)
    }

    @Test func aBackupHasTheBeginning() throws {
        let store = try SQLiteStore(path: path)
        _ = try store.commit((1...10).map { .send($0) })
        try store.trim(Retention(.init(messages: 3)), at: 2_000)

        _ = try StoreCopy.backup(of: path, to: folder.file("copy.db"))

        let copy = try SQLiteStore(path: folder.file("copy.db"))
        #expect(try copy.read(lobby, tail: 9, since: 2, atMost: 9) == store.read(lobby, tail: 9, since: 2, atMost: 9))
    }

    @Test func aServerThatFindsAnotherOneTrimmingLeavesItToThat() throws {
        let address = try PostgresAddress.unused()
        let (first, second) = (try PostgresStore(address), try PostgresStore(address))
        _ = try first.commit((1...1_000).map { .send($0) })
        let retention = Retention(.init(messages: 10))

        let step = try first.trim(retention, part: 0, after: nil, at: 2_000)
        let other = try second.trim(retention, part: 0, after: nil, at: 2_000)

        #expect(step.next == .after(nil) && step.rows == Trimming.entries)
        #expect(other.next == .done && other.rows == 0)
        try first.trim(retention, at: 2_000)
        #expect(try second.read(lobby, tail: 0, since: nil, atMost: 0).start == 991)
        _ = try second.commit([.send(2_000)])
        // After the first has finished, any server may be next; its connection may take a moment to close.
        var last = try second.trim(retention, at: 2_000)
        while last.isEmpty { last = try second.trim(retention, at: 2_000) }
        #expect(last == [lobby: 1_006])
    }
}
