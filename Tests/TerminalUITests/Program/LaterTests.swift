import Testing

/// Messages and reminders for later on the screen, with everybody's real programs.
extension OnTheScreen {
    @Suite struct LaterTests {
        private let server: ServerProcess

        init() throws {
            server = try ServerProcess()
        }

        @Test func aScheduledMessageIsListedAndSentAndCancelled() throws {
            try server.say(["hello"], as: "bob")
            let (ann, bob) = (
                try TmuxScreen(server.screen("ann"), columns: 80), try TmuxScreen(server.screen("bob"), columns: 80)
            )
            try ann.wait(for: "hello")
            try bob.wait(for: "hello")

            for line in ["/schedule 2h see you", "/schedule 3h never mind"] {
                try ann.type(line)
                try ann.press("Enter")
                try ann.wait(for: "will be sent at")
            }
            try ann.type("/later")
            try ann.press("Enter")
            try ann.wait(for: "both messages") {
                $0.contains { $0.contains("'see you' to room lobby") }
                    && $0.contains { $0.contains("'never mind' to room lobby") }
            }
            try ann.type("s")
            try bob.wait(for: "see you")
            try ann.wait(for: "the other one alone") { !$0.contains { $0.contains("'see you'") } }
            try ann.type("x")
            try ann.wait(for: "nothing: /schedule WHEN TEXT")
            try ann.press("Escape")
            try ann.wait(for: "the message in the room") { $0.contains { $0.contains("see you") } }
        }

        @Test func aReminderRingsAndLeadsToItsMessage() throws {
            try server.say(["call the dentist"] + (1...30).map { "line \($0)" }, as: "bob")
            let ann = try TmuxScreen(server.screen("ann"), columns: 110)
            try ann.wait(for: "line 30")
            try ann.press("Tab")
            try ann.wait(for: "t thread")
            try ann.type("l")
            try ann.wait(for: "when? 20m")
            try ann.type("soon")
            try ann.press("Enter")
            try ann.wait(for: "say when")
            for _ in 0..<4 { try ann.press("BSpace") }
            try ann.type("1s")
            try ann.press("Enter")
            try ann.wait(for: "reminder of 'line 30' in room lobby: /later")
            try ann.wait(for: "1 due: /later")

            try ann.type("/later")
            try ann.press("Enter")
            try ann.wait(for: "due  ")
            try ann.type("z")
            try ann.wait(for: "no longer due") { !$0.contains { $0.contains("due  ") } }
            try ann.press("Enter")
            try ann.wait(for: "the message") { $0.contains { $0.contains("line 30") } }
        }
    }
}
