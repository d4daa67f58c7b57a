import ChatWire
import Replicas
import TestSupport
import Testing

@testable import ChatRoom

/// A reader that holds more rows than it can name is brought to another list of the same rooms by its sums.
struct RowSumsTests {
    private static let epoch = Epoch("e")!

    @Sendable private static func tag(of row: MyRoom) -> UniqueID? {
        UniqueID(high: row.sort, low: row.light.unread)
    }

    /// Makes a list of rooms, each with its sort key and its number of unread messages.
    private func list(_ rooms: [String: (sort: UInt64, unread: UInt64)], steps: Int = 1) -> VersionedList<MyRoom> {
        var list = VersionedList<MyRoom>(tagging: Self.tag)
        for (number, room) in rooms.sorted(by: { $0.key < $1.key }).enumerated() {
            list.show(
                MyRoom(
                    id: RoomName(room.key)!, section: .rooms, sort: room.value.sort, rev: 0, people: [],
                    light: MyRoom.Light(unread: room.value.unread)))
            if (number + 1) % max(1, rooms.count / steps) == 0 { _ = list.commit() }
        }
        _ = list.commit()
        return list
    }

    private func replica(of list: VersionedList<MyRoom>, at revision: Revision? = nil) throws -> Replica<MyRoom> {
        var snapshot = list.snapshot
        if let revision { snapshot.revision = revision }
        return try Replica(epoch: Epoch("before")!, joined: 1, snapshot)
    }

    private func rooms(_ count: Int, using random: inout SplitMix64) -> [String: (sort: UInt64, unread: UInt64)] {
        let keys = (1...UInt64(count)).shuffled(using: &random)
        return Dictionary(
            uniqueKeysWithValues: keys.enumerated().map {
                ("room-\($0)", ($1, UInt64.random(in: 0...2, using: &random)))
            })
    }

    @Test(arguments: UInt64(0)..<40)
    func whateverHasChangedTheReplicaBecomesTheList(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var rooms = rooms(501 + Int(seed) * 7, using: &random)
        var held = try replica(of: list(rooms, steps: .random(in: 1...3, using: &random)), at: 77)
        let changed = Int.random(in: 0...8, using: &random)
        for number in 0..<changed {
            let name = "room-\(Int.random(in: 0..<rooms.count, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0: rooms[name] = nil
            case 1: rooms["new-\(number)"] = (100_000 + UInt64(number), 1)
            case 2: rooms[name]?.sort = 200_000 + UInt64(number)
            default: rooms[name]?.unread += 3
            }
        }
        let now = list(rooms, steps: .random(in: 1...2, using: &random))
        let resume = held.resume()
        #expect(resume.rows == nil && resume.sums != nil)

        guard case .diff(let diff, _) = ListDelivery(to: resume, of: now, Self.epoch) else {
            // Much of the list may have come at another revision.
            return
        }
        try held.apply(diff, epoch: Self.epoch)

        #expect(held.rows.map(\.id) == now.rows.map(\.id) && held.rows == now.rows)
        #expect(diff.groups?.count ?? .max <= 2 * changed && diff.deletions.isEmpty)
    }

    @Test func aReaderThatLacksNothingGetsNoRow() throws {
        var random = SplitMix64(seed: 1)
        let rooms = rooms(2_000, using: &random)
        var held = try replica(of: list(rooms), at: 9)

        guard case .diff(let diff, _) = ListDelivery(to: held.resume(), of: list(rooms), Self.epoch) else {
            Issue.record("a snapshot")
            return
        }
        try held.apply(diff, epoch: Self.epoch)

        #expect(diff.groups == [] && diff.changeCount == 0 && diff.kept == 1)
    }

    /// 2,000 rooms of which 3 have changed, in bytes: about 8 kB are sent, and a few rows for each changed one come.
    @Test func threeChangesAmongTwoThousandRoomsCostAFewRows() throws {
        var random = SplitMix64(seed: 2)
        var rooms = rooms(2_000, using: &random)
        let held = try replica(of: list(rooms), at: 9)
        for name in ["room-5", "room-700", "room-1999"] { rooms[name]?.unread += 1 }
        let now = list(rooms)

        let resume = held.resume()
        guard case .diff(let diff, _) = ListDelivery(to: resume, of: now, Self.epoch) else {
            Issue.record("a snapshot")
            return
        }
        let asked = ClientFrame(ref: 1, request: .subscribe(.myRooms, limit: 5_000, resume: resume)).json.count
        let answer = ServerFrame.diff(ref: 1, .myRooms, Self.epoch, diff).json.count
        let snapshot = ServerFrame.Snapshot(epoch: Self.epoch, joined: 1, why: .epoch, snapshot: now.snapshot)
        let before = ServerFrame.snapshot(ref: 1, .myRooms, snapshot).json.count

        print("2,000 rooms, 3 changed: \(asked) bytes asked, \(answer) bytes answered; a snapshot has \(before)")
        #expect(diff.insertions.count < 60)
        #expect(asked < 9_000 && answer * 20 < before)
    }

    @Test func aListWithoutTagsIsSentWhole() throws {
        var list = VersionedList<MyRoom>()
        list.show(MyRoom(id: RoomName("lobby")!, section: .rooms, sort: 1, rev: 0, people: [], light: .init(unread: 0)))
        _ = list.commit()
        let resume = Resume(
            epoch: Epoch("before")!, revision: 9, joined: 1, sums: RowSums(of: [MyRoom]()))

        guard case .snapshot(_, .epoch, _) = ListDelivery(to: resume, of: list, Self.epoch) else {
            Issue.record("a diff")
            return
        }
    }
}
