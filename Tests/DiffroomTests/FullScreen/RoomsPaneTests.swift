import ChatClient
import ChatWire
import TerminalUI
import Testing

@testable import diffroom

/// The column of the user's rooms.
@Suite struct RoomsPaneTests {
    private static let plans = "~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2"

    private func room(
        _ name: String, unread: UInt64 = 0, mentions: UInt64 = 0, title: String? = nil, people: [UserName] = [],
        last: String? = "hello", isMuted: Bool = false, isMarked: Bool = false, isTyping: Bool = false,
        isHere: Bool = false, by inviter: String? = nil, in section: MyRoom.Section = .rooms
    ) throws -> MyRoom {
        let author = try #require(UserName("bob"))
        let last = last.map { LastMessage(id: MessageID(high: 0, low: 1), author: author, time: 0, text: $0) }
        return MyRoom(
            id: try #require(RoomName(name)), section: section, sort: 1, rev: 1, people: people,
            light: .init(
                unread: unread, mentions: mentions, read: 1, inviter: inviter.flatMap { UserName($0) },
                title: title.flatMap { RoomTitle($0) }, isMuted: isMuted,
                isMarked: isMarked, last: last, isTyping: isTyping, isHere: isHere))
    }

    private func lines(
        _ rooms: [MyRoom], shown: String, isFollowed: Bool = true, counts: [MyRoom.Section: Int] = [:],
        isLive: Bool = true, rows: Int = 12, columns: Int = 24
    ) throws -> [String] {
        let pane = RoomsPane(
            invitations: rooms.filter { $0.section == .invited }, pinned: rooms.filter { $0.section == .pinned },
            rooms: rooms.filter { $0.section == .rooms }, archived: rooms.filter { $0.section == .archived },
            shown: RoomLabel(try #require(RoomName(shown))), isFollowed: isFollowed, counts: counts,
            isLive: isLive)
        let lines = pane.lines(size: Frame.Size(rows: rows, columns: columns))
        #expect(lines.count == rows && lines.allSatisfy { $0.width == columns && $0.text.hasSuffix("│") })
        return lines.map(\.text)
    }

    @Test func theNewestRoomIsOnTopWithWhatWasSaidLastAndWhatIsUnread() throws {
        let rooms = [try room("tea", unread: 1_204), try room("lobby", last: nil)]

        let lines = try lines(rooms, shown: "lobby")

        #expect(lines[0] == " tea             1,204 │")
        #expect(lines[1] == "  bob: hello           │")
        #expect(lines[2].hasPrefix("▌lobby"))
        #expect(lines[3].hasPrefix("  nothing said yet"))
    }

    @Test func roomsWithoutARowAreCountedAndMayBeTheOneShown() throws {
        let rooms = [try room("tea"), try room("put-away", in: .archived)]

        let lines = try lines(rooms, shown: "attic", counts: [.rooms: 40, .archived: 1_200])

        #expect(lines[0].hasPrefix("▌attic") && !lines.joined().contains("/join"))
        #expect(lines[1].hasPrefix("  find it: Ctrl-K"))
        #expect(lines[2].hasPrefix(" tea"))
        #expect(lines[4].hasPrefix("  and 39 more: Ctrl-K"))
        #expect(lines[5].hasPrefix("  Archived 1,200"))
    }

    @Test func mentionsStandBeforeWhatIsUnread() throws {
        #expect(try lines([try room("tea", unread: 14, mentions: 2)], shown: "lobby")[2] == " tea             @2 14 │")
    }

    @Test func whoWritesStandsInPlaceOfWhatWasSaidAndWhoIsThereBehindTheNameWhileThatIsKnown() throws {
        let tea = try room("tea", unread: 2, isMuted: true, isTyping: true, isHere: true)
        let rooms = [tea, try room("lobby", isHere: true)]

        let lines = try lines(rooms, shown: "lobby")
        let unknown = try self.lines(rooms, shown: "lobby", isLive: false)

        #expect(lines[0] == " tea ● ∅             2 │" && lines[1] == "  ✎ writing…           │")
        #expect(lines[2].hasPrefix("▌lobby ●") && lines[3].hasPrefix("  bob: hello"))
        #expect(unknown[0] == " tea ∅               2 │" && unknown[1] == "  bob: hello           │")
    }

    @Test func whatIsSeenAsItComesIsNotUnread() throws {
        let rooms = [try room("tea", unread: 3, mentions: 3)]

        #expect(try !lines(rooms, shown: "tea")[0].contains("3"))
        #expect(try lines(rooms, shown: "tea", isFollowed: false)[0].contains(" 3 │"))
    }

    @Test func aRoomThatOneOnlyReadsStandsAboveOnesOwn() throws {
        let lines = try lines([try room("tea")], shown: "attic")

        #expect(lines[0].hasPrefix("▌attic"))
        #expect(lines[1].hasPrefix("  not a member: /join"))
        #expect(lines[2].hasPrefix(" tea"))
    }

    @Test func aRoomIsCalledByItsTitleOrItsPeople() throws {
        let bob = try #require(UserName("bob"))
        let rooms = [
            try room(Self.plans, title: "Plans"), try room("@97049da5464956062d0e94be5f061ee5", people: [bob]),
        ]

        let lines = try lines(rooms, shown: Self.plans)

        #expect(lines[0].hasPrefix("▌Plans ") && lines[2].hasPrefix(" bob "))
    }

    @Test func invitationsStandAboveTheRoomsAndSayWhatCanBeDone() throws {
        let rooms = [try room("tea"), try room(Self.plans, unread: 9, title: "Plans", in: .invited)]

        let lines = try lines(rooms, shown: "tea")

        #expect(
            lines.prefix(5).map { String($0.dropLast()).trimmed } == [
                "Invited", "Plans", "/accept or /decline", "Rooms", "▌tea",
            ])
        #expect(try self.lines(rooms, shown: Self.plans)[1].hasPrefix("▌Plans"))
    }

    @Test func anInvitationSaysWhoInvitesAndTheAnswersIfTheyFit() throws {
        let rooms = [try room(Self.plans, title: "Plans", by: "ann", in: .invited)]
        let others = [try room(Self.plans, title: "Plans", by: String(repeating: "b", count: 64), in: .invited)]

        #expect(try lines(rooms, shown: "tea")[4] == "  by ann               │")
        #expect(try lines(rooms, shown: "tea", columns: 32)[4] == "  by ann: /accept or /decline  │")
        #expect(try lines(others, shown: "tea", columns: 32)[4].hasPrefix("  by bbbbbbbbbbbbbbbb"))
    }

    /// However many invite somebody, their own rooms stay in sight.
    @Test func manyInvitationsTakeHalfOfTheColumn() throws {
        let ids = (0..<40).map { number in "~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1\(number + 10)" }
        let rooms = [try room("tea")] + (try ids.map { try room($0, title: "room \($0.suffix(2))", in: .invited) })

        for rows in [8, 12, 30] {
            let lines = try lines(rooms, shown: ids[20], rows: rows)
            #expect(lines.contains { $0.hasPrefix("▌room 30") } && lines.contains { $0.hasPrefix(" tea") })
            #expect(lines.contains { $0.contains("more: Ctrl-K") })
        }
    }

    /// Returns the lines with one blank between words, without what was said last.
    private func texts(_ lines: [String]) -> [String] {
        lines.map { $0.dropLast().split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty && $0 != "bob: hello" }
    }

    @Test func pinnedRoomsStandAboveTheOthersAndOfThoseThatWerePutAwayTheNumber() throws {
        let rooms = [
            try room("lobby"), try room("tea", in: .pinned), try room("den", in: .pinned),
            try room("attic", unread: 9, in: .archived), try room("cellar", unread: 3, mentions: 1, in: .archived),
        ]

        #expect(
            texts(try lines(rooms, shown: "lobby")) == ["Pinned", "tea", "den", "Rooms", "▌lobby", "Archived 2 @1"])
        #expect(
            texts(try lines(rooms, shown: "attic", isFollowed: false, rows: 14)) == [
                "Pinned", "tea", "den", "Rooms", "lobby", "Archived 2 @1", "▌attic 9",
            ])
        #expect(texts(try lines([rooms[1]], shown: "tea")) == ["Pinned", "▌tea"])
    }

    @Test func aSilencedRoomHasASignAndAMarkedOneADot() throws {
        let rooms = [
            try room("tea", unread: 7, isMuted: true), try room("den", unread: 7, mentions: 2, isMuted: true),
            try room("attic", isMarked: true), try room("cellar", unread: 4, isMarked: true),
        ]

        #expect(
            texts(try lines(rooms, shown: "lobby")).dropFirst(2) == ["tea ∅ 7", "den ∅ @2 7", "attic ●", "cellar 4"])
        #expect(texts(try lines([try room("tea", isMuted: true, isMarked: true)], shown: "tea")) == ["▌tea ∅ ●"])
    }

    /// However many are pinned, and whatever else there is, what is shown is in sight.
    @Test func theRoomShownIsInSightWhereverItStands() throws {
        let ids = (0..<40).map { number in "room-\(number + 10)" }
        let rooms = try ids.enumerated().map { try room($1, in: MyRoom.Section.allCases[$0 / 10]) }

        for rows in [11, 16, 30] {
            for shown in ids {
                let lines = try lines(rooms, shown: shown, rows: rows)
                #expect(lines.contains { $0.hasPrefix("▌\(shown) ") }, "\(shown) in \(rows) lines: \(lines)")
                #expect(lines.contains { $0.hasPrefix("  Archived 10") })
            }
        }
    }

    /// A text is cut between characters as the terminal shows them, and controls nothing.
    @Test func whateverWasSaidItStaysInItsColumn() throws {
        let texts = [
            String(repeating: "漢", count: 60), "two\nlines", "\u{1B}[31mred", "👩‍💻👍🏽🇩🇪" + String(repeating: "é", count: 40),
            String(repeating: "x", count: 200),
        ]
        for text in texts {
            for columns in [4, 22, 23, 30] {
                for name in [String(repeating: "n", count: 64), Self.plans] {
                    let title = name == Self.plans ? String(text.replacing("\u{1B}", with: "\u{202E}").prefix(9)) : nil
                    let lines = try lines(
                        [try room(name, unread: .max, title: title, last: text)], shown: "lobby", columns: columns)
                    #expect(!lines.joined().contains("\u{1B}") && !lines.joined().contains("\u{202E}"))
                }
            }
        }
    }

    @Test func theRoomShownIsAmongThoseThatThereIsSpaceFor() throws {
        let rooms = try (0..<30).map { try room("room-\($0)") }

        for rows in [3, 4, 7, 12] {
            for place in 0..<30 {
                let lines = try lines(rooms, shown: "room-\(place)", rows: rows)
                #expect(lines.contains { $0.hasPrefix("▌room-\(place) ") })
                #expect(lines.contains { $0.contains("more: Ctrl-K") })
            }
        }
    }

    @Test(arguments: [(60, 0, 0), (99, 0, 24), (100, 22, 24), (140, 30, 24), (300, 32, 24)])
    func theColumnsShareTheWindow(width: Int, rooms: Int, members: Int) {
        let columns = Columns(of: width, hasRooms: true, hasMembers: true)

        #expect((columns.rooms, columns.members) == (rooms, members))
        #expect(columns.rooms + columns.messages + columns.members == width)
        #expect(Columns(of: width, hasRooms: false, hasMembers: false).messages == width)
    }
}
