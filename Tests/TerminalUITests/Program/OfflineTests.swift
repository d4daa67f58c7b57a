import Foundation
import TestSupport
import Testing

/// What is changed while the server is away: it is marked, done once, and told when it is refused.
extension OnTheScreen {
    @Suite struct OfflineTests {
        private let server: ServerProcess

        init() throws {
            server = try ServerProcess()
            try server.say(["/create #tea"], as: "owner")
        }

        /// Opens the room with its four messages.
        private func screen(_ user: String) throws -> TmuxScreen {
            for (author, text) in [(user, "mine"), (user, "doomed"), ("bob", "other"), ("bob", "noted")] {
                try server.say([text], as: author, room: "tea")
            }
            try server.say(["/join tea"], as: user)
            let screen = try TmuxScreen(server.screen(user, room: "tea"), columns: 110)
            try screen.wait(for: "all of it") { lines in
                [" noted", "▌tea", "│ ● \(user)"].allSatisfy { contains(lines, $0) }
            }
            return screen
        }

        private func contains(_ lines: [String], _ text: String) -> Bool {
            lines.contains { $0.contains(text) }
        }

        private func enter(_ line: String, on screen: TmuxScreen) throws {
            try screen.type(line)
            try screen.press("Enter")
        }

        /// Chooses a message, counted from the last one, and presses a key there.
        private func choose(_ count: Int, _ key: String, on screen: TmuxScreen) throws {
            try screen.press("Tab")
            try screen.wait(for: "CHOOSE")
            for _ in 1..<count { try screen.press("Up") }
            try screen.press(key)
        }

        private func edit(on screen: TmuxScreen) throws {
            try choose(4, "e", on: screen)
            try screen.wait(for: "edit ❯ mine")
            try enter(" and more", on: screen)
        }

        private func react(on screen: TmuxScreen) throws {
            try choose(2, "+", on: screen)
            try screen.wait(for: "react to bob")
            try screen.press("1")
            try screen.wait(for: "CHOOSE")
            try screen.press("Escape")
        }

        private func delete(on screen: TmuxScreen) throws {
            try choose(3, "d", on: screen)
            try screen.wait(for: "Delete this message?")
            try screen.press("Right", "Enter")
            try screen.wait(for: "doomed (to be deleted)")
            try screen.press("Escape")
        }

        private func pin(on screen: TmuxScreen) throws {
            try choose(1, "p", on: screen)
            try screen.wait(for: "noted ◌")
        }

        @Test func whatIsChangedIsMarkedAndDoneOnceWhenTheServerIsBack() throws {
            let owner = try screen("owner")
            server.kill()
            try owner.wait(for: "offline")

            try delete(on: owner)
            try edit(on: owner)
            try react(on: owner)
            try pin(on: owner)
            try enter("/mute bob 10m", on: owner)
            try enter("/silence", on: owner)

            // The deletion is sent last, once it cannot be taken back any more.
            try owner.wait(for: "a mark for each of six") { lines in
                ["sending 6…", "mine ◌", "other ◌", "doomed (to be deleted)", "noted ◌", "▌tea ◌"].allSatisfy {
                    contains(lines, $0)
                }
            }
            try server.start()

            try owner.wait(for: "all of it, and no mark") { lines in
                ["mine and more", "👍 1", "noted (pinned)", "▌tea ∅", "● online"].allSatisfy { contains(lines, $0) }
                    && !["◌", "doomed", "sending"].contains { contains(lines, $0) }
            }
            let audit = try output(
                of: "/bin/sh", ["-c", "\(server.screen("owner", room: "tea")) --plain 2>&1"], input: "/audit\n")
            #expect(audit.split(separator: "\n").count { $0.contains("mute") && $0.contains("bob") } == 1, "\(audit)")
        }

        @Test func whatIsRefusedIsToldAndMarkedNoMoreAndTheTextComesBack() throws {
            let ann = try screen("ann")
            try server.hear(["/mute ann 10m"], as: "owner", room: "tea") {
                try ann.wait(for: "offline")
                try react(on: ann)
                try edit(on: ann)
                try enter("/readonly on", on: ann)
                try ann.wait(for: "marks") { contains($0, "mine ◌") && contains($0, "other ◌") }
            }

            try ann.wait(for: "a refusal, and no mark") { lines in
                contains(lines, "not done: ") && !["◌", "sending"].contains { contains(lines, $0) }
            }
            try ann.press("Up")
            try ann.wait(for: "ann ❯ mine and more")
        }

        @Test func whatIsNotAcknowledgedAtTheEndIsToldBehindIt() throws {
            let ann = try TmuxScreen("\(server.screen("ann", room: "tea")); exec cat")
            try ann.wait(for: "online")
            server.kill()
            try ann.wait(for: "offline")
            try enter("never sent", on: ann)
            try ann.wait(for: "sending 1…")

            try ann.press("C-d")
            try ann.wait(for: "waiting for 1 acknowledgements")
            try ann.press("C-d")

            try ann.wait(for: "the text behind the end") { lines in
                contains(lines, "1 command was not acknowledged, with these texts:")
                    && contains(lines, "#tea: never sent")
            }
        }
    }
}
