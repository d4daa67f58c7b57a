import ChatClient
import ChatWire
import TerminalUI
import Testing

@testable import diffroom

/// The choice of a room by typing.
@Suite struct SwitcherTests {
    private let choices = ["tea", "Team-A", "lobby", "steam"].compactMap { RoomName($0) }
        .map { Switcher.Choice(RoomLabel($0)) }

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

    @Test func roomsAreFoundByTheirTitlesAndPeople() throws {
        let plans = try #require(RoomName("~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2"))
        let pair = try #require(RoomName("@97049da5464956062d0e94be5f061ee5"))
        let people = ["bob", "Cid Lee"].compactMap { UserName($0) }
        let choices = [
            Switcher.Choice(RoomLabel(plans, title: RoomTitle("Plans for May"))),
            Switcher.Choice(RoomLabel(pair, people: people)),
            Switcher.Choice(RoomLabel(try #require(RoomName("tea")), title: RoomTitle("Coffee"))),
        ]

        for (typed, found) in [
            ("plans f", plans), ("MAY", plans), ("cid l", pair), ("coff", choices[2].room), ("tea", choices[2].room),
        ] {
            var switcher = Switcher()
            for letter in typed { _ = switcher.press(.text(String(letter)), among: choices) }
            #expect(switcher.press(.named(.enter), among: choices) == .open(found), "\(typed)")
        }
    }

    /// The digits of its name say nothing, so they are not searched.
    @Test func aRoomIsNotFoundByWhatNobodySees() throws {
        let plans = try #require(RoomName("~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2"))
        let choices = [Switcher.Choice(RoomLabel(plans, title: RoomTitle("Plans")))]
        var switcher = Switcher()
        _ = switcher.press(.text("d3c6"), among: choices)

        #expect(switcher.found(in: choices).map(\.room) == [try #require(RoomName("d3c6"))])
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
                RoomLabel(try #require(RoomName("room-\(number)"))), unread: UInt64(number) * 1_000,
                note: "ann: 漢字 \n👍")
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
