import ChatWire
import TestSupport
import Testing

@testable import ChatRoom

/// The places of the rooms in a person's list.
@Suite struct InboxTests {
    private let rooms = (0..<300).map { RoomName("room-\($0)")! }

    @Test func roomsOfOneTimeStandInTheOrderOfTheirNamesAndALaterOneBehindThem() {
        var inbox = Inbox(epoch: Epoch("e")!, tick: .zero, limit: 300)
        for room in rooms.shuffled() { show(room, at: room == rooms[0] ? 2 : 1, in: &inbox) }

        let (rows, first) = (rows(of: inbox), ActivityStamp(of: 1).sort)
        #expect(rows.map(\.id) == rooms.dropFirst().sorted() + [rooms[0]])
        #expect(rows.dropLast().allSatisfy { (first..<first + 1 << 11).contains($0.sort) })
        #expect(rows.last.map { $0.sort >= ActivityStamp(of: 2).sort } == true)
    }

    private func show(_ room: RoomName, at time: Milliseconds, in inbox: inout Inbox) {
        inbox.touch(room)
        _ = inbox.commit(at: .zero) { _ in .entry(entry(joined: 0, said: ActivityStamp(of: time), in: .rooms)) }
    }

    private func entry(
        joined: Milliseconds, said: ActivityStamp, in section: MyRoom.Section
    ) -> Inbox.Entry {
        Inbox.Entry(
            place: Inbox.Place(
                section: section, pinned: nil, activity: Inbox.Activity(joined: joined, said: said)),
            people: [], light: MyRoom.Light())
    }

    /// Whatever came in which order, and however many rooms are of one time: an old list is that of a server which has just
    /// begun. Places are unique in the whole list.
    @Test(arguments: UInt64(0)..<100)
    func anOldListHasThePlacesOfANewOne(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var old = Inbox(epoch: Epoch("e")!, tick: .zero, limit: 300)
        var entries: [RoomName: Inbox.Entry] = [:]
        var said: [RoomName: ActivityStamp] = [:]
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let room = rooms[Int.random(in: 0..<8, using: &random)]
                entries[room] = moved(entries[room], &said[room, default: .none], using: &random)
                old.touch(room)
            }
            _ = old.commit(at: .zero) { room in entries[room].map { .entry($0) } ?? .gone }
            var new = Inbox(
                epoch: Epoch("e")!, tick: .zero, limit: 300, rooms: entries.map { ($0.key, $0.value.place) })
            _ = new.commit(at: .zero) { room in entries[room].map { .entry($0) } ?? .gone }

            let rows = rows(of: old)
            #expect(Self.texts(rows) == Self.texts(self.rows(of: new)))
            #expect(Set(rows.map(\.sort)).count == rows.count && rows.count == entries.count)
            #expect(zip(rows, rows.dropFirst()).allSatisfy { ($0.section, $0.sort) < ($1.section, $1.sort) })
        }
    }

    /// A room comes, goes, is archived, something is said in it, or its person has left and come again.
    private func moved(
        _ entry: Inbox.Entry?, _ said: inout ActivityStamp, using random: inout SplitMix64
    ) -> Inbox.Entry? {
        let joined = Milliseconds.random(in: 1...3, using: &random)
        guard let place = entry?.place else { return self.entry(joined: joined, said: said, in: .rooms) }
        let section = place.section
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return nil
        case 1: return self.entry(joined: joined, said: said, in: section)
        case 2: return self.entry(joined: place.activity.joined, said: said, in: section == .rooms ? .archived : .rooms)
        case 3: return self.entry(joined: joined, said: said, in: .invited)
        default:
            said = ActivityStamp(known: said.rawValue + .random(in: 1...300, using: &random))!
            return self.entry(joined: place.activity.joined, said: said, in: section)
        }
    }

    /// A list hears of its rooms one after the other, and may look at one before that: because a room of the same time has
    /// gone from before it, or because there is a row for it now. Such a row is of before or of after, and never half.
    @Test(arguments: UInt64(0)..<100)
    func aRowNeverShowsMoreThanItsPlaceDoes(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var inbox = Inbox(epoch: Epoch("e")!, tick: .zero, limit: .random(in: 2...8, using: &random))
        var entries: [RoomName: Inbox.Entry] = [:]
        var untold: Set<RoomName> = []
        for moment in 1...100 {
            let room = rooms[Int.random(in: 0..<8, using: &random)]
            let section = [MyRoom.Section.rooms, .rooms, .archived].randomElement(using: &random)!
            let time = Milliseconds((moment + 9) / 10)
            entries[room] = Inbox.Entry(
                place: Inbox.Place(
                    section: section, pinned: nil,
                    activity: Inbox.Activity(joined: 1, said: ActivityStamp(of: time))),
                people: [], light: MyRoom.Light(unread: UInt64(time)))
            untold.insert(room)
            for room in untold.sorted() where Bool.random(using: &random) {
                untold.remove(room)
                inbox.touch(room)
            }
            _ = inbox.commit(at: .zero) { room in entries[room].map { .entry($0) } ?? .gone }

            for row in rows(of: inbox) {
                let said = ActivityStamp(of: Milliseconds(row.light.unread))
                try #require(row.sort >= said.sort, "\(row.id) at \(moment)")
            }
        }
    }

    private static func texts(_ rows: [MyRoom]) -> [String] { rows.map { "\($0.id) \($0.section) \($0.sort)" } }

    private func rows(of inbox: Inbox) -> [MyRoom] {
        var inbox = inbox
        let reader = Reader(1)
        guard case .snapshot(let snapshot, _, _) = inbox.subscribe(reader, nil) else { return [] }
        return snapshot.rows
    }
}
