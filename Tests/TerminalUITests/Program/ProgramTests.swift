import Foundation
import Testing

/// The real program on a real terminal, against the real server; one at a time, because each takes several processes.
@Suite(.serialized) enum OnTheScreen {}

extension OnTheScreen {
    @Suite struct ProgramTests {}
}

extension OnTheScreen.ProgramTests {
    private func contains(_ lines: [String], _ text: String) -> Bool {
        lines.contains { $0.contains(text) }
    }

    @Test func whatOneTypesTheOtherSees() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        let bob = try TmuxScreen(server.screen("bob"), columns: 60, rows: 24)
        try ann.wait(for: "online")
        try bob.wait(for: "online")

        try ann.type("Hello 漢字 👍 there")
        try ann.press("Enter")

        try bob.wait(for: "what ann said below the line of joining") { lines in
            guard let join = lines.firstIndex(where: { $0.contains("you joined on") }),
                let head = lines.firstIndex(where: { $0.contains("ann  ") })
            else { return false }
            return join < head && contains(lines, "Hello 漢字 👍 there")
        }
    }

    @Test func whoIsThereAndWhoWritesIsOnTheScreen() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        let bob = try TmuxScreen(server.screen("bob"))
        try ann.wait(for: "● bob")
        try bob.wait(for: "online 2")

        try bob.type("I think")
        try ann.wait(for: "bob is writing…")
        try ann.wait(for: "✎ bob")
        try bob.press("Enter")
        try ann.wait(for: "nobody is writing") { lines in
            contains(lines, "I think") && !contains(lines, "is writing…")
        }
        try bob.wait(for: "● ann ✓")
        try bob.press("C-c")
        try bob.wait(for: "Ctrl-C again ends the program")
        try bob.press("C-c")
        try ann.wait(for: "○ bob")
    }

    @Test func aMessageIsAnsweredEditedAndDeletedByKeys() throws {
        let server = try ServerProcess()
        try server.say(["The first thing"], as: "bob")
        let ann = try TmuxScreen(server.screen("ann"))
        try ann.wait(for: "The first thing")

        try ann.press("Tab")
        try ann.wait(for: "r reply")
        try ann.press("r")
        try ann.wait(for: "reply to bob")
        try ann.type("An answer")
        try ann.press("Enter")
        try ann.wait(for: "╭ bob The first thing")

        try ann.press("Tab")
        try ann.wait(for: "r reply")
        try ann.press("e")
        try ann.wait(for: "edit ❯ An answer")
        try ann.type(", better")
        try ann.press("Enter")
        try ann.wait(for: "An answer, better (edited)")

        try ann.press("Tab")
        try ann.wait(for: "r reply")
        try ann.press("d")
        try ann.wait(for: "[Keep]")
        try ann.press("Right", "Enter")
        try ann.wait(for: "An answer, better (edited) (to be deleted)")
        try ann.press("u")
        try ann.wait(for: "the message is kept")
        try ann.press("d")
        try ann.wait(for: "[Keep]")
        try ann.press("Right", "Enter")
        try ann.wait(for: "only one message") { lines in !contains(lines, "An answer") }
    }

    @Test func aReactionIsSeenInPlaceByEverybody() throws {
        let server = try ServerProcess()
        try server.say(["Nice work"], as: "bob")
        let ann = try TmuxScreen(server.screen("ann"), columns: 60)
        let bob = try TmuxScreen(server.screen("bob"), columns: 60)
        let before = try bob.wait(for: "Nice work")
        try ann.wait(for: "Nice work")

        try ann.press("Tab")
        try ann.wait(for: "r reply")
        try ann.press("+")
        try ann.wait(for: "react to bob")
        try ann.press("1")

        let row = try #require(before.firstIndex { $0.contains("Nice work") })
        try bob.wait(for: "the reaction at the end of the same line") { lines in
            lines[row].hasPrefix("   Nice work") && lines[row].hasSuffix("👍 1")
        }
    }

    @Test func aMessageIsThereAtOnceAndTheSilenceOfTheServerIsShown() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        try ann.wait(for: "online")
        server.signal(SIGSTOP)

        try ann.type("into the silence")
        try ann.press("Enter")
        try ann.wait(for: "into the silence  sending…")
        try ann.wait(for: "● online, no answer for 3 s")
        server.signal(SIGCONT)

        try ann.wait(for: "the message in the list, once") { lines in
            lines.filter { $0.contains("into the silence") }.count == 1 && contains(lines, " ● online  #lobby")
                && !contains(lines, "sending")
        }
    }

    @Test func aRefusedEditIsOfferedAgain() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        let owner = try TmuxScreen(server.screen("owner"))
        try ann.wait(for: "online")
        try owner.wait(for: "online")
        try ann.type("a first text")
        try ann.press("Enter")
        try owner.wait(for: "a first text")
        try ann.press("Tab")
        try ann.wait(for: "r reply")
        try ann.press("e")
        try ann.wait(for: "edit ❯ a first text")
        try ann.type(String(repeating: "x", count: 200))
        try ann.paste(String(repeating: "long ", count: 1_700))
        try ann.press("Enter")
        try ann.wait(for: "not done")

        try ann.press("Tab")
        try ann.wait(for: "r reply")
        try ann.press("e")
        try ann.wait(for: "the refused text") { contains($0, "long long") && contains($0, "edit ❯") }
    }

    @Test func whatWasSaidWhileTheServerWasDeadArrivesOnce() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        let bob = try TmuxScreen(server.screen("bob"))
        try ann.wait(for: "online")
        try bob.wait(for: "online")
        try ann.type("before")
        try ann.press("Enter")
        try bob.wait(for: "before")

        server.kill()
        try ann.wait(for: "offline")
        try ann.type("meanwhile")
        try ann.press("Enter")
        try ann.wait(for: "meanwhile  waits for a connection")
        try server.start()

        try bob.wait(for: "each line once") { lines in
            ["before", "meanwhile"].allSatisfy { text in lines.filter { $0.contains(text) }.count == 1 }
        }
        try ann.wait(for: "acknowledged") { !contains($0, "sending") && contains($0, "meanwhile") }
    }

    @Test func aSmallerWindowWrapsAnew() throws {
        let server = try ServerProcess()
        let text = "The quick brown fox jumps over the lazy dog and then goes home."
        try server.say([text], as: "bob")
        let ann = try TmuxScreen(server.screen("ann"), columns: 100, rows: 30)
        try ann.wait(for: text)

        try ann.tmux(["resize-window", "-x", "40", "-y", "12"])

        // tmux itself cuts the lines before the program learns of it.
        try ann.wait(for: "the text in two lines, the status and the editor below") { lines in
            guard let row = lines.firstIndex(of: "   The quick brown fox jumps over the") else { return false }
            return lines[row + 1] == "   lazy dog and then goes home."
                && lines[10].hasPrefix(" ● online") && lines[11].hasPrefix(" ann ❯")
        }
    }

    @Test func olderPagesComeWithoutMovingWhatIsRead() throws {
        let server = try ServerProcess()
        try server.say((1...300).map { "line \($0)" }, as: "bob")
        let ann = try TmuxScreen(server.screen("ann") + " --limit 32", columns: 60)
        try ann.wait(for: "line 300")

        let oldest = (1...18).map { "   line \($0)" }
        try ann.wait(for: "the beginning of #lobby") { lines in
            if contains(lines, "the beginning of #lobby") { return lines[3..<21].elementsEqual(oldest) }
            try? ann.press("PageUp")
            return false
        }

        try server.say(["the newest"], as: "bob")
        let later = try ann.wait(for: "↓ 1 new")
        #expect(later[3..<21].elementsEqual(oldest))

        try ann.press("C-End")
        try ann.wait(for: "the newest")
    }

    @Test func aSearchFindsWhatIsLoaded() throws {
        let server = try ServerProcess()
        try server.say((1...60).map { $0 % 20 == 0 ? "naïve needle \($0)" : "hay \($0)" }, as: "bob")
        let ann = try TmuxScreen(server.screen("ann") + " --limit 500")
        try ann.wait(for: "needle 60")

        try ann.press("C-f")
        try ann.type("naive NEEDLE")
        try ann.wait(for: "1 of 3")
        try ann.press("Up")
        try ann.wait(for: "the second of three") { lines in
            contains(lines, "2 of 3") && contains(lines, "needle 40")
        }
    }

    @Test func aSearchLoadsEarlierMessagesBeforeItFindsNothing() throws {
        let server = try ServerProcess()
        try server.say((1...300).map { $0 == 7 ? "a needle" : "hay \($0)" }, as: "bob")
        let ann = try TmuxScreen(server.screen("ann") + " --limit 32")
        try ann.wait(for: "hay 300")

        try ann.press("C-f")
        try ann.type("needle")
        try ann.wait(for: "the needle, which was not loaded") { contains($0, "1 of 1") && contains($0, "a needle") }
        try ann.type("s")
        try ann.wait(for: "nothing found")
    }

    @Test func aPasteThatIsTooLongIsLeftOut() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        try ann.wait(for: "online")

        try ann.type("draft")
        try ann.pasteFile(of: String(repeating: "long ", count: 51_200))

        try ann.wait(for: "the paste was left out")
        try ann.wait(for: "ann ❯ draft")
    }

    @Test func aPasteOfManyLinesIsOneMessage() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        let bob = try TmuxScreen(server.screen("bob"), columns: 60)
        try ann.wait(for: "online")
        try bob.wait(for: "online")

        try ann.paste("one\ntwo\nthree")
        try ann.wait(for: "an editor of three lines") { lines in
            contains(lines, "ann ❯ one") && contains(lines, "       three")
        }
        try ann.press("Enter")

        try bob.wait(for: "three lines under one name") { lines in
            guard let head = lines.firstIndex(where: { $0.contains("ann  ") }) else { return false }
            return lines[(head + 1)...].starts(with: ["▌  one", "▌  two", "▌  three"])
                || lines[(head + 1)...].starts(with: ["   one", "   two", "   three"])
        }
    }

    @Test func helpComesAndGoes() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"), columns: 60, rows: 24)
        try ann.wait(for: "online")

        try ann.type("/help")
        try ann.press("Enter")
        try ann.wait(for: "choose a message")
        try ann.press("x")
        try ann.wait(for: "write a message")
    }

    @Test func allOfTheHelpIsReachedInASmallWindow() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"), columns: 40, rows: 10)
        try ann.wait(for: "online")

        try ann.type("/help")
        try ann.press("Enter")
        try ann.wait(for: "Writing")
        try ann.press("NPage", "NPage", "C-End")

        try ann.wait(for: "draw again")
        try ann.press("C-Home")
        try ann.wait(for: "Writing")
    }

    @Test func typingAfterEscapeDeletesNothing() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"))
        try ann.wait(for: "online")
        try ann.type("Mine")
        try ann.press("Enter")
        try ann.wait(for: "   Mine")

        try ann.press("Escape")
        try ann.wait(for: "Tab chooses a message")
        try ann.type("dynamic")

        try ann.wait(for: "ann ❯ dynamic")
        try ann.press("C-u", "Tab")
        try ann.wait(for: "CHOOSE")
        try ann.type("dynamic")
        try ann.press("Enter")
        try ann.wait(for: "no question and the message") { lines in
            contains(lines, "Mine") && contains(lines, "CHOOSE") && !contains(lines, "Keep")
        }
    }

    @Test func whyThereIsNoConnectionIsOnTheScreen() throws {
        let server = try ServerProcess()
        let ann = try TmuxScreen(server.screen("ann"), columns: 100)
        try ann.wait(for: "online")

        server.kill()

        try ann.wait(for: "cannot connect: Connection refused")
        try server.start()
        try ann.wait(for: "● online")
    }
}
