import ChatRoom
import ChatWire
import Foundation
import RoomStore
import StoreEngine
import TestSupport
import Testing

@testable import PostgresStore

/// The moving of rooms to other databases.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ReshardTests {
    /// All that a store tells about a room and its people.
    private struct Contents: Equatable {
        let reading: RoomReading
        let operations: [CommittedOperation]
        let memberships: [UserName: MembershipReading]
        let audit: AuditPage
        let standing: Standing
        let delivered: Revision?
    }

    /// A case: the databases, and which of them have the rooms.
    private struct World {
        let databases: [PostgresAddress]
        var list: [Int]
        var random: SplitMix64

        mutating func newList() -> [Int] {
            Array(
                (0..<databases.count).shuffled(using: &random).prefix(.random(in: 1...databases.count, using: &random)))
        }

        func addresses(_ list: [Int]) -> [PostgresAddress] { list.map { databases[$0] } }

        func open(_ list: [Int]) throws -> ShardedStore {
            var patience = PostgresStore.Patience()
            // They do not live on.
            patience.lease = .zero
            return ShardedStore(try PostgresStore.open(addresses(list), patience: patience))
        }

        func starts(_ list: [Int]) -> Bool { (try? open(list)) != nil }
    }

    private static let people = (0..<6).compactMap { UserName("user\($0)") }
    private static let rooms = (0..<40).compactMap { RoomName("room\($0)") }

    /// Random lists, and an interruption after random steps.
    @Test(arguments: UInt64(0)..<5) func whereverItIsCutOffNoRoomIsLostAndNoneIsTwice(seed: UInt64) throws {
        var world = World(
            databases: try (0..<4).map { _ in try PostgresAddress.unused() }, list: [], random: SplitMix64(seed: seed))
        world.list = world.newList()
        try Self.fill(world.open(world.list), &world.random)
        let before = try Self.contents(of: world.open(world.list))

        for _ in 0..<2 {
            let new = world.newList()
            try Self.move(&world, to: new)
            world.list = new
            #expect(try Self.contents(of: world.open(new)) == before)
            try Self.expectOnePlace(of: world)
            for list in MapTests.lists(of: 4, upTo: 2) where list != new && !Set(list).isDisjoint(with: new) {
                #expect(!world.starts(list), "\(list), not \(new)")
            }
        }
    }

    /// Moves the rooms, with interruptions. No server starts meanwhile.
    private static func move(_ world: inout World, to new: [Int]) throws {
        while true {
            let reshard = try Reshard(from: world.addresses(world.list), to: world.addresses(new))
            var (isMarked, isDone) = (false, false)
            for _ in 0..<Int.random(in: 0..<60, using: &world.random) {
                switch try reshard.step() {
                case .planned, .moved: break
                case .recorded: isMarked = true
                case .done: isDone = true
                }
            }
            if isDone { return }
            guard isMarked else { continue }
            #expect(!world.starts(world.list) || new == world.list, "\(world.list) to \(new)")
            #expect(throws: RoomStoreError.self, "another list") {
                let other = new == [0] ? [1] : [0]
                _ = try Reshard(from: world.addresses(world.list), to: world.addresses(other)).step()
            }
        }
    }

    private static func fill(_ store: ShardedStore, _ random: inout SplitMix64) throws {
        var number: UInt64 = 0
        let deliveries = try store.deliveries(part: 0)
        for room in rooms {
            for user in people.shuffled(using: &random).prefix(3) {
                _ = try store.commit([.act(number + 100_000, .join, by: user, in: room)])
                number += 1
            }
            for _ in 0..<Int.random(in: 1..<12, using: &random) {
                let author = people.randomElement(using: &random)!
                _ = try store.commit([.send(number, "text \(number) \"\\ \n 👍", by: author, to: room)])
                let target = id(number)
                let more: [RoomAction] = [
                    .edit(target, "edited"), .delete(target), .react(target, emoji: "👍", .on),
                    .moderate(.mute(people[1], for: 60_000)), .moderate(.slowMode(5_000)),
                ]
                let action = more.randomElement(using: &random)!
                _ = try store.commit(
                    [.act(number + 200_000, action, by: author, as: .own, in: room)],
                    marking: [ReadMark(room: room, user: author, revision: .random(in: 0..<9, using: &random))])
                number += 1
            }
        }
        _ = try store.write(
            people.map { user in
                ProfileChange(
                    user: user, profile: Profile(name: DisplayName("Name of \(user)"), picture: nil),
                    source: .operator(5))
            })
        let plan = LaterItem.Plan(.send("later"), in: lobby, at: 7)
        _ = try store.write(people.map { LaterChange(user: $0, id: .random(), .put(plan, .write)) }, most: 9)
        let block = StoredBlock(user: people[0], room: lobby, time: 7)
        _ = try store.write(people.map { BlockChange(user: $0, block, isOn: true) }, most: 9)
        withExtendedLifetime(deliveries) {}
    }

    private static func contents(of store: ShardedStore) throws -> [RoomName: Contents] {
        let profiles = try store.profiles(of: people)
        #expect(profiles.count == people.count)
        #expect(try store.later(of: people).count == people.count)
        #expect(try store.nextLater(limit: 1_000).count == people.count)
        for part in store.divisions { #expect(try part.blocks(of: people).count == people.count) }
        var contents: [RoomName: Contents] = [:]
        for summary in try store.rooms(after: nil, limit: 1_000) {
            let room = summary.name
            contents[room] = Contents(
                reading: try store.read(room, tail: 100, since: 0, atMost: 1_000),
                operations: try store.operations(room, since: 0, limit: 1_000),
                memberships: try store.memberships(of: people, in: room),
                audit: try store.audit(room, before: 1_000, limit: 1_000),
                standing: try store.standing(of: people[1], in: room), delivered: nil)
        }
        #expect(contents.count == rooms.count)
        return contents
    }

    /// Every row of every table is in the database that the list says, and nowhere else.
    private static func expectOnePlace(of world: World) throws {
        let partition = Partition(parts: world.list.count)
        for (index, address) in world.databases.enumerated() {
            let database = try MapTests.database(address)
            let part = world.list.firstIndex(of: index)
            guard
                try database.connection.run([.run("SELECT to_regclass('parts') IS NOT NULL")])[0].rows[0].bytes(0) == [
                    1
                ]
            else { continue }
            for named in PartDatabase.Named.allCases {
                let names = try database.names(of: named, after: "")
                #expect(names.allSatisfy { partition.part(of: $0) == part }, "\(address.schema)")
            }
            for row in try database.connection.run([.run(RoomMove.tablesOfRooms)])[0].rows {
                let sql = "SELECT count(*) FROM \(row.text(0)) WHERE room <> 0 AND room NOT IN (SELECT id FROM rooms)"
                #expect(try database.connection.run([.run(sql)])[0].rows[0].integer(0) == 0, "\(row.text(0))")
            }
        }
    }

    /// A later table with rows of rooms is moved too, if its column is called `room`.
    @Test func everyTableIsOfRoomsOrOfTheDatabase() throws {
        let address = try PostgresAddress.unused()
        _ = try PostgresStore(address)
        let database = try MapTests.database(address)

        let moved = try database.connection.run([.run(RoomMove.tablesOfRooms)])[0].rows.map { $0.text(0) }
        let all = try database.connection.run([
            .run("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")
        ])[0].rows.map { $0.text(0) }

        let own = ["store", "servers", "witnesses", "lessees", "parts"]
        #expect(Set(moved + ["rooms", "profiles", "drafts", "later", "blocks"] + own) == Set(all))
    }

    @Test func itRefusesWhileAServerRuns() throws {
        let all = [try PostgresAddress.unused(), try PostgresAddress.unused()]
        let server = try PostgresStore.open([all[0]])

        let refusal = #expect(throws: RoomStoreError.self) { try Reshard(from: [all[0]], to: all).step() }

        #expect(String(describing: refusal).contains("1 servers run on"))
        // Nothing was marked.
        _ = try PostgresStore.open([all[0]])
        withExtendedLifetime(server) {}
    }

    /// A server that was frozen for longer than its lease goes on as if nothing had happened.
    @Test func aServerThatWasFrozenMeanwhileWritesNothing() throws {
        let world = World(
            databases: [try .unused(), try .unused()], list: [0], random: SplitMix64(seed: 1))
        let frozen = try world.open([0])
        _ = try frozen.commit([.send(1)])
        let reshard = try Reshard(from: world.addresses([0]), to: world.addresses([0, 1]))
        while try reshard.step() != .done {}

        let late = #expect(throws: RoomStoreError.self) { try frozen.commit([.send(2)]) }
        let read = #expect(throws: RoomStoreError.self) { try frozen.read(lobby, tail: 1, since: nil, atMost: 0) }

        for error in [late, read] { #expect(String(describing: error).contains("the rooms were moved")) }
        #expect(try world.open([0, 1]).read(lobby, tail: 9, since: nil, atMost: 0).tail.map(\.id) == [id(1)])
    }

    @Test func aRoomInTwoDatabasesIsNamedBeforeAnythingIsMoved() throws {
        let all = [try PostgresAddress.unused(), try PostgresAddress.unused()]
        var patience = PostgresStore.Patience()
        patience.lease = .zero
        for (number, address) in all.enumerated() {
            _ = try PostgresStore(address, patience: patience).commit([.send(UInt64(number))])
        }

        let refusal = #expect(throws: RoomStoreError.self) { try Reshard(from: all, to: all).step() }

        #expect(String(describing: refusal).contains("'\(lobby)' is in"))
        #expect(try all.allSatisfy { try MapTests.database($0).records() == PartRecords() })
    }

    /// What a webhook has not been told yet is told after the move, and nothing twice.
    @Test(arguments: [[], [0], [1], [0, 1]]) func webhooksGoOn(begun: [Int]) throws {
        let world = World(
            databases: [try .unused(), try .unused()], list: [0, 1], random: SplitMix64(seed: 1))
        var expected: [RoomName: Revision] = [:]
        do {
            let store = try world.open([0, 1])
            _ = try store.commit(Self.rooms.enumerated().map { .send(UInt64($0), to: $1) })
            for part in begun { _ = try store.deliveries(part: part) }
            _ = try store.commit(Self.rooms.enumerated().map { .send(UInt64($0) + 1_000, to: $1) })
            for room in Self.rooms { expected[room] = begun.contains(store.part(of: room)) ? 1 : 2 }
        }
        let reshard = try Reshard(from: world.addresses([0, 1]), to: world.addresses([1]))
        while try reshard.step() != .done {}

        let states = try #require(try world.open([1]).deliveries(part: 0)).states(after: nil, limit: 1_000)

        let found = Dictionary(uniqueKeysWithValues: states.map { ($0.room, $0.delivered) })
        #expect(found == (begun.isEmpty ? expected.mapValues { _ in 2 } : expected))
    }
}
