import ChatRoom
import ChatWire
import RoomStore
import Testing

import enum TestSupport.Deadline
import struct TestSupport.SplitMix64

@testable import PostgresStore

/// One column of a row is changed, in one room after the other. Each room answers or has an error of its own, and
/// operations over many rooms go on without it.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct PostgresDamageTests {
    private static let attic = RoomName("attic")!
    private static let tables = [
        "rooms", "operations", "messages", "tombstones", "standings", "last_sends", "deliveries", "memberships",
        "deleted", "mentions",
    ]
    private static let rounds = 25

    @Test(arguments: UInt64(0)..<6)
    func ofARowItIsThatRoomsAlone(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        let deliveries = try #require(try store.deliveries(part: 0))
        let vandal = try Vandal(address)
        let rooms = (0..<Self.rounds).map { RoomName("room-\($0)")! }
        for room in rooms + [Self.attic] { try fill(room, in: store, deliveries) }
        // What happened first is forgotten.
        try store.trim(Retention(.everything), at: 7 * Retention.day + 500)
        let intact = try look(at: Self.attic, in: store)

        for room in rooms {
            let change = try vandal.change(room, Self.tables.randomElement(using: &random)!, using: &random)

            try use(room, of: store, deliveries, after: change)
            #expect(try look(at: Self.attic, in: store) == intact, "\(change)")
        }

        #expect(try names(in: store).contains(Self.attic))
        #expect(try swept(deliveries).contains(Self.attic), "its webhooks go on")
        try trim(store)
        #expect(try store.read(Self.attic, tail: 50, since: nil, atMost: 0).tail.count == 3, "it is shortened")
    }

    @Test func moreDeletionsThanRowsAreDamage() throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        _ = try store.commit([.send(1, to: Self.attic), .send(2, to: Self.attic)])
        try Vandal(address).miscount(Self.attic)

        _ = try store.commit([.act(3, .delete(id(1)), by: Someone.ann, as: .own, in: Self.attic)])
        let error = #expect(throws: RoomStoreError.self) {
            try store.commit([.act(4, .delete(id(2)), by: Someone.ann, as: .own, in: Self.attic)])
        }

        guard case .damagedRoom(Self.attic, _)? = error else {
            Issue.record("\(error.debugDescription)")
            return
        }
    }

    // MARK: - Operations on rooms

    private func fill(_ room: RoomName, in store: PostgresStore, _ deliveries: any Deliveries) throws {
        let early: [RoomOperation] = [
            .act(100, .join, by: Someone.bob, in: room), .send(101, to: room), .send(102, to: room),
            .act(103, .delete(id(102)), by: Someone.ann, in: room),
        ]
        _ = try store.commit(early.map { $0.later(by: -1_000) })
        _ = try store.commit((1...8).map { .send($0, "message \($0)", to: room) })
        let acts: [RoomAction] = [
            .edit(id(1), "first"), .delete(id(2)), .react(id(3), emoji: "👍", .on),
            .moderate(.mute(Someone.bob, for: 60_000)), .moderate(.ban(UserName("eve")!)), .moderate(.slowMode(1_000)),
            .send(MessageContent("slow", replyTo: id(4))), .delete(id(5)),
            .edit(id(6), ContentEdit("@bob", mentions: [Someone.bob])),
            .send(MessageContent("@room", mentions: Mentioned([], everyone: true))),
            .moderate(.title(RoomTitle("A room"))), .moderate(.topic(RoomTopic("What it is about"))),
            .moderate(.picture(Picture("https://chat.example/room.png"))), .join,
            .settings(SettingsChange(pinned: .at(3), isMuted: true, isArchived: true, isMarked: true)),
        ]
        _ = try store.commit(
            acts.enumerated().map { .act(UInt64($0 + 20), $1, by: Someone.ann, as: .own, in: room) })
        try deliveries.noteDelivered(room, upTo: 3)
    }

    private struct Looks: Equatable {
        let reading: RoomReading
        let page: ListPage<Message>?
        let operations: [CommittedOperation]
        let audit: AuditPage
        let memberships: [MembershipReading]
        let members: [UserName: MembershipReading]
        let mentions: [MentionReading]
    }

    private func look(at room: RoomName, in store: PostgresStore) throws -> Looks {
        Looks(
            reading: try store.soundReading(of: room, tail: 50, since: 8, atMost: 50),
            page: try store.page(room, .before(14), limit: 5),
            operations: try store.operations(room, since: 0, limit: 100),
            audit: try store.audit(room, before: 1_000, limit: 50),
            memberships: try store.memberships(of: Someone.bob).filter { $0.room == room },
            members: try store.memberships(of: [Someone.ann, Someone.bob], in: room),
            mentions: try store.mentions(of: Someone.bob, in: [room], before: nil, limit: 10))
    }

    /// Makes every request to one room, and checks that its damage is reported as its own.
    private func use(
        _ room: RoomName, of store: PostgresStore, _ deliveries: any Deliveries, after change: String
    ) throws {
        let acts: [RoomAction] =
            (1...8).flatMap { number -> [RoomAction] in
                [.edit(id(number), "again"), .react(id(number), emoji: "👍", .off), .delete(id(number))]
            } + [
                .send("new"), .moderate(.unmute(Someone.bob)), .moderate(.kick(Someone.bob)), .join,
            ]
        let asks: [() throws -> Void] = [
            { _ = try store.soundReading(of: room, tail: 50, since: 3, atMost: 50) },
            { try store.page(room, .before(9), limit: 5).map { try arrives($0, from: room, change) } },
            { _ = try store.operations(room, since: 0, limit: 100) },
            { try arrives(.audit(ref: 0, room, store.audit(room, before: 1_000, limit: 50)), change) },
            { _ = try deliveries.state(of: room) },
            { _ = try store.memberships(of: Someone.bob) },
            {
                let mentions = try store.mentions(of: Someone.bob, in: [room, Self.attic], before: nil, limit: 10)
                #expect(mentions.contains { $0.room == Self.attic }, "\(change)")
                for mention in mentions { try arrives(mention.page, from: mention.room, change) }
            },
            { _ = try store.memberships(of: [Someone.ann, Someone.bob], in: room) },
            { _ = try store.commit([], marking: [ReadMark(room: room, user: Someone.bob, revision: 9)]) },
            {
                for (number, act) in acts.enumerated() {
                    _ = try store.commit([.act(UInt64(number + 900), act, by: Someone.ann, as: .own, in: room)])
                }
            },
        ]
        for (number, ask) in asks.enumerated() {
            do {
                try ask()
            } catch RoomStoreError.damagedRoom(let damaged, _) {
                #expect(damaged == room, "\(change)")
            } catch {
                Issue.record("ask \(number) after \(change): \(error)")
            }
        }
    }

    private func arrives(_ page: ListPage<Message>, from room: RoomName, _ change: String) throws {
        try arrives(.page(ref: 0, .messages(room), Epoch("epoch")!, page), change)
    }

    /// Checks that a client can read what it is sent.
    private func arrives(_ frame: ServerFrame, _ change: String) throws {
        #expect(try ServerFrame(json: frame.json) == frame, "\(change)")
    }

    // MARK: - Operations on all rooms

    /// Reads in pages, so that damaged rooms stand at the end of some.
    private func all(_ page: (RoomName?) throws -> [RoomName]) rethrows -> [RoomName] {
        var found: [RoomName] = []
        while true {
            let more = try page(found.last)
            if more.isEmpty { return found }
            found += more
        }
    }

    private func names(in store: PostgresStore) throws -> [RoomName] {
        try all { try store.rooms(after: $0, limit: 7).map(\.name) }
    }

    private func swept(_ deliveries: any Deliveries) throws -> [RoomName] {
        try all { try deliveries.states(after: $0, limit: 7).map(\.room) }
    }

    /// Trims a pass and skips damaged rooms, as a server does.
    private func trim(_ store: PostgresStore) throws {
        var (retention, after) = (Retention(.init(messages: 3)), RoomName?.none)
        while true {
            do throws(RoomStoreError) {
                let step = try store.trim(retention, part: 0, after: after, at: 100_000_000_000)
                guard case .after(let room) = step.next else { return }
                after = room
            } catch {
                guard case .damagedRoom(let room, _) = error, retention.spared.insert(room).inserted else {
                    throw error
                }
            }
        }
    }
}

extension MentionReading {
    /// The message, as the only one of its room.
    fileprivate var page: ListPage<Message> {
        let row = Message(
            id: message.id, section: .history, sort: sort, rev: sort, author: message.author, time: message.time,
            content: MessageContent(message.text))
        return ListPage(revision: sort, from: sort, to: sort, rows: [row], more: false, newer: false)
    }
}

/// A client that writes into the database what no server writes.
private struct Vandal: ~Copyable {
    private let connection: Connection

    init(_ address: PostgresAddress) throws {
        connection = try Connection.open(address, seeing: History(), preparing: [])
    }

    /// Changes one column of one row of a room, and describes the change.
    func change(_ room: RoomName, _ table: String, using random: inout SplitMix64) throws -> String {
        let ask = """
            SELECT column_name::text, data_type::text FROM information_schema.columns
            WHERE table_schema = current_schema AND table_name = $1::text ORDER BY ordinal_position
            """
        let columns = try connection.run([.run(ask, .text(table))])[0].rows.map { ($0.text(0), $0.text(1)) }
        let (column, type) = columns.randomElement(using: &random)!
        let its = table == "rooms" ? "name = '\(room)'" : "room = (SELECT id FROM rooms WHERE name = '\(room)')"
        let any = "ORDER BY md5(ctid::text || '\(random.next())') LIMIT 1"
        let row = "ctid = (SELECT ctid FROM \(table) WHERE \(its) \(any))"
        let change = "UPDATE \(table) SET \(column) = \(value(column, type, using: &random)) WHERE \(row)"
        // A change that the tables' constraints refuse is no damage.
        _ = try? connection.run([.run(change)])
        return change
    }

    /// Makes a room have one row by its count.
    func miscount(_ room: RoomName) throws {
        try connection.run([.run("UPDATE rooms SET count = 1 WHERE name = $1::text", .text(room.description))])
    }

    private func value(_ column: String, _ type: String, using random: inout SplitMix64) -> String {
        let (place, flip) = (Int.random(in: 0..<8, using: &random), Int64.random(in: 1...255, using: &random))
        if Int.random(in: 0..<10, using: &random) == 0 { return "NULL" }
        switch type {
        case "bigint":
            // A row that claims to belong to another room is damage there.
            let high = column == "room" ? max(place, 4) : place
            return "coalesce(\(column), 0) # (\(Int64(bitPattern: UInt64(flip) << UInt64(8 * high))))"
        case "text":
            let characters = ["", "\u{1}", "\t", "\u{7F}", "\u{85}", "é", "e\u{301}", "👍", " "]
            let character = characters.randomElement(using: &random)!
            return "overlay(\(column) placing '\(character)' from \(place + 1) for 1)"
        case "bytea":
            let whole = "coalesce(nullif(\(column), ''), '\\x00')"
            return "set_byte(\(whole), \(place) % length(\(whole)), \(flip))"
        default:
            return "md5('\(random.next())')::uuid"
        }
    }
}
