import Foundation
import Testing

/// The user's rooms on the screen, with everybody's real programs.
extension OnTheScreen {
    @Suite struct RoomsTests {
        private let server: ServerProcess

        init() throws {
            server = try ServerProcess()
        }

        /// A screen, which without flags opens the room in which something was said last.
        private func screen(_ user: String, columns: Int, _ flags: String = "") throws -> TmuxScreen {
            try TmuxScreen("\(program("diffroom")) \(server.url) --user \(user) \(flags)", columns: columns)
        }

        private func join(_ rooms: String..., as user: String) throws {
            try server.join(rooms, as: user)
        }

        /// Returns the column of rooms, a text for each line: empty where there is none, or where it is not drawn yet.
        private func column(_ lines: [String]) -> [String] {
            lines.map { $0.firstMatch(of: /^([^│]*)│/).map { String($0.1) } ?? "" }
        }

        /// Whether the column begins with these rooms, the number of unread messages behind the name if there are any.
        private func tells(_ lines: [String], _ rooms: String...) -> Bool {
            let heads = column(lines).enumerated().filter { $0.offset % 2 == 0 }.prefix(rooms.count)
            return heads.map { $0.element.split(separator: " ").joined(separator: " ") } == rooms
        }

        @Test func whatIsSaidElsewhereIsCountedAndReadInTheOrderOfTheList() throws {
            try join("tea", "lobby", as: "ann")
            try server.say(["one"], as: "bob", room: "tea")
            try server.say(["here"], as: "bob")
            let ann = try screen("ann", columns: 100)
            try ann.wait(for: "both rooms, the newer one open") { tells($0, "▌lobby", "tea 1") }

            try server.say(["two", "漢字 👩‍💻 three"], as: "bob", room: "tea")
            let lines = try ann.wait(for: "tea on top") { tells($0, "tea 3", "▌lobby") }
            #expect(column(lines)[1].contains("bob: 漢字"))

            try ann.press("M-n")
            try ann.wait(for: "what is new in tea, and then nothing unread") { lines in
                tells(lines, "▌tea", "lobby") && lines.contains { $0.contains("─ 3 new ─") }
                    && lines.contains { $0.contains("#tea") }
            }
            try ann.wait(for: "● ann ✓")
            try ann.press("M-Down")
            try ann.wait(for: "the lobby") { tells($0, "tea", "▌lobby") && $0.contains { $0.contains("here") } }
            try ann.press("M-Down")
            try ann.wait(for: "this is the last of your rooms")
        }

        /// Bob's writing ends by itself, so he types on until it is seen.
        @Test func whoWritesElsewhereShowsInTheColumnUntilItIsSaid() throws {
            try join("tea", "lobby", as: "ann")
            let ann = try screen("ann", columns: 100, "--room lobby")
            let bob = try screen("bob", columns: 60, "--room tea")
            try ann.wait(for: "both rooms") { tells($0, "▌lobby", "tea") }
            try bob.wait(for: "#tea")

            try ann.wait(for: "bob to write") { lines in
                if column(lines).contains(where: { $0.contains("✎ writing…") }) { return true }
                try? bob.type("x")
                return false
            }
            try bob.press("Enter")
            let lines = try ann.wait(for: "what bob said") { tells($0, "tea 1", "▌lobby") }
            #expect(column(lines)[1].contains("bob: x"))
        }

        @Test func aSmallWindowCountsWhatIsUnreadElsewhereAndChoosesByTyping() throws {
            try join("tea", "lobby", as: "ann")
            let ann = try screen("ann", columns: 60, "--room lobby")
            try ann.wait(for: "#lobby")
            try server.say(["one", "two"], as: "bob", room: "tea")
            try ann.wait(for: "2 unread elsewhere")

            try ann.press("C-k")
            try ann.wait(for: "the rooms, newest first") { lines in
                lines[0] == "  Rooms" && lines[1].hasPrefix(" ▌ tea  bob: two") && lines[1].hasSuffix("2 unread")
                    && lines[2].hasPrefix("   lobby")
            }
            try ann.type("LOB")
            try ann.wait(for: " ▌ lobby")
            try ann.press("C-u")
            try ann.type("t")
            try ann.press("Enter")
            try ann.wait(for: "tea, and nothing unread") { lines in
                lines.contains { $0.contains("#tea") } && lines.contains { $0.contains("─ 2 new ─") }
                    && !lines.contains { $0.contains("elsewhere") }
            }
        }

        @Test func eachRoomKeepsItsPlaceAndTheLineThatIsBeingWritten() throws {
            try join("tea", "lobby", as: "ann")
            try server.say((1...60).map { "line \($0)" }, as: "bob", room: "tea")
            try server.say(["here"], as: "bob")
            let ann = try screen("ann", columns: 100)
            try ann.wait(for: "here")
            try ann.type("half a line")
            try ann.press("M-Down")
            try ann.wait(for: "the end of tea") { numbers($0).last == 60 }
            try ann.press("PPage")
            let before = try ann.wait(for: "an earlier page") { lines in
                numbers(lines).contains(25) && !numbers(lines).contains(60)
            }
            try ann.type("another one")
            try ann.wait(for: "ann ❯ another one")

            try ann.press("M-Up")
            try ann.wait(for: "the lobby as it was") { lines in
                lines.contains { $0.contains("here") } && lines.contains { $0.hasSuffix("ann ❯ half a line") }
            }
            try ann.press("M-Down")
            try ann.wait(for: "tea as it was") { lines in
                numbers(lines) == numbers(before) && lines.contains { $0.hasSuffix("ann ❯ another one") }
            }
        }

        private func numbers(_ lines: [String]) -> [Int] {
            lines.compactMap { $0.firstMatch(of: /│ +line (\d+)/).flatMap { Int($0.1) } }
        }

        /// Who follows a room is there for the others.
        @Test func onlyTheLastSixRoomsStayOpenAndThoseInWhichALineIsBeingWritten() throws {
            let (first, second) = (
                try screen("bob", columns: 80, "--room room-1"), try screen("bob", columns: 80, "--room room-2")
            )
            let ann = try screen("ann", columns: 60, "--room room-1")
            for each in [first, second] { try each.wait(for: "● bob") }
            try first.wait(for: "● ann")
            try ann.type("half a line")
            for number in 2...8 {
                try ann.press("C-k")
                try ann.type("room-\(number)")
                try ann.press("Enter")
                try ann.wait(for: "#room-\(number)")
            }

            try second.wait(for: "○ ann")
            try first.wait(for: "● ann")
            try ann.press("C-k")
            try ann.type("room-1")
            try ann.press("Enter")
            try ann.wait(for: "ann ❯ half a line")
        }

        @Test func aMentionElsewhereRingsTheBell() throws {
            try join("tea", "lobby", as: "ann")
            let ann = try screen("ann", columns: 100, "--room lobby")
            try ann.wait(for: "both rooms") { tells($0, "▌lobby", "tea") }
            try server.say(["noise"], as: "bob", room: "tea")
            try ann.wait(for: "one unread") { tells($0, "tea 1", "▌lobby") }
            #expect(try ann.fact("window_bell_flag") == "0")

            try server.say(["@ann look"], as: "bob", room: "tea")

            try ann.wait(for: "a mention") { tells($0, "tea @1 2", "▌lobby") }
            try ann.waitForBell()
        }

        @Test func roomsAreJoinedAndLeftByCommands() throws {
            let ann = try screen("ann", columns: 100)
            try ann.wait(for: "the lobby, because there are no rooms") { $0.contains { $0.contains("#lobby") } }

            try ann.type("/join tea")
            try ann.press("Enter")
            try ann.wait(for: "tea, joined") { tells($0, "▌tea") && $0.contains { $0.contains("#tea") } }
            try ann.press("C-k")
            try ann.type("attic")
            try ann.press("Enter")
            try ann.wait(for: "a room that is only read") { lines in
                tells(lines, "▌attic", "tea") && column(lines)[1].contains("not a member: /join")
            }
            try ann.type("/join")
            try ann.press("Enter")
            try ann.wait(for: "the attic, joined") {
                tells($0, "▌attic", "tea") && !column($0)[1].contains("not a member")
            }
            try ann.type("/leave tea")
            try ann.press("Enter")
            try ann.wait(for: "one room") { tells($0, "▌attic") && !column($0).contains { $0.contains("tea") } }
        }

        /// Bob makes half of the rooms: nobody makes more than a hundred an hour.
        @Test func anOldRoomIsShownWithoutAskingForAllUntilItIsLookedFor() throws {
            let others = (1...100).map { "/join room-\($0)" }
            try server.say(Array(others.prefix(50)), as: "bob")
            try join("attic", as: "ann")
            try server.say(others, as: "ann")
            let ann = try screen("ann", columns: 100, "--room attic")
            try ann.wait(for: "the column") { tells($0, "▌attic") && column($0)[1].contains("find it: Ctrl-K") }

            try server.say(["hello"], as: "bob", room: "room-50")
            try ann.wait(for: "what is new, and the old room as before") { lines in
                tells(lines, "▌attic", "room-50 1") && column(lines)[1].contains("find it: Ctrl-K")
            }

            try ann.press("C-k")
            try ann.wait(for: "  Rooms")
            try ann.press("Escape")
            try ann.wait(for: "the room among ann's") { lines in
                column(lines).contains { $0.hasPrefix("▌attic") } && !lines.contains { $0.contains("find it:") }
            }
        }

        @Test func anOpenRoomIsMadeByOnePersonAndEnteredByTheNext() throws {
            let (ann, bob) = (try screen("ann", columns: 110), try screen("bob", columns: 110))
            for each in [ann, bob] { try each.wait(for: "#lobby") }
            try ann.type("/create #tea Tea time")
            try ann.press("Enter")
            try ann.wait(for: "the room that was made") { lines in
                tells(lines, "▌Tea time (tea)") && lines.contains { $0.contains("Tea time #tea") }
            }
            try ann.type("/title Tea")
            try ann.press("Enter")
            try ann.wait(for: "Tea #tea")

            try bob.type("/create #tea Mine")
            try bob.press("Enter")
            try bob.wait(for: "the same room") { lines in
                tells(lines, "▌Tea (tea)") && lines.contains { $0.contains("Tea #tea") }
            }
            for line in ["/title Mine", "hello"] {
                try bob.type(line)
                try bob.press("Enter")
            }
            try ann.wait(for: "bob in ann's room") { lines in
                lines.contains { $0.contains("hello") } && lines.contains { $0.contains("Tea #tea") }
            }
        }

        @Test func whatIsReadOnOneDeviceIsReadOnTheOther() throws {
            try join("tea", "lobby", as: "ann")
            try server.say(["here"], as: "bob")
            let (wide, small) = (try screen("ann", columns: 140), try screen("ann", columns: 60))
            for each in [wide, small] { try each.wait(for: "#lobby") }
            try server.say(["one"], as: "bob", room: "tea")
            try wide.wait(for: "one unread") { tells($0, "tea 1", "▌lobby") }
            try small.wait(for: "1 unread elsewhere")

            try small.press("M-n")
            try wide.wait(for: "nothing unread") { tells($0, "tea", "▌lobby") }
        }

        /// How far somebody has read is told once a second, and at once when they go.
        @Test(arguments: ["M-Down", "C-d"])
        func whatWasOnTheScreenForAMomentIsRead(_ key: String) throws {
            try join("tea", "lobby", as: "ann")
            try server.say(["here"], as: "bob")
            let (ann, other) = (try screen("ann", columns: 100), try screen("ann", columns: 140, "--room tea"))
            try ann.wait(for: "● ann ✓")
            try other.wait(for: "both rooms") { tells($0, "lobby", "▌tea") }
            try server.say(["one"], as: "bob")
            try ann.wait(for: "the message") { lines in lines.contains { $0.contains("  one") } }
            try ann.press(key)
            try other.wait(for: "bob: one")
            try other.wait(for: "nothing unread") { tells($0, "lobby", "▌tea") }
        }

        @Test func aRoomThatOneOnlyPassesThroughStaysUnread() throws {
            try join("den", "tea", "lobby", as: "ann")
            for room in ["den", "tea", "lobby"] { try server.say(["here"], as: "bob", room: room) }
            let ann = try screen("ann", columns: 100)
            try ann.wait(for: "three rooms, and the first to be read") { lines in
                tells(lines, "▌lobby", "tea 1", "den 1") && lines.contains { $0.contains("● ann ✓") }
            }

            try ann.press("M-Down", "M-Down")
            try ann.wait(for: "the last to be read") { lines in
                tells(lines, "lobby", "tea 1", "▌den") && lines.contains { $0.contains("● ann ✓") }
            }
            try ann.press("M-Up")
            try ann.wait(for: "the other to be read") { tells($0, "lobby", "▌tea", "den") }
        }

        @Test(arguments: ["", "/help", "/mentions"])
        func whatComesWhileSomethingElseIsOnTheScreenIsNotRead(_ command: String) throws {
            try join("tea", "lobby", as: "ann")
            try server.say(["here"], as: "bob")
            let (ann, other) = (try screen("ann", columns: 100), try screen("ann", columns: 140, "--room tea"))
            try ann.wait(for: "  here")
            try ann.type(command)
            try ann.press(command.isEmpty ? "C-k" : "Enter")
            try ann.wait(for: "something else") { lines in !lines.contains { $0.contains("  here") } }
            try other.wait(for: "nothing unread") { tells($0, "lobby", "▌tea") }
            for number in 1...5 {  // in more than two seconds: the list has half a second between two changes
                try server.say(["\(number)"], as: "bob")
                try other.wait(for: "\(number) unread") { tells($0, "lobby \(number)", "▌tea") }
            }
            try ann.press("Escape")
            try other.wait(for: "nothing unread") { tells($0, "lobby", "▌tea") }
        }

        @Test func theListOutlivesTheServer() throws {
            try join("tea", "lobby", as: "ann")
            try server.say(["here"], as: "bob")
            let ann = try screen("ann", columns: 100)
            try ann.wait(for: "both rooms") { tells($0, "▌lobby", "tea") }

            try server.hear(["still there"], as: "bob", room: "tea") {
                try ann.wait(for: "the rooms without a connection") { lines in
                    lines.contains { $0.contains("offline") } && tells(lines, "▌lobby", "tea")
                }
            }

            try ann.wait(for: "what was said meanwhile") { tells($0, "tea 1", "▌lobby") }
            try ann.press("M-Up")
            try ann.wait(for: "what was said meanwhile, new") { lines in
                lines.contains { $0.contains("still there") } && lines.contains { $0.contains("─ 1 new ─") }
            }
        }

        @Test func theNextTimeItOpensTheRoomInWhichSomethingWasSaidLast() throws {
            try join("lobby", "tea", "attic", as: "ann")
            try server.say(["it is ready"], as: "bob", room: "tea")

            let ann = try screen("ann", columns: 60)

            try ann.wait(for: "tea") { lines in
                lines.contains { $0.contains("#tea") } && lines.contains { $0.contains("it is ready") }
            }
        }
    }
}
