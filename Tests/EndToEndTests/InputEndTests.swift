import Foundation
import TestSupport
import Testing

/// The last line of a pipe is carried out and answered before `diffroom` ends, and it does end.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct InputEndTests {
    private let folder = TemporaryFolder()

    /// Makes a pair of keys.
    ///
    /// - Returns: the file of the signing key and that of the server's.
    private func makeKeys(_ name: String) throws -> (key: String, lock: String) {
        let (key, lock) = (folder.file("\(name).pem"), folder.file("\(name).pub.pem"))
        try #require(ChildProcess("openssl", ["genpkey", "-algorithm", "ed25519", "-out", key]).wait() == .exit(0))
        try #require(ChildProcess("openssl", ["pkey", "-in", key, "-pubout", "-out", lock]).wait() == .exit(0))
        return (key, lock)
    }

    /// A server with keys.
    private func start() async throws -> (server: Server, key: String) {
        let (key, lock) = try makeKeys("first")
        return (try await Server(data: folder.file("rooms.db"), flags: ["--keys", lock]), key)
    }

    private func token(_ key: String, for user: String, _ flags: String...) async throws -> String {
        let program = try RunningProgram("diffroomd", ["token", "--key", key, "--user", user] + flags)
        return try #require(await program.line())
    }

    private func pipe(_ lines: [String], to server: Server, _ token: String) async throws -> RunningProgram {
        let program = try RunningProgram("diffroom", [server.url], environment: ["DIFFROOM_TOKEN": token])
        for line in lines { try program.type(line) }
        try program.endInput()
        return program
    }

    @Test
    func everyCommandIsWaitedForAndThenItEnds() async throws {
        let (server, key) = try await start()
        let ann = try await token(key, for: "ann", "--grant", "*=own")
        #expect(try await pipe(["hello"], to: server, ann).end() == .exit(0))
        let lines = [
            "/mute eve 10m", "/unmute eve", "/kick eve", "/ban eve", "/unban eve", "/slow 5s", "/slow 0",
            "/readonly on", "/readonly off", "/role eve moderate", "/role eve none", "/react 1 👍", "/unreact 1 👍",
            "/edit 1 hello again", "/reply 1 yes", "/delete 1", "/help", "/quit",
        ]

        for line in lines { #expect(try await pipe([line], to: server, ann).end() == .exit(0), "\(line)") }
    }

    @Test
    func aLineThatIsNotUTF8IsNamedAndTheOthersAreSent() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let program = try RunningProgram("diffroom", [server.url, "--user", "ann"])

        let rest = "\nthr\u{E9}e\n\u{1B}[1mfour\u{1B}[0m\r\n\u{200B}\n    five"
        try program.type(bytes: Array("one\ncaf".utf8) + [0xE9] + Array(rest.utf8))
        try program.endInput()

        #expect(await program.complaint(containing: "line 2 of the input is not UTF-8") != nil)
        #expect(await program.complaint(containing: "left out control characters") != nil)
        #expect(await program.complaint(containing: "the text has no visible character") != nil)
        #expect(await program.end() == .exit(1))
        while await program.line() != nil {}
        let said = program.lines.compactMap { $0.components(separatedBy: "ann: ").dropFirst().first }
        #expect(said == ["one", "thr\u{E9}e", "four", "    five"])
    }

    @Test
    func everyQueryIsAnswered() async throws {
        let (server, key) = try await start()
        let ann = try await token(key, for: "ann", "--grant", "*=own")
        let messages = (1...150).map { "line \($0)" }
        #expect(try await pipe(messages + ["/mute eve 10m"], to: server, ann).end() == .exit(0))

        let asking = try await pipe(["/who", "/audit", "/older 40", "/older 32"], to: server, ann)

        #expect(await asking.end() == .exit(0))
        // Each is answered by another part of the server, so the answers come in any order.
        var answers = ""
        while let line = await asking.complaint() { answers += line + "\n" }
        #expect(answers.contains("online: ann") && answers.contains("mute eve"), "\(answers)")
        while await asking.line() != nil {}
        #expect(asking.lines.count { $0.contains("ann: line ") } == 50 + 40 + 32)
    }

    @Test
    func membershipsAreWaitedForAndTold() async throws {
        let (server, key) = try await start()
        let ann = try await token(key, for: "ann", "--grant", "*=write")
        let joining = try await pipe(["/join tea", "/join", "hello", "/rooms"], to: server, ann)
        #expect(await joining.complaint(containing: "you are a member of room tea now") != nil)
        // All of it may have happened in one millisecond, and then the rooms may stand in either order.
        var told = ""
        for _ in 0..<2 { told += await joining.complaint(containing: "unread") ?? "" }
        #expect(told.contains("room lobby: nothing unread; ann: hello"))
        #expect(told.contains("room tea: nothing unread"))
        #expect(await joining.end() == .exit(0))

        let leaving = try await pipe(["/leave tea", "/leave attic", "/rooms"], to: server, ann)
        #expect(await leaving.complaint(containing: "you are no member of room tea any more") != nil)
        #expect(await leaving.complaint(containing: "room lobby: nothing unread") != nil)
        #expect(await leaving.end() == .exit(0))
    }

    @Test
    func aQueryThatIsRefusedIsAFailure() async throws {
        let (server, key) = try await start()
        let bob = try await token(key, for: "bob", "--grant", "*=write")

        let asking = try await pipe(["/audit"], to: server, bob)

        #expect(await asking.complaint(containing: "the audit log cannot be loaded") != nil)
        #expect(await asking.end() == .exit(1))
    }

    /// No clock is involved: the server comes back with other keys and refuses the old token.
    @Test
    func aTokenThatIsNoLongerTakenIsReplacedByAFreshOneInItsFile() async throws {
        let (old, new, data) = (try makeKeys("old"), try makeKeys("new"), folder.file("rooms.db"))
        let first = try await Server(data: data, host: "127.9.26.1", flags: ["--keys", old.lock])
        let file = folder.file("token")
        let grants = "lobby=write"
        try await token(old.key, for: "ann", "--grant", grants).write(toFile: file, atomically: true, encoding: .utf8)
        let ann = try RunningProgram("diffroom", [first.url, "--follow", "--token-file", file])
        #expect(await ann.complaint(containing: "connected") != nil)
        first.program.kill(SIGTERM)
        #expect(await first.program.end() == .exit(0))

        let second = try await Server(data: data, host: first.host, port: first.port, flags: ["--keys", new.lock])
        #expect(await ann.complaint(containing: "refused the connection") != nil)
        try await token(new.key, for: "ann", "--grant", grants).write(toFile: file, atomically: true, encoding: .utf8)

        #expect(await ann.complaint(containing: "connected") != nil)
        try ann.type("here again")
        #expect(await ann.line(containing: "ann: here again") != nil)
        withExtendedLifetime(second) {}
    }
}
