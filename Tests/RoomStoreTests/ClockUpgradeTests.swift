import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

private let second: Milliseconds = 1_000
private let year: Milliseconds = 365 * 86_400_000

/// The rooms of a store of the format before the store's time. A clock that was a year ahead stamped some of them.
enum ClockHistory {
    static let rooms = ["calm", "late", "later"].map { RoomName($0)! }

    /// Operations by the clocks, as earlier versions wrote them.
    static func operations(at now: Milliseconds) -> [RoomOperation] {
        let joins = rooms.enumerated().map { index, room in
            RoomOperation.act(UInt64(index + 1), .join, by: Someone.bob, in: room).at(now - 9_000)
        }
        func act(_ number: UInt64, _ action: RoomAction, by author: UserName, in room: RoomName) -> RoomOperation {
            .act(number, action, by: author, as: .own, in: room)
        }
        func say(_ number: UInt64, in room: RoomName) -> RoomOperation {
            act(number, .send("hello"), by: Someone.ann, in: room)
        }
        return joins + [
            say(11, in: rooms[0]).at(now - 8_000), say(12, in: rooms[1]).at(now - 7_000),
            act(13, .moderate(.slowMode(5_000)), by: Someone.ann, in: rooms[2]).at(now - 6_000),
            say(14, in: rooms[1]).at(now + year), say(15, in: rooms[1]).at(now + year + 1),
            act(16, .join, by: Someone.ann, in: rooms[2]).at(now + year + 2),
            say(17, in: rooms[2]).at(now + year + 3),
            act(18, .moderate(.mute(Someone.bob, for: 2 * second)), by: Someone.ann, in: rooms[1]).at(now + year + 4),
            act(19, .moderate(.mute(Someone.ann, for: year)), by: Someone.bob, in: rooms[0]).at(now - 5_000),
        ]
    }

    private static func order(in store: any RoomStore) throws -> [RoomName] {
        try store.places(of: Someone.bob).sorted { $0.activity > $1.activity }.map(\.room)
    }

    static func requireRightTimes(of store: any RoomStore, at now: Milliseconds) throws {
        #expect(try order(in: store) == rooms.reversed())
        #expect(try store.standing(of: Someone.bob, in: rooms[1]).mutedUntil <= now + 60 * second)
        #expect(try store.standing(of: Someone.ann, in: rooms[0]).mutedUntil == now - 5_000 + year)
        #expect(try store.places(of: Someone.ann).allSatisfy { $0.time <= now + 60 * second })
        var operation = RoomOperation.act(20, .send("hello"), by: Someone.bob, in: rooms[0])
            .at(now + 60 * second).operation
        operation.instant = try #require(store.clock(of: rooms[0])).now
        _ = try store.commit([RoomOperation(room: rooms[0], operation: operation)])
        #expect(try order(in: store) == [rooms[0], rooms[2], rooms[1]])
    }
}

/// A file of format 20 that is opened.
struct ClockUpgradeTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    /// Writes the history into a file of format 20.
    private func writeFile(at now: Milliseconds) throws {
        do {
            let store = try SQLiteStore(path: path)
            for operation in ClockHistory.operations(at: now) {
                #expect(try store.commit([operation]).first?.revision != nil)
            }
        }
        try Connection.open(path).execute(
            """
            ALTER TABLE operations DROP COLUMN drift;
            ALTER TABLE store DROP COLUMN latest;
            ALTER TABLE store DROP COLUMN lead;
            DROP TABLE pins;
            DROP TABLE drafts;
            DROP TABLE later;
            DROP TABLE blocks;
            DROP TABLE sizes;
            DROP INDEX standings_over;
            DROP INDEX last_sends_time;
            PRAGMA user_version = 20;
            """)
    }

    @Test func aFileGetsRightTimesAndTheCheckFindsNothingWrong() throws {
        let now = Milliseconds.timeOfDay
        try writeFile(at: now)

        try ClockHistory.requireRightTimes(of: SQLiteStore(path: path), at: now)

        var problems: [String] = []
        _ = try StoreCheck.check(path) { problems.append($0) }
        #expect(problems == [])
        let connection = try Connection.open(path)
        let wrong = try RowSums.allCases.filter {
            try connection.number("SELECT count(*) FROM \($0.table) WHERE sum <> \($0.right)") > 0
        }
        #expect(wrong.map(\.table) == [])
    }

    @Test func aDamagedRowKeepsItsWrongSum() throws {
        try writeFile(at: .timeOfDay)
        try Connection.open(path).execute("UPDATE operations SET text = 'another' WHERE text = 'hello'")

        _ = try SQLiteStore(path: path)

        #expect(try StoreCheck.check(path) { _ in } > 0)
    }
}
