import ChatWire
import TerminalUI
import Testing

@testable import diffroom

/// The column of the user's rooms.
@Suite struct RoomsPaneTests {
    private func room(_ name: String, unread: UInt64 = 0, last: String? = "hello") throws -> MyRoom {
        let author = try #require(UserName("bob"))
        let last = last.map { LastMessage(id: MessageID(high: 0, low: 1), author: author, time: 0, text: $0) }
        return MyRoom(
            id: try #require(RoomName(name)), sort: 1, rev: 1, light: .init(unread: unread, read: 1, last: last))
    }

    private func lines(
        _ rooms: [MyRoom], shown: String, isFollowed: Bool = true, rows: Int = 12, columns: Int = 24
    ) throws -> [String] {
        let pane = RoomsPane(rooms: rooms, shown: try #require(RoomName(shown)), isFollowed: isFollowed)
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

    @Test func whatIsSeenAsItComesIsNotUnread() throws {
        let rooms = [try room("tea", unread: 3)]

        #expect(try !lines(rooms, shown: "tea")[0].contains("3"))
        #expect(try lines(rooms, shown: "tea", isFollowed: false)[0].contains(" 3 │"))
    }

    @Test func aRoomThatOneOnlyReadsStandsAboveOnesOwn() throws {
        let lines = try lines([try room("tea")], shown: "attic")

        #expect(lines[0].hasPrefix("▌attic"))
        #expect(lines[1].hasPrefix("  not a member: /join"))
        #expect(lines[2].hasPrefix(" tea"))
    }

    /// A text is cut between characters as the terminal shows them, and controls nothing.
    @Test func whateverWasSaidItStaysInItsColumn() throws {
        let texts = [
            String(repeating: "漢", count: 60), "two\nlines", "\u{1B}[31mred", "👩‍💻👍🏽🇩🇪" + String(repeating: "é", count: 40),
            String(repeating: "x", count: 200),
        ]
        for text in texts {
            for columns in [4, 22, 23, 30] {
                let lines = try lines(
                    [try room(String(repeating: "n", count: 64), unread: .max, last: text)], shown: "lobby",
                    columns: columns)
                #expect(!lines.joined().contains("\u{1B}"))
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
