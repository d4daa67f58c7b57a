import Foundation
import Testing

/// Private and direct rooms on the screen, with everybody's real programs.
extension OnTheScreen {
    @Suite struct PrivateRoomsTests {
        private let server: ServerProcess

        init() throws {
            server = try ServerProcess()
        }

        /// A screen in the lobby, with a column of rooms.
        private func screen(_ user: String) throws -> TmuxScreen {
            let screen = try TmuxScreen(server.screen(user), columns: 110)
            try screen.wait(for: "● \(user)")
            return screen
        }

        private func enter(_ line: String, on screen: TmuxScreen) throws {
            try screen.type(line)
            try screen.press("Enter")
        }

        /// Returns the column of rooms, line by line, each without blanks around it.
        private func column(_ lines: [String]) -> [String] {
            lines.compactMap { line in
                line.firstMatch(of: /^([^│]*)│/).map { $0.1.split(separator: " ").joined(separator: " ") }
            }
        }

        @Test func whoIsInvitedSeesItAcceptsAndIsThereUntilTheOwnerTakesItBack() throws {
            let (ann, bob) = (try screen("ann"), try screen("bob"))
            try ann.wait(for: "● bob")
            try enter("/create Plans for May", on: ann)
            try ann.wait(for: "the room that was made") { lines in
                column(lines).first == "▌Plans for May" && lines.contains { $0.contains("Plans for May (private)") }
            }

            try ann.type("/invite bo")
            try ann.press("Tab", "Enter")
            try ann.wait(for: "bob is invited to room Plans for May")
            try bob.wait(for: "ann invites you to room Plans for May: /accept or /decline")
            try bob.wait(for: "the invitation") {
                column($0).prefix(5).contains("Invited") && column($0).contains("Plans for May")
            }
            try bob.press("C-k")
            try bob.type("may")
            try bob.press("Enter")
            try bob.wait(for: "bob ❯  ann invites you: /accept or /decline")
            try enter("/accept", on: bob)
            try bob.wait(for: "the room among bob's") { column($0).first == "▌Plans for May" }
            try enter("hello", on: bob)
            try ann.wait(for: "hello")

            try enter("/invite cid", on: bob)
            try bob.wait(for: "not done: only the owner may invite to room Plans for May")
            try enter("/title Plans", on: ann)
            for each in [ann, bob] { try each.wait(for: "Plans (private)") }
            try enter("/uninvite bob", on: ann)
            try ann.wait(for: "bob is no longer in room Plans")
            try bob.wait(for: "the lobby again") { lines in
                !column(lines).contains { $0.contains("Plans") } && lines.contains { $0.contains("#lobby") }
            }
        }

        @Test func whoDeclinesOrLeavesGoesElsewhere() throws {
            let (ann, bob) = (try screen("ann"), try screen("bob"))
            try ann.wait(for: "● bob")
            try enter("/create Plans", on: ann)
            try ann.wait(for: "Plans (private)")
            try enter("/invite bob", on: ann)
            try bob.wait(for: "/accept or /decline")
            try enter("/decline", on: bob)
            try bob.wait(for: "Decline the invitation to room Plans?   [Keep]   Decline")
            try bob.press("Right", "Enter")
            try bob.wait(for: "you have declined the invitation to room Plans")
            try bob.wait(for: "no room") { !$0.contains { $0.contains("Invited") } }

            try enter("/leave", on: ann)
            try ann.wait(for: "Leave room Plans?   [Keep]   Leave")
            try ann.press("Enter")
            try enter("still here", on: ann)
            try ann.wait(for: "still here")
            try enter("/leave", on: ann)
            try ann.wait(for: "Leave room Plans?   [Keep]   Leave")
            try ann.press("Right", "Enter")
            try ann.wait(for: "the lobby") {
                $0.contains { $0.contains("#lobby  you are no member of room Plans any more") }
            }
        }

        @Test func aMessageToOnePersonIsInTheRoomForTheTwo() throws {
            let (ann, bob) = (try screen("ann"), try screen("bob"))
            try ann.wait(for: "● bob")
            try enter("/msg bob hi there", on: ann)
            try ann.wait(for: "the direct room") { lines in
                column(lines).first == "▌bob" && lines.contains { $0.contains("hi there") }
            }
            try bob.wait(for: "one unread, and ann there") { column($0).contains("ann ● 1") }

            try enter("/msg ann", on: bob)
            try bob.wait(for: "the same room") { lines in
                column(lines).contains("▌ann ●") && lines.contains { $0.contains("hi there") }
            }
            try enter("/leave", on: bob)
            try bob.wait(for: "not done:")
            #expect(try !bob.lines().contains { $0.contains("@9") })
        }

        @Test func aRoomThatIsMadeWhileTheServerIsAwayIsThereWhenItIsBack() throws {
            let ann = try screen("ann")
            server.kill()
            try ann.wait(for: "offline")
            try enter("/create Plans", on: ann)
            try ann.wait(for: "sending 1…")

            try server.start()

            try ann.wait(for: "the room") {
                column($0).first == "▌Plans" && $0.contains { $0.contains("Plans (private)") }
            }
        }
    }
}
