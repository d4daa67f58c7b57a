import ChatWire
import TestSupport
import Testing

@testable import ChatRoom

/// The places of the rooms in a person's list.
@Suite struct InboxTests {
    private let rooms = (0..<300).map { RoomName("room-\($0)")! }

    @Test func roomsOfOneTimeStandOneAfterTheOtherAndALaterOneBehindThem() {
        var inbox = Inbox(epoch: Epoch("e")!, tick: .zero, limit: 300)
        show(rooms.dropFirst(), at: 1, in: &inbox)
        show(rooms.prefix(1), at: 2, in: &inbox)
        let places = (UInt64(1)..<300).map { $0 + (1 << 11) }

        #expect(rows(of: inbox).dropLast().map(\.sort) == places)
        #expect(rows(of: inbox).last?.id == rooms[0])
        #expect(rows(of: inbox).last?.sort == 2 << 11 + 1)
    }

    @Test func aRoomThatComesTakesTheFirstFreePlaceOfItsTime() {
        var inbox = Inbox(epoch: Epoch("e")!, tick: .zero, limit: 300)
        show(rooms[...], at: 1, in: &inbox)
        let left = rows(of: inbox)[100]
        inbox.touch(left.id)
        _ = inbox.commit(at: .zero) { _ in .gone }
        let new = RoomName("new")!

        show([new], at: 1, in: &inbox)

        #expect(rows(of: inbox)[100].id == new)
        #expect(rows(of: inbox)[100].sort == left.sort)
    }

    private func show(_ rooms: ArraySlice<RoomName>, at time: Milliseconds, in inbox: inout Inbox) {
        for room in rooms { inbox.touch(room) }
        _ = inbox.commit(at: .zero) { _ in .entry(entry(at: time, in: .rooms)) }
    }

    private func entry(at time: Milliseconds, in section: MyRoom.Section, number: UInt64 = 0) -> Inbox.Entry {
        Inbox.Entry(
            place: Inbox.Place(
                section: section, pinned: nil, activity: Inbox.Activity(time: time, number: number)),
            people: [], light: MyRoom.Light())
    }

    /// Places are unique in the whole list, and each section is in the order of its rooms' last activities.
    @Test(arguments: UInt64(0)..<50)
    func roomsOfBothSectionsHavePlacesOfTheirOwn(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var inbox = Inbox(epoch: Epoch("e")!, tick: .zero, limit: 300)
        var number: UInt64 = 0
        for _ in 0..<60 {
            let room = rooms[Int.random(in: 0..<8, using: &random)]
            let section: MyRoom.Section = Bool.random(using: &random) ? .rooms : .invited
            let time = Milliseconds(Int.random(in: 1...2, using: &random))
            if Bool.random(using: &random) { number += 1 }
            inbox.touch(room)
            _ = inbox.commit(at: .zero) { [number] _ in
                .entry(entry(at: time, in: section, number: number))
            }

            let rows = rows(of: inbox)
            #expect(Set(rows.map(\.sort)).count == rows.count)
            #expect(zip(rows, rows.dropFirst()).allSatisfy { ($0.section, $0.sort) < ($1.section, $1.sort) })
            #expect(rows.first { $0.id == room }?.section == section)
        }
    }

    private func rows(of inbox: Inbox) -> [MyRoom] {
        var inbox = inbox
        let reader = Reader(1)
        guard case .snapshot(let snapshot, _, _) = inbox.subscribe(reader, nil) else { return [] }
        return snapshot.rows
    }
}
