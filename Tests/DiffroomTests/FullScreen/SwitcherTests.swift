import ChatWire
import TerminalUI
import Testing

@testable import diffroom

/// The choice of a room by typing.
@Suite struct SwitcherTests {
    private let choices = ["tea", "Team-A", "lobby", "steam"].compactMap { RoomName($0) }
        .map { Switcher.Choice(room: $0) }

    /// Presses keys, a text letter by letter, and returns what the last one leads to.
    private func press(_ switcher: inout Switcher, _ text: String = "", _ keys: Key...) -> Switcher.Outcome {
        (text.map { .text(String($0)) } + keys).reduce(.stay) { switcher.press($1, among: choices) }
    }

    private func names(_ switcher: Switcher) -> [String] {
        switcher.found(in: choices).map(\.room.description)
    }

    @Test func allRoomsStandInTheirOrderBeforeAnythingIsTyped() {
        var switcher = Switcher()

        #expect(names(switcher) == ["tea", "Team-A", "lobby", "steam"])
        #expect(press(&switcher, "", .named(.down), .named(.down), .named(.enter)) == .open(choices[2].room))
    }

    @Test func namesThatBeginWithWhatIsTypedComeFirstThenThoseThatHaveIt() {
        var switcher = Switcher()
        _ = press(&switcher, "#TEAM")

        #expect(names(switcher) == ["Team-A", "steam", "TEAM"])
        #expect(press(&switcher, "", .named(.enter)) == .open(choices[1].room))
    }

    @Test func anotherRoomCanBeNamedAndWhatIsNoNameIsNotOffered() throws {
        var switcher = Switcher()
        #expect(press(&switcher, "attic", .named(.enter)) == .open(try #require(RoomName("attic"))))

        var wrong = Switcher()
        #expect(press(&wrong, "no/room", .named(.enter)) == .stay)
        #expect(names(wrong) == [])
    }

    @Test func theFocusStaysAmongThoseFoundAndGoesToTheFirstWhenMoreIsTyped() {
        var switcher = Switcher()
        _ = press(&switcher, "", .named(.up), .named(.down), .named(.down), .named(.down), .named(.down))
        #expect(switcher.place == 3)

        _ = press(&switcher, "te")
        #expect(switcher.place == 0)
        #expect(press(&switcher, "", .named(.tab), .named(.enter)) == .open(choices[1].room))
    }

    @Test(arguments: [Key.named(.escape), .control("c"), .control("k")])
    func itIsLeftWithoutAChoice(key: Key) {
        var switcher = Switcher()

        #expect(press(&switcher, "tea", key) == .cancel)
    }

    @Test(arguments: [(22, 60), (5, 100), (2, 20), (1, 3)])
    func itFitsTheWindowAndTheFocusIsInIt(rows: Int, columns: Int) throws {
        let many = try (0..<40).map { number in
            Switcher.Choice(
                room: try #require(RoomName("room-\(number)")), unread: UInt64(number) * 1_000, note: "ann: 漢字 \n👍")
        }
        var switcher = Switcher()
        for place in 0..<40 {
            let lines = switcher.lines(many, size: Frame.Size(rows: rows, columns: columns))
            #expect(lines.count == rows && lines.allSatisfy { $0.width == columns })
            if rows > 1, columns >= 20 { #expect(lines.contains { $0.text.contains("▌ room-\(place) ") }) }
            _ = switcher.press(.named(.down), among: many)
        }
    }
}
