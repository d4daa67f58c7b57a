import Testing

/// Threads on the screen, with everybody's real programs.
extension OnTheScreen {
    @Suite struct ThreadTests {
        private let server: ServerProcess

        init() throws {
            server = try ServerProcess()
        }

        @Test func aReplyIsSaidInTheThreadAndCountedBesideTheMessage() throws {
            try server.say(["What about lunch?"], as: "ann")
            let (ann, bob) = (
                try TmuxScreen(server.screen("ann"), columns: 70), try TmuxScreen(server.screen("bob"), columns: 70)
            )
            try ann.wait(for: "What about lunch?")
            try bob.wait(for: "What about lunch?")

            try bob.press("Tab")
            try bob.wait(for: "t thread")
            try bob.type("t")
            try bob.wait(for: "an empty thread below what it answers") { lines in
                lines.contains { $0.contains("the beginning of thread in lobby") }
                    && lines.contains { $0.contains("ann: What about lunch?") }
            }
            try bob.type("I am in")
            try bob.press("Enter")
            try bob.wait(for: "the reply") { $0.contains { $0.hasSuffix("I am in") || $0.contains("I am in ") } }

            let room = try ann.wait(for: "↳ 1 reply")
            #expect(!room.contains { $0.contains("I am in") })
            try bob.press("Escape")
            try bob.wait(for: "the room again") {
                $0.contains { $0.contains("What about lunch?") && $0.contains("↳ 1 reply") }
            }
        }

        @Test func aFollowedThreadIsChosenFromTheListAndUnfollowed() throws {
            try server.say(["What about lunch?"], as: "ann")
            let (ann, bob) = (
                try TmuxScreen(server.screen("ann"), columns: 80), try TmuxScreen(server.screen("bob"), columns: 80)
            )
            try ann.wait(for: "What about lunch?")
            try bob.wait(for: "What about lunch?")
            try bob.press("Tab")
            try bob.wait(for: "t thread")
            try bob.type("t")
            try bob.wait(for: "the beginning of thread in lobby")
            try bob.type("I am in")
            try bob.press("Enter")
            try ann.wait(for: "1 unread elsewhere")

            try ann.type("/threads")
            try ann.press("Enter")
            try ann.wait(for: "the thread with its reply") {
                $0.contains { $0.contains("ann: What about lunch?  ↳ bob: I am in") && $0.contains("1 unread") }
            }
            try ann.press("Enter")
            try ann.wait(for: "the beginning of thread in lobby")
            try ann.wait(for: "nothing unread") { !$0.contains { $0.contains("unread elsewhere") } }
            try ann.type("/unfollow")
            try ann.press("Enter")
            try ann.wait(for: "unfollowed")
            try ann.type("/follow")
            try ann.press("Enter")
            try ann.wait(for: "you follow it now")
        }
    }
}
