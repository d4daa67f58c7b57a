import ChatWire
import Replicas
import TestSupport
import Testing

@testable import ChatRoom

/// The rows of a list that shows the newest rooms only, beside a list of the same rooms that shows all.
@Suite struct InboxWindowTests {
    private static let rooms = (0..<40).map { RoomName("r\($0)")! }
    private struct NoSnapshot: Error {}

    /// The rooms of one person, and two lists of them.
    private struct World {
        var random: SplitMix64
        var places: [RoomName: Inbox.Place] = [:]
        var lights: [RoomName: MyRoom.Light] = [:]
        /// The rooms that were read for the list that shows the newest.
        var known: Set<RoomName> = []
        /// Those that are to be read.
        var asked: Set<RoomName> = []
        var some: Inbox
        var all: Inbox
        var now: Milliseconds = 1

        init(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let limit = [1, 2, 5, 30, 60].randomElement(using: &random)!
            var start: [(room: RoomName, place: Inbox.Place)] = []
            for room in rooms where Bool.random(using: &random) {
                start.append((room, Self.place(at: 1, &random)))
            }
            for (room, place) in start { places[room] = place }
            self.random = random
            some = Inbox(epoch: Epoch("some")!, tick: .zero, limit: limit, rooms: start)
            all = Inbox(epoch: Epoch("all")!, tick: .zero, limit: rooms.count, rooms: start)
            let world = self
            _ = all.commit(at: .zero) { world.entry($0) }
        }

        static func place(at time: Milliseconds, _ random: inout SplitMix64) -> Inbox.Place {
            let section = [MyRoom.Section.rooms, .rooms, .archived, .pinned, .invited].randomElement(using: &random)!
            return Inbox.Place(
                section: section, pinned: .random(in: 1...5, using: &random),
                activity: Inbox.Activity(joined: .random(in: 1...time, using: &random), said: .none))
        }

        /// Something happens in a room. A list that has not read it learns it when it has.
        mutating func change() {
            let room = rooms.randomElement(using: &random)!
            now += 1
            switch Int.random(in: 0..<6, using: &random) {
            case 0: places[room] = nil
            case 1: places[room] = Self.place(at: now, &random)
            case 2: lights[room] = MyRoom.Light(unread: UInt64(now))
            default:
                guard let place = places[room] else { return }
                let activity = Inbox.Activity(joined: place.activity.joined, said: ActivityStamp(of: now / 4))
                places[room] = Inbox.Place(section: place.section, pinned: place.pinned, activity: activity)
            }
            some.touch(room)
            all.touch(room)
        }

        mutating func read() {
            for room in asked.sorted() where Bool.random(using: &random) {
                asked.remove(room)
                known.insert(room)
                some.touch(room)
                all.touch(room)
            }
        }

        func entry(_ room: RoomName) -> Inbox.Visibility {
            places[room].map { .entry(Inbox.Entry(place: $0, people: [], light: lights[room] ?? .init())) } ?? .gone
        }

        mutating func commit() -> ListDiff<MyRoom>? {
            let (known, world) = (known, self)
            let visibility = { (room: RoomName) -> Inbox.Visibility in
                let visibility = world.entry(room)
                if case .entry = visibility, !known.contains(room) { return .unknown }
                return visibility
            }
            let outcome = some.commit(at: .zero, visibility)
            for room in outcome.spare { self.known.remove(room) }
            asked = Set(outcome.unread)
            _ = all.commit(at: .zero, visibility)
            return outcome.diff
        }

        /// The newest rows of the list that shows all.
        func expected(of rows: [MyRoom]) -> [MyRoom] {
            MyRoom.Section.allCases.flatMap { section in
                let rows = rows.filter { $0.section == section }
                return section == .rooms || section == .archived ? rows.suffix(some.limit) : rows
            }
        }
    }

    private static func snapshot(_ inbox: Inbox) throws -> ListSnapshot<MyRoom> {
        var inbox = inbox
        guard case .snapshot(let snapshot, _, _) = inbox.subscribe(Reader(1), nil) else { throw NoSnapshot() }
        return snapshot
    }

    private static func texts(_ rows: [MyRoom]) -> [String] {
        rows.map { "\($0.id) \($0.section) \($0.sort) \($0.light)" }
    }

    @Test(arguments: UInt64(0)..<100)
    func aWindowHasTheNewestRowsOfTheWholeList(seed: UInt64) throws {
        var world = World(seed: seed)
        let first = try Self.snapshot(world.some)
        var replica = try Replica(.init(epoch: world.some.epoch, joined: 0, why: .fresh, snapshot: first))
        for _ in 0..<30 {
            for _ in 0..<Int.random(in: 0...4, using: &world.random) { world.change() }
            if Int.random(in: 0..<10, using: &world.random) == 0 {
                world.some.limit = Int.random(in: 1...12, using: &world.random)
            }
            while true {
                if let diff = world.commit() { try replica.apply(diff, epoch: world.some.epoch) }
                let fresh = try Self.snapshot(world.some)
                try #require(replica.rows == fresh.rows)
                if world.asked.isEmpty { break }
                world.read()
            }
            let whole = try Self.snapshot(world.all)
            let expected = Self.texts(world.expected(of: whole.rows))
            try #require(world.some.isReady && world.some.isSettled)
            try #require(Self.texts(replica.rows) == expected)
            try #require(replica.counts == whole.counts)
            try #require(world.known.isSubset(of: world.some.needed))
        }
    }
}
