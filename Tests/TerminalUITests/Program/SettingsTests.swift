import Foundation
import Testing

/// Rooms that are pinned, silenced, archived and marked as unread, with everybody's real programs.
extension OnTheScreen {
    @Suite struct SettingsTests {
        private let server: ServerProcess

        init() throws {
            server = try ServerProcess()
        }

        /// A screen with a column of rooms.
        private func screen(_ user: String, room: String = "lobby") throws -> TmuxScreen {
            try TmuxScreen(server.screen(user, room: room), columns: 130)
        }

        private func enter(_ line: String, on screen: TmuxScreen) throws {
            try screen.type(line)
            try screen.press("Enter")
        }

        /// Makes ann a member of rooms, and does something in one of them, in lines.
        private func join(_ rooms: String...) throws {
            try server.join(rooms, as: "ann")
        }

        private func set(_ lines: String..., in room: String) throws {
            try server.say(lines, as: "ann", room: room)
        }

        /// Pins rooms of ann's, one behind the other.
        private func pin(_ names: String...) throws {
            for name in names {
                try set("/pin", in: name)
                // The list of rooms comes after what it tells of.
                for _ in 0..<100 where try !rooms().contains("\(name) pinned") {}
            }
        }

        /// Returns what ann's rooms are, in lines.
        private func rooms() throws -> [String] {
            let (address, flags) = (server.url, ["--room", "lobby", "--user", "ann", "--json"])
            let text = try output(of: program("diffroom"), [address] + flags, input: "/rooms\n")
            let line = try #require(text.split(separator: "\n").last { $0.contains(#""change":"rooms""#) })
            return line.matches(of: /"id":"([^"]*)","section":"([^"]*)"/).map { "\($0.1) \($0.2)" }
        }

        /// Returns the names in the column of rooms, with the headings, without what was said last.
        private func heads(_ lines: [String]) -> [String] {
            let column = lines.compactMap { line in
                line.firstMatch(of: /^([^│]*)│/).map { $0.1.split(separator: " ").joined(separator: " ") }
            }
            return column.filter { !$0.isEmpty && !$0.contains(":") && $0 != "nothing said yet" }
        }

        private func wait(_ screen: TmuxScreen, for names: String...) throws {
            try screen.wait(for: "\(names)") { heads($0) == names }
        }

        @Test func roomsArePinnedInTheOrderOfTheUser() throws {
            try join("tea", "den", "lobby")
            try pin("tea", "den")
            let ann = try screen("ann")
            try wait(ann, for: "Pinned", "tea", "den", "Rooms", "▌lobby")

            try enter("/pin 1", on: ann)
            try wait(ann, for: "Pinned", "▌lobby", "tea", "den")
            try ann.wait(for: "room lobby: pinned")
            try enter("/pin 2", on: ann)
            try wait(ann, for: "Pinned", "tea", "▌lobby", "den")
            try server.say(["hello"], as: "bob", room: "den")
            try wait(ann, for: "Pinned", "tea", "▌lobby", "den 1")
            try ann.press("M-Up")
            try wait(ann, for: "Pinned", "▌tea", "lobby", "den 1")
            try enter("/unpin", on: ann)
            try wait(ann, for: "Pinned", "lobby", "den 1", "Rooms", "▌tea")
            #expect(try rooms() == ["lobby pinned", "den pinned", "tea rooms"])
        }

        @Test func aSilencedRoomIsPassedOverUnlessItMentionsTheUser() throws {
            try join("tea", "den", "lobby")
            try pin("lobby", "den", "tea")
            try set("/silence", in: "den")
            let ann = try screen("ann")
            try wait(ann, for: "Pinned", "▌lobby", "den ∅", "tea")
            try server.say(["noise"], as: "bob", room: "den")
            try wait(ann, for: "Pinned", "▌lobby", "den ∅ 1", "tea")
            try ann.press("M-n")
            try ann.wait(for: "nothing is unread in your other rooms")
            try ann.press("M-Down")
            try wait(ann, for: "Pinned", "lobby", "den ∅ 1", "▌tea")

            try server.say(["@ann look"], as: "bob", room: "den")
            try wait(ann, for: "Pinned", "lobby", "den ∅ @1 2", "▌tea")
            try ann.press("M-Up")
            try wait(ann, for: "Pinned", "lobby", "▌den ∅", "tea")
            try enter("/unsilence", on: ann)
            try wait(ann, for: "Pinned", "lobby", "▌den", "tea")
        }

        @Test func theKeysGoToWhatIsUnreadAndElseToTheNeighbour() throws {
            try join("lobby", "den", "tea")
            try pin("lobby", "den", "tea")
            let ann = try screen("ann")
            try wait(ann, for: "Pinned", "▌lobby", "den", "tea")
            try server.say(["hello"], as: "bob", room: "tea")
            try wait(ann, for: "Pinned", "▌lobby", "den", "tea 1")

            try ann.press("M-Down")
            try wait(ann, for: "Pinned", "lobby", "den", "▌tea")
            try ann.wait(for: "● ann ✓")
            try ann.press("M-Up")
            try wait(ann, for: "Pinned", "lobby", "▌den", "tea")
        }

        @Test func anArchivedRoomIsFoundByTypingAndComesBack() throws {
            try join("tea", "lobby")
            let ann = try screen("ann", room: "tea")
            try ann.wait(for: "▌tea")
            try enter("/archive", on: ann)
            try ann.wait(for: "the archive, with the room that is shown") { lines in
                lines.contains { $0.hasPrefix("  Archived 1: Ctrl-K") } && heads(lines) == ["lobby", "▌tea"]
            }
            try ann.press("M-Down")
            try wait(ann, for: "▌lobby")
            try server.say(["hello"], as: "bob", room: "tea")
            try ann.press("C-k")
            try ann.type("tea")
            try ann.wait(for: "archived  bob: hello")
            try ann.press("Enter")
            try ann.wait(for: "#tea")
            try enter("/unarchive", on: ann)
            try ann.wait(for: "the room in its place") { lines in
                heads(lines) == ["▌tea", "lobby"] && !lines.contains { $0.contains("Archived") }
            }
        }

        @Test func aRoomThatIsMarkedAsUnreadStaysSoUntilTheUserComesBack() throws {
            try join("tea", "lobby")
            try pin("lobby", "tea")
            let ann = try screen("ann")
            try wait(ann, for: "Pinned", "▌lobby", "tea")
            try enter("/unread", on: ann)
            try wait(ann, for: "Pinned", "▌lobby ●", "tea")
            try server.say(["hello"], as: "bob")
            try ann.wait(for: "hello")
            try ann.press("M-Down")
            try wait(ann, for: "Pinned", "lobby 1", "▌tea")
            try ann.press("M-Up")
            try wait(ann, for: "Pinned", "▌lobby", "tea")
            try ann.press("M-Down")
            try wait(ann, for: "Pinned", "lobby", "▌tea")
        }

        @Test func aShownRoomIsMarkedAsUnreadAndReadOnAnotherDevice() throws {
            try join("tea", "lobby")
            try pin("lobby", "tea")
            let ann = try screen("ann")
            try wait(ann, for: "Pinned", "▌lobby", "tea")
            try set("/unread", in: "lobby")
            try wait(ann, for: "Pinned", "▌lobby ●", "tea")
            try server.say(["not yet"], as: "bob")
            try ann.wait(for: "not yet")
            try set("/readall", in: "lobby")
            try wait(ann, for: "Pinned", "▌lobby", "tea")
            try server.say(["now"], as: "bob")
            try ann.wait(for: "bob: now")
            try ann.press("M-Down")
            try wait(ann, for: "Pinned", "lobby", "▌tea")
        }

        @Test func allRoomsAreReadAtOnceOnTheScreenAndInLines() throws {
            try join("tea", "den", "lobby")
            try pin("lobby", "tea", "den")
            try set("/unread", in: "den")
            try server.say(["hello"], as: "bob", room: "tea")
            let ann = try screen("ann")
            try wait(ann, for: "Pinned", "▌lobby", "tea 1", "den ●")
            try enter("/readall", on: ann)
            try wait(ann, for: "Pinned", "▌lobby", "tea", "den")

            try server.say(["hello"], as: "bob", room: "tea")
            try set("/unread", in: "den")
            try wait(ann, for: "Pinned", "▌lobby", "tea 1", "den ●")
            try set("/readall", in: "lobby")
            try wait(ann, for: "Pinned", "▌lobby", "tea", "den")
        }
    }
}
