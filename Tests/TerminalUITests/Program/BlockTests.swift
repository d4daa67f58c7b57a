import Testing

/// Blocked users on the screen, with everybody's real programs.
extension OnTheScreen {
    @Suite struct BlockTests {
        private let server: ServerProcess

        init() throws {
            server = try ServerProcess()
        }

        private func enter(_ line: String, on screen: TmuxScreen) throws {
            try screen.type(line)
            try screen.press("Enter")
        }

        @Test func aBlockFoldsOnAllDevicesAndHidesTheDirectRoom() throws {
            try server.say(["an ugly text"], as: "bob")
            let screens = try (0..<2).map { _ in try TmuxScreen(server.screen("ann"), columns: 140) }
            for screen in screens { try screen.wait(for: "an ugly text") }
            let bob = try TmuxScreen(server.screen("bob"), columns: 140)
            try bob.wait(for: "an ugly text")
            try enter("/msg ann psst", on: bob)
            for screen in screens { try screen.wait(for: "psst") }

            try enter("/block bob", on: screens[0])
            try screens[0].wait(for: "bob is blocked: /unblock bob")
            for screen in screens {
                try screen.wait(for: "a message is hidden: /unblock bob")
                try screen.wait(for: "the direct room is gone") { lines in
                    !lines.contains { $0.contains("psst") || $0.contains("an ugly text") }
                }
            }
            try enter("/block", on: screens[1])
            try screens[1].wait(for: "you block bob")
            try enter("hello?", on: bob)
            try bob.wait(for: "hello?")

            try enter("/unblock bob", on: screens[1])
            for screen in screens {
                try screen.wait(for: "an ugly text")
                try screen.wait(for: "bob: hello?")
            }
        }

        @Test func aBlockWaitsForAConnection() throws {
            let ann = try TmuxScreen(server.screen("ann"), columns: 110)
            try ann.wait(for: "online")
            server.kill()
            try ann.wait(for: "offline")
            try enter("/block bob", on: ann)
            try ann.wait(for: "waits for a connection")
            try server.start()
            try ann.wait(for: "bob is blocked: /unblock bob")
            try enter("/block ann", on: ann)
            try ann.wait(for: "you cannot block yourself")
        }
    }
}
