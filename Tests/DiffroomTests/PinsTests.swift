import ChatWire
import TestSupport
import Testing

@testable import diffroom

/// The places of pinned rooms.
@Suite struct PinsTests {
    /// Somebody's pinned rooms, as the server keeps them: of those with one place all but the first by name get the next
    /// free ones.
    private struct Held {
        private var places: [RoomName: UInt64] = [:]

        var rooms: [MyRoom] {
            var last: UInt64 = 0
            return places.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map { room, place in
                last = max(last + 1, place)
                return MyRoom(id: room, section: .pinned, sort: last, rev: 1)
            }
        }

        mutating func pin(_ room: RoomName, _ wanted: UInt64) {
            #expect(SettingsChange.places.contains(wanted))
            places[room] = wanted
        }

        mutating func unpin(_ room: RoomName) { places[room] = nil }
    }

    /// Some live in a narrow place, at the beginning or at the end of all places.
    @Test(arguments: UInt64(0)..<60)
    func roomsStandWhereTheyWereBrought(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let names = try (0..<12).map { try #require(RoomName("room-\($0)")) }
        var held = Held()
        for place in 0..<seed % 4 { held.pin(names[Int(place)], place % 2 + 1) }
        for place in 0..<seed % 3 { held.pin(names[Int(place) + 5], SettingsChange.places.upperBound) }
        var model = held.rooms.map(\.id)

        for _ in 0..<300 {
            let room = names[Int.random(in: 0..<names.count, using: &random)]
            let index = Bool.random(using: &random) ? Int.random(in: 0...model.count + 1, using: &random) : 1
            let isPinned = Int.random(in: 0..<8, using: &random) > 0
            let pins = Pins(rooms: held.rooms).bringing(room, to: index > model.count ? nil : index)
            model.removeAll { $0 == room }
            if isPinned {
                model.insert(room, at: min(index, model.count))
                #expect(Set(pins.map(\.room)).count == pins.count && pins.contains { $0.room == room })
                for pin in pins { held.pin(pin.room, pin.place) }
            } else {
                held.unpin(room)
            }
            #expect(held.rooms.map(\.id) == model)
        }
    }

    @Test func aRoomThatIsPinnedStandsAtTheEnd() throws {
        let (tea, lobby) = (try #require(RoomName("tea")), try #require(RoomName("lobby")))
        let rooms = [MyRoom(id: tea, section: .pinned, sort: 7, rev: 1)]

        #expect(Pins(rooms: []).bringing(tea, to: nil) == [Pins.Pin(room: tea, place: Pins.step)])
        #expect(Pins(rooms: rooms).bringing(lobby, to: nil) == [Pins.Pin(room: lobby, place: 7 + Pins.step)])
        #expect(Pins(rooms: rooms).bringing(lobby, to: 0) == [Pins.Pin(room: lobby, place: 3)])
    }
}
