import TestSupport
import Testing

/// People who chat with `diffroom`, as they see it.
@Suite(.timeLimit(.minutes(2)))
struct ConversationTests {
    private let folder = TemporaryFolder()

    private func join(_ user: String, _ server: Server, _ flags: String...) async throws -> RunningProgram {
        let program = try RunningProgram("diffroom", [server.url, "--user", user] + flags)
        _ = await program.complaint(containing: "connected")
        return program
    }

    @Test
    func whatOneTypesTheOtherSeesAndChangesShowTheirSigns() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try await join("ann", server)
        let bob = try await join("bob", server)

        try ann.type("hello, bob")
        #expect(await bob.line(containing: "ann: hello, bob")?.hasPrefix("+ 1 ") == true)
        try ann.type("/edit 1 hello, Bob")
        #expect(await bob.line(containing: "ann: hello, Bob (edited)")?.hasPrefix("~ 1 ") == true)
        try bob.type("/react 1 👍")
        #expect(await ann.line(containing: "* 1 ") != nil)
        #expect(await ann.line(containing: "👍 bob") != nil)
        try ann.type("/delete last")
        #expect(await bob.line(containing: "ann: hello, Bob")?.hasPrefix("* 1 ") == true)
        #expect(await bob.line(containing: "ann: hello, Bob")?.hasPrefix("- 1 ") == true)

        for person in [ann, bob] {
            try person.endInput()
            #expect(await person.end() == .exit(0))
        }
    }

    @Test
    func whoComesLateGetsThePastAsHistoryAndTheRestAsItComes() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try await join("ann", server)
        try ann.type("before")
        #expect(await ann.line(containing: "ann: before") != nil)

        let late = try await join("late", server)
        #expect(await late.line(containing: "before") != nil)
        try ann.type("after")
        #expect(await late.line(containing: "after") != nil)

        #expect(late.lines.filter { !$0.isEmpty }.map { $0.prefix(4) } == ["hist", "+ 1 ", "sock", "+ 2 "])
    }

    @Test
    func aPastedHeapOfLinesIsAllThereInOrderWhenItEnds() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try await join("ann", server)
        let texts = (1...2_000).map { "line \($0)" }

        for text in texts { try ann.type(text) }
        try ann.endInput()
        #expect(await ann.end() == .exit(0))

        let reader = try await join("reader", server, "--limit", "500")
        try reader.endInput()
        #expect(await reader.end() == .exit(0))
        let seen = reader.lines.compactMap { $0.split(separator: " ann: ").dropFirst().last.map(String.init) }
        #expect(seen == Array(texts.suffix(500)))
    }

    @Test
    func aKilledServerLosesNothingThatWasSaidWhileItWasGone() async throws {
        let data = folder.file("rooms.db")
        let first = try await Server(data: data)
        let ann = try await join("ann", first)
        try ann.type("one")
        #expect(await ann.line(containing: "ann: one") != nil)

        first.program.kill(9)
        _ = await first.program.end()
        #expect(await ann.complaint(containing: "trying again") != nil)
        try ann.type("two")
        let second = try await Server(data: data, port: first.port)
        #expect(await ann.line(containing: "ann: two") != nil)
        try ann.endInput()
        #expect(await ann.end() == .exit(0))

        #expect(ann.lines.filter { $0.contains("ann: one") }.count == 1)
        withExtendedLifetime(second) {}
    }

    @Test
    func aCommandThatCannotBeDoneIsSaidAndMakesTheStatusOne() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try await join("ann", server)

        try ann.type("/edit 99 nothing")
        #expect(await ann.complaint(containing: "99") != nil)
        try ann.endInput()

        #expect(await ann.end() == .exit(1))
    }

    @Test(arguments: [
        (["http://x"], "ws://"), (["--room", "a b", "ws://127.0.0.1:1"], "letters"), (["--limit", "7"], "32 to 500"),
        (["ws://127.0.0.1:1", "extra"], "expected"), (["--usr", "ann"], "--user"),
    ])
    func aWrongCommandLineSaysWhatWouldBeRight(arguments: [String], hint: String) async throws {
        let program = try RunningProgram("diffroom", arguments + ["--user", "ann"])

        let text = await program.complaint() ?? ""

        #expect(text.contains(hint), "\(text)")
        #expect(await program.end() == .exit(2))
    }

    @Test
    func withoutAServerItGivesUpWhenItsPatienceEnds() async throws {
        let program = try RunningProgram("diffroom", ["ws://127.0.0.1:1", "--user", "ann", "--patience", "1"])

        #expect(await program.complaint(containing: "giving up") != nil)
        #expect(await program.end() == .exit(1))
    }
}
