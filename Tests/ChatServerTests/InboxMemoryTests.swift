import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import ChatServer

/// The lists of rooms that a shard keeps for people who have gone, so that a cut is resumed by a diff: their number, rows
/// and time are bounded.
struct InboxMemoryTests {
    private let shard: ShardUnderTest
    private let store = InMemoryStore()

    private static let roomsOfEach = 3

    init() {
        shard = ShardUnderTest(loops: 1, on: store) {
            $0.restingRooms = 8
            $0.restingInboxRows = 20
        }
    }

    private func user(_ number: UInt64) -> UserName { UserName("user\(number)")! }

    private func reader(_ number: UInt64) -> Reader { ShardUnderTest.reader(number, onLoop: 0) }

    /// Returns by how many lists the shard keeps more.
    private func growth(after input: ShardInput) throws -> Int {
        try shard.settle([input]).reduce(0) { $0 + $1.growth.inboxes }
    }

    private func come(_ number: UInt64) throws -> Int {
        try growth(
            after: .inbox(.subscribe(.rooms, .open, visit: 1, ref: 1, limit: 100, nil), reader(number), user(number)))
    }

    private func go(_ number: UInt64) throws -> Int {
        try growth(after: .inbox(.unsubscribe(.rooms), reader(number), user(number)))
    }

    private func join(_ number: UInt64) throws {
        let operations = (0..<Self.roomsOfEach).map { room in
            let command = CommandID(high: number, low: UInt64(room))
            let join = Operation(command: command, author: user(number), role: .write, time: 1, action: .join)
            return RoomOperation(room: RoomName("room\(room)")!, operation: join)
        }
        _ = try store.commit(operations)
    }

    @Test func aListWithoutReadersIsKeptForTwoMinutes() throws {
        #expect(try come(1) == 1)
        #expect(try go(1) == 0)

        shard.pass(.seconds(119))
        #expect(try growth(after: .woken(.inboxes)) == 0)
        shard.pass(.seconds(1))
        #expect(try growth(after: .woken(.inboxes)) == -1)
    }

    @Test func ofManyListsWithoutReadersTheOldestGo() throws {
        for number in 0..<8 as Range<UInt64> { #expect(try come(number) + go(number) == 1) }
        for number in 8..<100 as Range<UInt64> { #expect(try come(number) + go(number) == 0) }

        // Whoever left last finds their list again.
        #expect(try come(99) == 0)
        #expect(try come(0) == 1)
    }

    @Test func theRowsOfListsWithoutReadersAreBounded() throws {
        for number in 0..<7 as Range<UInt64> { try join(number) }
        for number in 0..<6 as Range<UInt64> { #expect(try come(number) + go(number) == 1) }

        // The seventh list would make it 21 rows.
        #expect(try come(6) + go(6) == 0)
        #expect(try come(6) == 0)
        #expect(try come(0) == 1)
    }

    @Test func whenMemoryIsShortOnlyListsWithReadersStay() throws {
        for number in 0..<3 as Range<UInt64> { #expect(try come(number) == 1) }
        #expect(try go(0) + go(1) == 0)

        #expect(try growth(after: .pressed) == -2)
        #expect(try growth(after: .pressed) == 0)
    }
}
