import ChatWire
import Replicas
import TestSupport
import Testing

@testable import ChatRoom

/// A reader that names its rows by their tags is brought to another list of the same rooms by the rows that differ.
@Suite struct RowTagTests {
    private static let rooms = (0..<30).map { RoomName("room-\($0)")! }

    /// The rooms of a person, as every list of them has to show them.
    private struct World {
        var random: SplitMix64
        var entries: [RoomName: Inbox.Entry] = [:]
        private var number: UInt64 = 0

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        /// Changes a room.
        mutating func step() -> RoomName {
            let room = rooms.randomElement(using: &random)!
            guard let old = entries[room], !chance(0.2) else {
                entries[room] = entries[room] == nil ? entry(said: true) : nil
                return room
            }
            entries[room] = entry(of: old, said: chance(0.5))
            return room
        }

        private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

        private mutating func entry(of old: Inbox.Entry? = nil, said: Bool) -> Inbox.Entry {
            if said { number += 1 }
            let section = MyRoom.Section.allCases.randomElement(using: &random)!
            let light = MyRoom.Light(unread: .random(in: 0..<3, using: &random), isMuted: chance(0.2))
            let place = Inbox.Place(
                section: section, pinned: section == .pinned ? .random(in: 0..<40, using: &random) : nil,
                activity: said
                    ? Inbox.Activity(joined: 0, said: ActivityStamp(of: Milliseconds(number))) : old!.place.activity)
            return Inbox.Entry(place: place, people: [], light: light)
        }

        /// Makes a list of all that is there.
        func inbox(_ epoch: String) -> Inbox {
            var inbox = Inbox(epoch: Epoch(epoch)!, tick: .zero, limit: rooms.count, tagging: tag)
            for room in rooms { inbox.touch(room) }
            commit(&inbox)
            return inbox
        }

        func commit(_ inbox: inout Inbox) {
            _ = inbox.commit(at: .zero) { entries[$0].map { .entry($0) } ?? .gone }
        }
    }

    /// Equal for equal places and contents only: the text has all of them.
    @Sendable private static func tag(of row: MyRoom) -> UniqueID? {
        var (high, low) = (FNVHash(), FNVHash())
        high.mix("\(row.section) \(row.sort) \(row.light)")
        low.mix("\(row.light) \(row.sort) \(row.section)")
        return UniqueID(high: UInt64(high.value), low: UInt64(low.value))
    }

    @Test(arguments: UInt64(0)..<200)
    func theDiffLeadsFromAnyListToAnother(seed: UInt64) throws {
        var world = World(seed: seed)
        for _ in 0..<Int.random(in: 1...60, using: &world.random) { _ = world.step() }
        var inbox = world.inbox("0")
        guard case .snapshot(let snapshot, _, let joined) = inbox.subscribe(Reader(0), nil) else {
            Issue.record("no snapshot")
            return
        }
        var replica = try Replica(epoch: inbox.epoch, joined: joined, snapshot)

        for number in 1...10 {
            let before = replica.rows
            for _ in 0..<Int.random(in: 0...5, using: &world.random) { _ = world.step() }
            inbox = world.inbox("\(number)")
            // Others have followed it for a while.
            for _ in 0..<Int.random(in: 0...3, using: &world.random) {
                inbox.touch(world.step())
                world.commit(&inbox)
            }
            let delivery = inbox.subscribe(Reader(0), replica.rows.isEmpty ? nil : replica.resume())
            switch delivery {
            case .diff(let diff, _):
                try replica.apply(diff, epoch: inbox.epoch)
                check(diff, from: before, to: replica.rows)
            case .snapshot(let snapshot, _, let joined):
                #expect(before.isEmpty)
                replica = try Replica(epoch: inbox.epoch, joined: joined, snapshot)
            }
            guard case .snapshot(let right, _, _) = inbox.subscribe(Reader(1), nil) else { return }
            #expect(replica.rows == right.rows)
            #expect((replica.epoch, replica.revision) == (inbox.epoch, right.revision))
        }
    }

    /// A reader of a list that its server has forgotten, and that has another epoch or by chance the same.
    @Test(arguments: ["same", "other"])
    func aRevisionThatTheListHasNotReachedIsAnsweredByWhatIsKept(epoch: String) throws {
        var world = World(seed: 1)
        for _ in 0..<20 { _ = world.step() }
        var inbox = world.inbox("same")
        guard case .snapshot(let snapshot, _, let joined) = inbox.subscribe(Reader(0), nil) else {
            Issue.record("no snapshot")
            return
        }
        var ahead = snapshot
        ahead.revision += 1_000
        var replica = try Replica(epoch: Epoch(epoch)!, joined: joined, ahead)
        inbox.touch(world.step())
        world.commit(&inbox)

        guard case .diff(let diff, _) = inbox.subscribe(Reader(0), replica.resume()) else {
            Issue.record("no diff")
            return
        }
        try replica.apply(diff, epoch: inbox.epoch)

        guard case .snapshot(let right, _, _) = inbox.subscribe(Reader(1), nil) else { return }
        #expect(diff.kept != nil && diff.from > diff.to && diff.insertions.count <= 1)
        #expect(replica.rows == right.rows && replica.revision == right.revision)
    }

    /// It names only rows that differ, or that were touched since the list was opened.
    private func check(_ diff: ListDiff<MyRoom>, from before: [MyRoom], to rows: [MyRoom]) {
        let held = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0.tag) })
        #expect(diff.kept != nil && diff.moves.isEmpty && diff.reconfigurations.isEmpty && diff.reloads.isEmpty)
        for row in diff.insertions { #expect(held[row.id] != row.tag || row.rev != diff.kept) }
        #expect(Set(diff.deletions) == Set(held.keys).subtracting(rows.map(\.id)))
    }
}
