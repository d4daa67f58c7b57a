import Foundation
import TestSupport
import Testing

extension OnTheScreen {
    @Suite struct WindowTests {}
}

/// The mouse, the window around the terminal, and the user's files.
extension OnTheScreen.WindowTests {
    /// Presses the first button of the mouse at the first place of a text.
    private func click(_ screen: TmuxScreen, on text: String) throws {
        let lines = try screen.wait(for: text)
        let row = try #require(lines.firstIndex { $0.contains(text) })
        let column = lines[row].distance(
            from: lines[row].startIndex, to: try #require(lines[row].firstRange(of: text)).lowerBound)
        let place = [column, row].map { String(33 + $0, radix: 16) }
        try screen.press(["-H", "1b", "5b", "4d", "20"] + place + ["1b", "5b", "4d", "23"] + place)
    }

    private func turn(_ screen: TmuxScreen, up: Bool) throws {
        try screen.press(["-H", "1b", "5b", "4d", up ? "60" : "61", "40", "25"])
    }

    @Test func aClickOpensARoomAndChoosesAMessageAndTheWheelScrolls() throws {
        let server = try ServerProcess()
        try server.join(["tea", "lobby"], as: "ann")
        try server.say((1...60).map { "line \($0)" }, as: "ann")
        let ann = try TmuxScreen(server.screen("ann"), columns: 110)
        try ann.wait(for: "│   line 60")

        try turn(ann, up: true)
        try ann.wait(for: "the wheel has scrolled up") { lines in !lines.contains { $0.contains("│   line 60 ") } }
        try turn(ann, up: false)
        try ann.wait(for: "│   line 60")

        try click(ann, on: "line 58")
        try ann.wait(for: "CHOOSE")
        try ann.press("y")
        try ann.wait(for: "the message is in the clipboard")

        try click(ann, on: "tea")
        try ann.wait(for: "the beginning of #tea")
    }

    @Test func aTextIsCopiedIntoTheClipboard() throws {
        let server = try ServerProcess()
        try server.say(["to be copied"], as: "bob")
        let ann = try TmuxScreen(server.screen("ann"))
        try ann.tmux(["set-option", "-s", "set-clipboard", "on"])
        try ann.wait(for: "to be copied")

        try ann.press("Tab")
        try ann.wait(for: "CHOOSE")
        try ann.press("y")

        try ann.wait(for: "the text in the clipboard") { _ in (try? ann.tmux(["show-buffer"])) == "to be copied" }
    }

    @Test func theTitleHasTheRoomAndTheNumberOfUnreadMessages() throws {
        let server = try ServerProcess()
        try server.join(["tea", "lobby"], as: "ann")
        let ann = try TmuxScreen(server.screen("ann"))
        try ann.wait(for: "the title of the room") { _ in (try? ann.fact("pane_title")) == "#lobby – diffroom" }

        try server.say(["one", "two"], as: "bob", room: "tea")

        try ann.wait(for: "the title with a number") { _ in (try? ann.fact("pane_title")) == "(2) #lobby – diffroom" }
    }

    @Test func theColumnOfRoomsComesAndGoesByAKey() throws {
        let server = try ServerProcess()
        try server.join(["tea", "lobby"], as: "ann")
        let ann = try TmuxScreen(server.screen("ann"), columns: 80)
        try ann.wait(for: "online")

        try ann.press("M-r")
        try ann.wait(for: "the column") { lines in lines.contains { $0.hasPrefix("▌lobby") } }
        try ann.press("M-r")
        try ann.wait(for: "no column") { lines in !lines.contains { $0.hasPrefix("▌lobby") } }
    }

    @Test func twoRoomsStandSideBySideAndEachIsRead() throws {
        let server = try ServerProcess()
        try server.join(["tea", "lobby"], as: "ann")
        let ann = try TmuxScreen(server.screen("ann"), columns: 90)
        try ann.wait(for: "online")
        try ann.press("M-s")
        try ann.wait(for: "open another room first")
        try ann.press("C-k")
        try ann.type("tea")
        try ann.wait(for: "room ❯ tea")
        try ann.press("Enter")
        try ann.wait(for: "● online  #tea")

        try ann.press("M-s")
        try server.say(["in the lobby"], as: "bob")
        try server.say(["in the tea room"], as: "bob", room: "tea")
        try ann.wait(for: "both rooms, each below its name") { lines in
            lines[0].hasPrefix(" #tea") && lines[0].contains("│ #lobby")
                && lines.contains {
                    $0.contains("in the tea room") && ($0.split(separator: "│").first?.contains("tea room") ?? false)
                }
                && lines.contains { $0.split(separator: "│").last?.contains("in the lobby") ?? false }
        }
        try ann.press("M-w")
        try ann.wait(for: "● online  #lobby")
        try ann.type("an answer")
        try ann.press("Enter")
        try ann.wait(for: "the answer at the left, where the keys are") { lines in
            lines[0].hasPrefix(" #lobby")
                && lines.contains { $0.hasPrefix("▌  an answer") || $0.hasPrefix("   an answer") }
        }
        let bob = try TmuxScreen(server.screen("bob"))
        try bob.wait(for: "● ann ✓")

        try ann.press("M-s")
        try ann.wait(for: "one room") { lines in !lines[0].contains("#tea") && lines.contains { $0.contains("● ann") } }
    }

    @Test func ignoredMessagesAreHiddenAndSettingsAreReadAgain() throws {
        let server = try ServerProcess()
        try server.say(["buy now", "hello"], as: "bob")
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("diffroom"), withIntermediateDirectories: true)
        let ann = try TmuxScreen(server.screen("ann"), environment: ["XDG_CONFIG_HOME": folder.file("")])
        try ann.wait(for: "hello")

        try #"{"ignore": "*buy*", "key": "ctrl-g=ctrl-f"}"#
            .write(toFile: folder.file("diffroom/config.json"), atomically: true, encoding: .utf8)
        try ann.type("/reload")
        try ann.press("Enter")
        try ann.wait(for: "the line in place of the hidden message") { lines in
            lines.contains { $0.contains("a message is hidden: /unignore *buy*") }
                && !lines.contains { $0.contains("buy now") } && lines.contains { $0.contains("hello") }
        }
        try ann.press("C-g")
        try ann.wait(for: "search ❯")
        try ann.press("Escape")
        try ann.wait(for: "ann ❯")
        try ann.type("/unignore *buy*")
        try ann.press("Enter")
        try ann.wait(for: "buy now")
    }

    @Test func aClickOnAReactionAddsOnesOwn() throws {
        let server = try ServerProcess()
        try server.say(["Nice work"], as: "bob")
        try server.say(["/react 1 👍"], as: "bob")
        let ann = try TmuxScreen(server.screen("ann"))
        // The column of people, which comes later than the messages, moves the reactions.
        try ann.wait(for: "the reaction beside the column of people") { lines in
            lines.contains { $0.contains("👍 1") } && lines.contains { $0.contains("│ ● ann") }
        }

        try click(ann, on: "👍 1")

        try ann.wait(for: "👍 2")
    }

    @Test func linesAreThereAfterTheNextStartAndTheUsersFileHasTheSettings() throws {
        let server = try ServerProcess()
        let folder = TemporaryFolder()
        let settings = #"{"url": "\#(server.url)", "user": "ann", "room": "lobby", "log": "\#(folder.file("log"))"}"#
        try FileManager.default.createDirectory(atPath: folder.file("diffroom"), withIntermediateDirectories: true)
        try settings.write(toFile: folder.file("diffroom/config.json"), atomically: true, encoding: .utf8)
        let files = ["XDG_CONFIG_HOME": folder.file(""), "XDG_STATE_HOME": folder.file("")]
        do {
            let ann = try TmuxScreen("\(program("diffroom")); exec cat", environment: files)
            try ann.wait(for: "online")
            try ann.type("said before")
            try ann.press("Enter")
            try ann.wait(for: "acknowledged") { lines in
                lines.contains { $0.contains("said before") } && !lines.contains { $0.contains("sending") }
            }
            try ann.press("C-d")
            try ann.wait(for: "the end") { _ in (try? ann.fact("alternate_on")) == "0" }
        }
        let log = try String(contentsOfFile: folder.file("log"), encoding: .utf8)
        #expect(log.contains("ann: said before"), "\(log)")

        let ann = try TmuxScreen(program("diffroom"), environment: files)
        try ann.wait(for: "online")
        try ann.press("Up")
        try ann.wait(for: "ann ❯ said before")
    }
}
