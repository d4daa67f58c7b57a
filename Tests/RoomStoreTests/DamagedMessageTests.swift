import ChatRoom
import ChatWire
import Locking
import RoomStore
import Testing

import class TestSupport.TemporaryFolder

@testable import SQLiteStore

/// A message whose row is damaged, and whose edit is forgotten, so that no operation says what the text was.
struct DamagedMessageTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    private static let mentioning = MessageContent("@bob", mentions: [Someone.bob])

    /// Sends 2, 3, 4 and 5, of which 2, 3 and 5 mention bob and 3 and 5 were edited.
    ///
    /// - Parameter isForgotten: whether retention has forgotten the edits.
    private func fill(isForgotten: Bool = true) throws {
        let store = try SQLiteStore(path: path)
        let said = Self.mentioning
        let edit = ContentEdit("again @bob", mentions: [Someone.bob])
        _ = try store.commit([
            .act(1, .join, by: Someone.bob), .act(2, .send(said), by: Someone.ann),
            .act(3, .send(said), by: Someone.ann), .send(4, "between"), .act(5, .send(said), by: Someone.ann),
            .act(6, .edit(id(3), edit), by: Someone.ann), .act(7, .edit(id(5), edit), by: Someone.ann),
        ])
        if isForgotten { try store.trim(Retention(.everything), at: 30 * Retention.day) }
    }

    private func change(_ sql: String) throws { try Connection.open(path).execute(sql) }

    private func damaged(_ number: UInt64, rev: Revision? = nil, isSentKnown: Bool = true) -> Message {
        Message(
            damaged: id(number), section: .history, sort: number, rev: rev ?? (number == 3 ? 6 : 7),
            sent: isSentKnown ? (Someone.ann, Milliseconds(1_000 + number)) : nil)
    }

    private static let damages = [
        "text = 'another'", "author = 'eve'", "reactions = x'00'", "time = -1", "mentions = 'x'", "sum = 1",
        "id = x'00000000000000000000000000000009'", "reloaded = 5000", "edited = 7",
    ]

    @Test(arguments: damages)
    func isServedAsDamagedAndAllElseOfItsRoomAsUsual(damage: String) throws {
        try fill()
        try change("UPDATE messages SET \(damage) WHERE sort IN (3, 5)")
        let notices = Guarded<[String]>([])
        let store = try SQLiteStore(path: path) { notice in notices.withLock { $0.append(notice) } }

        for _ in 0..<2 {
            let reading = try store.soundReading(of: lobby, tail: 9, since: nil, atMost: 0)
            #expect(reading.tail.map(\.sort) == [2, 3, 4, 5] && reading.count == 4)
            #expect(reading.tail.map(\.isDamaged) == [false, true, false, true])
            #expect(reading.tail[1] == damaged(3) && reading.tail[3] == damaged(5))
            let page = try store.page(lobby, .before(5), limit: 2)
            #expect(page?.rows.map(\.isDamaged) == [true, false])
        }

        let membership = try #require(try store.memberships(of: Someone.bob).first)
        #expect(membership.last == damaged(5) && membership.unread == 4)
        let mentions = try store.mentions(of: Someone.bob, in: [lobby], before: nil, limit: 9)
        #expect(mentions.map(\.sort) == [2], "the mentions before a damaged one are there")
        #expect(store.faults > 0 && !notices.withLock { $0 }.isEmpty)
        try store.close()
        #expect(try StoreCheck.check(path) { _ in } > 0)
    }

    /// A reader who comes back, and holds all rows.
    @Test func isResumedOverAsDamaged() throws {
        try fill(isForgotten: false)
        try change("UPDATE messages SET text = 'another' WHERE sort = 3")
        try change("UPDATE operations SET text = 'another' WHERE revision = 6")
        let store = try SQLiteStore(path: path)

        let query = HeldQuery(since: 5, ranges: [0...5], at: nil, mostChanges: 9, mostRows: 9)
        let held = try store.soundHeld(query, in: lobby)
        let reading = try store.soundReading(of: lobby, tail: 9, since: 5, atMost: 9)

        #expect(held.rows.map(\.sort) == [2, 3, 4, 5])
        #expect(held.changes.last == .row(damaged(3), reloaded: 6))
        guard case .all(let changes) = reading.changes else {
            Issue.record("\(reading.changes)")
            return
        }
        #expect(changes == held.changes.reversed())
    }

    @Test func isNeitherEditedNorReactedToButDeleted() throws {
        try fill()
        try change("UPDATE messages SET text = 'another' WHERE sort IN (3, 5)")
        let store = try SQLiteStore(path: path)

        let acts: [RoomOperation] = [
            .edit(20, 3, "a third"), .send(21, "goes on"), .react(22, 3, "👍"), .delete(23, 3),
            .act(24, .delete(id(5)), by: Someone.bob),
        ]
        let outcomes = try store.commit(acts)
        #expect(outcomes.map(\.revision) == [nil, 8, nil, 9, nil])
        #expect(outcomes[0] == .refused(.notFound(id(3))) && outcomes[2] == .refused(.notFound(id(3))))
        #expect(outcomes[4] == .refused(.notYours(id(5))))

        let reading = try store.soundReading(of: lobby, tail: 9, since: nil, atMost: 0)
        #expect(reading.tail.map(\.sort) == [2, 4, 5, 8] && reading.count == 4)
        #expect(try store.memberships(of: Someone.bob).first?.mentions == 2)
    }

    /// The revision that touched it last is not one of the room's.
    @Test func hasTheRevisionOfItsSendIfItsOwnIsImpossible() throws {
        try fill()
        try change("UPDATE messages SET changed = 5000 WHERE sort = 3")
        let store = try SQLiteStore(path: path)

        let reading = try store.soundReading(of: lobby, tail: 3, since: 7, atMost: 9)

        #expect(reading.tail[0] == damaged(3, rev: 3) && reading.changes == .all([]))
    }

    /// The operation that sent it is damaged as well.
    @Test func hasNoAuthorAndNoTimeWhereTheyAreNotKnown() throws {
        try fill()
        try change("UPDATE messages SET text = 'another' WHERE sort = 3")
        try change("UPDATE operations SET author = 'eve' WHERE revision = 3")
        let store = try SQLiteStore(path: path)

        let row = try store.soundReading(of: lobby, tail: 3, since: nil, atMost: 0).tail[0]

        #expect(row == damaged(3, isSentKnown: false))
        #expect(
            String(decoding: row.json, as: UTF8.self)
                == #"{"id":"\#(row.id)","sort":3,"rev":6,"damaged":true}"#)
        #expect(
            try store.commit([.act(20, .delete(id(3)), by: Someone.ann, as: .own)]) == [.refused(.notFound(id(3)))])
    }

    /// All of a room is not read again for each reader of a message that cannot be repaired.
    @Test func isTriedToBeRepairedOnce() throws {
        try fill()
        try change("UPDATE messages SET text = 'another' WHERE sort = 3")
        let notices = Guarded(0)
        let store = try SQLiteStore(path: path) { _ in notices.withLock { $0 += 1 } }

        for _ in 0..<5 { _ = try store.soundReading(of: lobby, tail: 9, since: nil, atMost: 0) }

        // One for the row, and one for its checksum.
        #expect(notices.withLock { $0 } == 2)
    }
}
