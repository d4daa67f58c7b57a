import ChatRoom
import ChatWire
import Foundation
import RoomStore
import Testing

import struct TestSupport.SplitMix64
import class TestSupport.TemporaryFolder

@testable import SQLiteStore

/// With any one byte of the file changed, there is an answer or an error, but never the end of the process.
struct ByteDamageTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }
    private static let attic = RoomName("attic")!

    /// A file with all kinds of rows in two rooms.
    private static func file() throws -> [UInt8] {
        if !made.isEmpty { return made }
        return try make()
    }

    /// Made once; empty if it could not be.
    private static let made = (try? make()) ?? []

    private static func make() throws -> [UInt8] {
        let folder = TemporaryFolder()
        let path = folder.file("rooms.db")
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.deliveries(part: 0)
            _ = try store.write([profile(of: carl, 1), profile(of: Someone.ann, 1)])
            for room in [lobby, attic] {
                try fillMembers(of: room, in: store)
                _ = try store.commit((1...8).map { .send($0, "message \($0)", to: room) })
                let acts: [RoomAction] = [
                    .edit(id(1), "first"), .delete(id(2)), .react(id(3), emoji: "👍", .on),
                    .react(id(3), emoji: "👎", .on), .moderate(.mute(Someone.bob, for: 60_000)),
                    .moderate(.ban(UserName("eve")!)), .moderate(.slowMode(1_000)),
                    .send(MessageContent("slow", replyTo: id(4))),
                    .delete(id(5)), .edit(id(6), ContentEdit("@carl", mentions: [carl])),
                    .send(MessageContent("@room", mentions: Mentioned([], everyone: true))),
                    .moderate(.title(RoomTitle("A room"))), .moderate(.topic(RoomTopic("What it is about"))),
                    .moderate(.picture(Picture("https://chat.example/room.png"))), .join,
                    .moderate(.pin(id(3), .last)), .moderate(.pin(id(4), .before(id(3)))),
                    .settings(SettingsChange(pinned: .at(3), isMuted: true, isArchived: true, isMarked: true)),
                ]
                _ = try store.commit(
                    acts.enumerated().map { .act(UInt64($0 + 20), $1, by: Someone.ann, as: .own, in: room) })
            }
        }
        return try Array(Data(contentsOf: URL(filePath: path)))
    }

    /// Somebody has unread messages, of which some were deleted, one so long ago that this is forgotten.
    private static func fillMembers(of room: RoomName, in store: SQLiteStore) throws {
        let acts: [RoomAction] = [
            .join, .send("old"), .send("older"), .delete(id(102)),
        ]
        _ = try store.commit(
            acts.enumerated().map {
                .act(UInt64($0 + 100), $1, by: $1 == .join ? Someone.bob : Someone.ann, in: room).later(by: -1_000)
            })
        try store.trim(Retention(.everything), at: 7 * Retention.day + 500)
        _ = try store.commit([.act(110, .join, by: carl, in: room)])
    }

    private static let carl = UserName("carl")!

    private static func profile(of user: UserName, _ second: Int64) -> ProfileChange {
        let profile = Profile(name: DisplayName("Who \(second)"), picture: Picture("https://chat.example/who.png"))
        return ProfileChange(user: user, profile: profile, source: .operator(second))
    }

    private static let tables = [
        "rooms", "commands", "operations", "messages", "tombstones", "standings", "last_sends", "deliveries",
        "memberships", "deleted", "mentions", "profiles", "store", "pins",
    ]

    @Test(arguments: UInt64(0)..<250)
    func ofARowItIsThatRoomsAlone(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        try Data(Self.file()).write(to: URL(filePath: path))
        let intact = try use(Self.attic)
        try Data(Self.file()).write(to: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path + ".control")

        let room = try changeARow(using: &random)

        let other = Result { try use(Self.attic) }
        _ = try? use(lobby)
        // A row that claims to belong to another room is damage there.
        if room == .lobbyAlone { #expect(try other.get() == intact, "\(other)") }
    }

    @Test(arguments: UInt64(0)..<250)
    func ofAPageItIsAnErrorAtMost(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var file = try Self.file()
        // The first page identifies the file; a file that is no store is refused.
        file[Int.random(in: 100..<file.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        try Data(file).write(to: URL(filePath: path))

        for room in [lobby, Self.attic] {
            let result = Result { try use(room) }
            if case .failure(let error) = result { #expect(error is RoomStoreError) }
        }
        _ = try? StoreCheck.check(path) { _ in }
    }

    /// Returns a room's contents, and the results of every operation in it.
    private struct Use: Equatable {
        var reading: RoomReading
        var page: ListPage<Message>?
        var operations: [CommittedOperation]
        var audit: AuditPage
        var outcomes: [CommitOutcome]
        var memberships: [MembershipReading]
        var members: [UserName: MembershipReading]
        var mentions: [MentionReading]
        var rooms: Bool
    }

    private static let members = [Someone.ann, Someone.bob, carl]

    private func use(_ room: RoomName) throws -> Use {
        let store = try SQLiteStore(path: path)
        defer { try? store.close() }
        let deliveries = try store.deliveries(part: 0)
        // Before they are deleted.
        let mentions = try store.mentions(of: Self.carl, in: [lobby, Self.attic], before: nil, limit: 10)
        let use = Use(
            reading: try store.soundReading(of: room, tail: 50, since: 8, atMost: 50),
            page: try store.page(room, .before(14), limit: 5),
            operations: try store.operations(room, since: 0, limit: 100),
            audit: try store.audit(room, before: 1_000, limit: 50),
            outcomes: try store.commit(
                acts(in: room), marking: [ReadMark(room: room, user: Self.carl, revision: 9)]),
            memberships: try Self.members.flatMap { try store.memberships(of: $0) }.filter { $0.room == room },
            members: try store.memberships(of: Self.members, in: room),
            mentions: mentions.filter { $0.room == room },
            rooms: try store.rooms(after: nil, limit: 10).contains { $0.name == room })
        _ = try store.profiles(of: Self.members)
        _ = try store.write([Self.profile(of: Self.carl, 2)])
        _ = try deliveries?.states(after: nil, limit: 10)
        try deliveries?.noteDelivered(room, upTo: 9)
        try trim(store)
        return use
    }

    /// Trims and skips damaged rooms, as a server does.
    private func trim(_ store: SQLiteStore) throws(RoomStoreError) {
        var retention = Retention(.init(messages: 3))
        while true {
            do throws(RoomStoreError) {
                _ = try store.trim(retention, part: 0, after: nil, at: 100_000_000_000)
                return
            } catch {
                guard case .damagedRoom(let room, _) = error, retention.spared.insert(room).inserted else {
                    throw error
                }
            }
        }
    }

    private func acts(in room: RoomName) -> [RoomOperation] {
        let acts: [RoomAction] = (1...8).flatMap { number -> [RoomAction] in
            [.edit(id(number), "again"), .react(id(number), emoji: "👍", .off), .delete(id(number))]
        }
        let more: [RoomAction] = [
            .send("new"), .moderate(.unmute(Someone.bob)), .moderate(.kick(Someone.bob)), .join,
        ]
        return (acts + more).enumerated().map {
            .act(UInt64($0 + 900), $1, by: Someone.ann, as: .own, in: room)
        }
    }

    private enum Room {
        case lobbyAlone
        case any
    }

    /// Changes one byte of one column of one row that is the lobby's.
    private func changeARow(using random: inout SplitMix64) throws -> Room {
        let connection = try Connection.open(path)
        let table = Self.tables.randomElement(using: &random)!
        let lobby = ["rooms": "id = 1", "profiles": "true", "store": "true"][table] ?? "room = 1"
        let columns = try Statement("SELECT name, pk FROM pragma_table_info('\(table)')", on: connection)
            .all { (row) throws(RoomStoreError) in (name: try row.text(0), isKey: row.integer(1) > 0) }
        let column = columns.randomElement(using: &random)!.name
        let rows = try connection.number("SELECT count(*) FROM \(table) WHERE \(lobby)")
        guard rows > 0 else { return .lobbyAlone }
        let keys = table == "store" ? ["rowid"] : columns.filter(\.isKey).map(\.name)
        let found = try Statement(
            """
            SELECT typeof(\(column)), hex(\(column)), \(keys.map { "quote(\($0))" }.joined(separator: ", "))
            FROM \(table) WHERE \(lobby) LIMIT 1 OFFSET \(Int64.random(in: 0..<rows, using: &random))
            """, on: connection
        ).first { (row) throws(RoomStoreError) in
            (
                type: try row.text(0), hex: try row.text(1),
                keys: try keys.indices.map { index throws(RoomStoreError) in try row.text(Int32(index) + 2) }
            )
        }
        guard let found else { return .lobbyAlone }
        let row = zip(keys, found.keys).map { "\($0) = \($1)" }.joined(separator: " AND ")
        let place = Int.random(in: 0..<8, using: &random)
        let flip = UInt8.random(in: 1...255, using: &random)
        let value =
            switch found.type {
            case "integer", "null": "coalesce(\(column), 0) + \(Int64(bitPattern: UInt64(flip) << UInt64(8 * place)))"
            case "text": "CAST(x'\(changed(found.hex, place, flip))' AS TEXT)"
            default: "x'\(changed(found.hex, place, flip))'"
            }
        // A change that the tables' constraints refuse is no damage.
        try? connection.execute("UPDATE OR IGNORE \(table) SET \(column) = \(value) WHERE \(row)")
        return table == "store" || ["room", "id"].contains(column) ? .any : .lobbyAlone
    }

    private func changed(_ hex: String, _ place: Int, _ flip: UInt8) -> String {
        var bytes = stride(from: 0, to: hex.count, by: 2).map { start in
            UInt8(hex.dropFirst(start).prefix(2), radix: 16) ?? 0
        }
        guard !bytes.isEmpty else { return "00" }
        bytes[place % bytes.count] ^= flip
        return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
