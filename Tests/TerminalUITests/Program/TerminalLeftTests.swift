import Foundation
import Testing

extension OnTheScreen {
    @Suite struct TerminalLeftTests {}
}

/// The state in which the program leaves the terminal, and its behaviour without a screen.
extension OnTheScreen.TerminalLeftTests {
    /// Runs the program in a shell that goes on when the program has ended.
    private func shell(_ server: ServerProcess) throws -> TmuxScreen {
        try TmuxScreen("\(server.screen("ann")); echo ended with $?; stty -a | tr ';' '\\n' | grep -w echo; exec cat")
    }

    private func expectRestored(_ screen: TmuxScreen, _ location: SourceLocation = #_sourceLocation) throws {
        let lines = try screen.wait(for: "ended with", location)
        #expect(try screen.fact("alternate_on") == "0", sourceLocation: location)
        #expect(try screen.fact("cursor_flag") == "1", sourceLocation: location)
        try screen.wait(for: "echo, not -echo", location) { $0.contains { $0.contains(" echo ") } }
        #expect(!lines.contains { $0.contains("online") }, sourceLocation: location)
    }

    @Test func quittingGivesTheTerminalBack() throws {
        let server = try ServerProcess()
        let ann = try shell(server)
        try ann.wait(for: "online")
        #expect(try ann.fact("alternate_on") == "1")

        try ann.type("/quit")
        try ann.press("Enter")

        try expectRestored(ann)
        #expect(try ann.lines().contains("ended with 0"))
    }

    /// The capabilities of a VT100 contain pauses for a serial line, which are no output.
    @Test func anOldTerminalIsGivenBackWithoutItsPauses() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(
            "TERM=vt100 \(server.screen("ann")); echo ended with $?; exec cat", environment: ["LC_ALL": "C.UTF-8"])
        try ann.wait(for: "online")

        try ann.type("/quit")
        try ann.press("Enter")

        let lines = try ann.wait(for: "ended with 0")
        #expect(!lines.contains { $0.contains("$<") }, "\(lines)")
    }

    @Test func controlZStopsItEachTimeAndTheShellHasTheTerminalMeanwhile() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen("exec bash --norc --noprofile -i", environment: ["PS1": "$ "])
        try ann.type(server.screen("ann"))
        try ann.press("Enter")
        for _ in 0..<10 {
            try ann.wait(for: "● online")

            try ann.press("C-z")

            try ann.wait(for: "Stopped")
            #expect(try ann.fact("alternate_on") == "0")
            try ann.type("clear; fg")
            try ann.press("Enter")
        }
        try ann.wait(for: "● online")
    }

    @Test func nobodyCanWakeItSoControlZLeavesItAlone() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        try ann.wait(for: "● online")

        try ann.press("C-z")
        try ann.type("still here")

        try ann.wait(for: "ann ❯ still here")
    }

    @Test(arguments: ["TERM", "INT", "ABRT", "SEGV", "ILL"])
    func aSignalGivesTheTerminalBack(name: String) throws {
        let server = try ServerProcess()
        let ann = try shell(server)
        try ann.wait(for: "online")

        let shell = try ann.fact("pane_pid")
        _ = try output(of: "/usr/bin/env", ["pkill", "-\(name)", "-P", shell, "diffroom"])

        try expectRestored(ann)
    }

    /// Nobody is left who could take the deletion back.
    @Test(arguments: ["TERM", "INT", "HUP"])
    func aMessageThatIsToBeDeletedIsDeletedWhenASignalEndsTheProgram(name: String) throws {
        let server = try ServerProcess()
        try server.say(["my mistake"], as: "ann")
        let ann = try shell(server)
        try ann.wait(for: "my mistake")
        try ann.press("Tab")
        try ann.wait(for: "r reply")
        try ann.press("d")
        try ann.wait(for: "[Keep]")
        try ann.press("Right", "Enter")
        try ann.wait(for: "(to be deleted)")

        let shell = try ann.fact("pane_pid")
        _ = try output(of: "/usr/bin/env", ["pkill", "-\(name)", "-P", shell, "diffroom"])

        try expectRestored(ann)
        #expect(try !output(of: program("diffroom"), [server.url, "--user", "bob"]).contains("my mistake"))
    }

    @Test func noColourMeansNone() throws {
        let server = try ServerProcess()
        try server.say(["Hello"], as: "bob")
        let ann = try TmuxScreen(server.screen("ann"), environment: ["NO_COLOR": "1"])
        try ann.wait(for: "Hello")
        try ann.wait(for: " ● online  #lobby")

        let screen = try ann.tmux(["capture-pane", "-p", "-e"])

        #expect(screen.firstMatch(of: /\u{1B}\[([0-9;]*;)?7m/) != nil)
        #expect(screen.firstMatch(of: /\u{1B}\[([0-9;]*;)?[34][0-8][;m]/) == nil)
    }

    @Test func aDumbTerminalGetsLines() throws {
        let server = try ServerProcess()
        try server.say(["Hello"], as: "bob")
        let ann = try TmuxScreen(server.screen("ann"), environment: ["TERM": "dumb"])

        let lines = try ann.wait(for: "bob: Hello")

        #expect(lines.contains { $0.contains("the terminal 'dumb' is too simple") })
        #expect(try ann.fact("alternate_on") == "0")
    }

    @Test func aPipeGetsLines() throws {
        let server = try ServerProcess()
        try server.say(["Hello"], as: "bob")

        let lines = try output(of: program("diffroom"), [server.url, "--user", "ann"])

        #expect(lines.contains("bob: Hello"))
        #expect(!lines.contains("\u{1B}"))
    }
}
