import ChatRoom
import ChatWire
import RoomStore
import Testing

@testable import PostgresStore

/// A message in a database, whose rows have no checksum: one of their values makes no sense.
struct PostgresDamagedMessageTests {
    private static let damages = [
        "author = ''", "time = -1", "changed = 5000", "changed = 1", "reactions = '\\x07'::bytea",
        "mentions = E'\\x07'",
        "edited = -5", "time = 9007199254740993",
    ]

    @Test(arguments: damages)
    func isServedAsDamagedAndAllElseOfItsRoomAsUsual(damage: String) throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        let said = MessageContent("@bob", mentions: [Someone.bob])
        _ = try store.commit([
            .act(1, .join, by: Someone.bob), .act(2, .send(said), by: Someone.ann),
            .act(3, .send(said), by: Someone.ann), .send(4, "the last"),
        ])
        let change = "UPDATE messages SET \(damage) WHERE sort IN (3, 4)"
        try Connection.open(address, seeing: History()).run([.run(change)])

        let reading = try store.soundReading(of: lobby, tail: 9, since: 2, atMost: 9)
        let page = try store.page(lobby, .before(4), limit: 1)
        let query = HeldQuery(since: 2, ranges: [0...2], at: nil, mostChanges: 9, mostRows: 9)
        let membership = try #require(try store.memberships(of: Someone.bob).first)

        #expect(reading.tail.map(\.sort) == [2, 3, 4] && reading.tail.map(\.isDamaged) == [false, true, true])
        #expect(reading.tail[1].author == Someone.ann && reading.tail[1].time == 1_003)
        #expect(page?.rows == [reading.tail[1]])
        _ = try store.soundHeld(query, in: lobby)
        #expect(membership.last == reading.tail[2] && membership.unread == 3)
        #expect(try store.memberships(of: [Someone.bob], in: lobby)[Someone.bob] == membership)
        #expect(store.faults == 2)
        #expect(try PostgresStore.check(at: address) { _ in } > 0)
        // Neither the list of mentions nor a commit has to do with the revision, which an edit writes anew.
        guard !damage.hasPrefix("changed") else { return }
        let mentions = try store.mentions(of: Someone.bob, in: [lobby], before: nil, limit: 9)
        #expect(mentions.map(\.sort) == [2])

        let acts: [RoomOperation] = [
            .edit(20, 3, "a third"), .send(21, "goes on"), .react(22, 3, "👍"), .delete(23, 3),
        ]
        #expect(try store.commit(acts).map(\.revision) == [nil, 5, nil, 6])
    }
}
