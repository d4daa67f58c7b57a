import ChatWire
import Foundation
import TestSupport
import Testing

/// Tokens, from the key to the conversation, by the programs alone.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct TokenTests {
    private let folder = TemporaryFolder()
    private var secret: String { folder.file("secret") }

    private func makeSecret() throws {
        try #require(ChildProcess("openssl", ["rand", "-out", secret, "32"]).wait() == .exit(0))
    }

    private func start() async throws -> Server {
        let settings = #"{"data": "\#(folder.file("rooms.db"))", "listen": "127.0.0.1:0", "secret": "\#(secret)"}"#
        let path = folder.file("diffroomd.json")
        try settings.write(toFile: path, atomically: true, encoding: .utf8)
        return try await Server(config: path)
    }

    private func token(_ user: String, _ grants: String...) async throws -> String {
        let flags = ["token", "--secret", secret, "--user", user] + grants.flatMap { ["--grant", $0] }
        let program = try RunningProgram("diffroomd", flags)
        return try #require(await program.line())
    }

    /// - Parameter end: what the program is to print before it is told to end.
    private func refusal(_ arguments: String...) async throws -> (RunningProgram.Ending?, String) {
        let program = try RunningProgram("diffroomd", ["--data", folder.file("rooms.db")] + arguments)
        let text = await program.complaint(containing: "diffroomd:") ?? ""
        return (await program.end(), text)
    }

    /// What the server prints at its start is a command that works.
    @Test
    func theCommandThatIsSuggestedAtTheStartWorks() async throws {
        try makeSecret()
        let server = try await start()
        let line = try #require(await server.program.line(containing: "In another terminal: "))
        let command = String(line.trimmingPrefix("In another terminal: "))

        let program = try RunningProgram("/bin/bash", ["-c", "echo hello | \(command) --plain"])

        #expect(command.contains("--secret \(secret)"), "\(command)")
        #expect(await program.end() == .exit(0), "\(command)")
    }

    @Test(arguments: [
        (["--name", "Ann\u{200B}"], "--name"), (["--name", ""], "--name"),
        (["--picture", "http://chat.example/a"], "--picture"),
    ])
    func aProfileThatNoServerTakesIsRefusedAtTheCommandLine(flags: [String], named: String) async throws {
        try makeSecret()
        let program = try RunningProgram("diffroomd", ["token", "--secret", secret, "--user", "ann"] + flags)
        let text = await program.complaint(containing: named)

        #expect(text != nil)
        #expect(await program.end() == .exit(2))
    }

    @Test(arguments: ["0.0.0.0:0", "[::]:0", "127.evil.example:0", "10.1.2.3:0"])
    func withoutKeysItListensOnLoopbackOnlyAndSaysBothWaysOut(address: String) async throws {
        let (ending, text) = try await refusal("--listen", address)

        #expect(ending == .exit(2))
        #expect(text.contains("--keys") && text.contains("--insecure"), "\(text)")
    }

    @Test(arguments: ["--insecure", "--secret"])
    func eachOfBothWaysOutWorks(flag: String) async throws {
        try makeSecret()
        let data = folder.file("rooms.db")
        let flags = flag == "--secret" ? [flag, secret] : [flag]
        let program = try RunningProgram("diffroomd", ["--data", data, "--listen", "0.0.0.0:0"] + flags)

        #expect(await program.line(containing: "listening on ws://0.0.0.0:") != nil)
    }

    @Test
    func aFileWithoutAKeyIsRefusedAtTheStart() async throws {
        try Data("short".utf8).write(to: URL(filePath: secret))

        let (ending, text) = try await refusal("--listen", "127.0.0.1:0", "--secret", secret)

        #expect(ending == .exit(1) && text.contains(secret) && text.contains("32"), "\(text)")
    }

    @Test
    func aTokenFileLetsSomebodyChat() async throws {
        try makeSecret()
        let server = try await start()
        let file = folder.file("ann.token")
        try await (token("ann", "lobby=write") + "\n").write(toFile: file, atomically: true, encoding: .utf8)

        let ann = try RunningProgram("diffroom", [server.url, "--plain", "--user", "bob", "--token-file", file])
        #expect(await ann.complaint(containing: "connected to \(server.url) as ann") != nil)
        try ann.type("hello")
        #expect(await ann.line(containing: "ann: hello") != nil)
        try ann.endInput()
        #expect(await ann.end() == .exit(0))

        let reader = try await RunningProgram(
            "diffroom", [server.url, "--plain", "--follow"], environment: ["DIFFROOM_TOKEN": token("bob", "*=read")])
        #expect(await reader.line(containing: "ann: hello") != nil)
        let stranger = try RunningProgram("diffroom", [server.url, "--plain", "--user", "ann"])
        #expect(await stranger.complaint(containing: "wants a token") != nil)
        #expect(await stranger.end() == .exit(1))
    }

    @Test
    func aTokenThatOpensNoRoomIsMadeWithAWord() async throws {
        try makeSecret()
        let program = try RunningProgram("diffroomd", ["token", "--secret", secret, "--user", "ann"])

        #expect(await program.complaint(containing: "without --grant") != nil)
        #expect(await program.line() != nil)
        #expect(await program.end() == .exit(0))
    }

    @Test
    func keysAreReadAgainWithoutLosingAConnection() async throws {
        try makeSecret()
        let server = try await start()
        let connections = try Connections()
        defer { connections.stop() }
        func hello(_ token: String) async throws -> Connection? {
            let connection = try connections.connect(to: server.port)
            guard case .welcome = try await connection.answer(to: .hello(.token(token))) else { return nil }
            return connection
        }
        let old = try await token("ann", "lobby=write")
        let ann = try #require(try await hello(old))

        try makeSecret()
        let new = try await token("ann", "lobby=write")
        #expect(try await hello(new) == nil)
        server.program.kill(SIGHUP)
        #expect(await server.program.complaint(containing: "reloaded") != nil)

        #expect(try await hello(old) == nil)
        #expect(try await hello(new) != nil)
        let room = try #require(RoomName("lobby"))
        let answer = try await ann.answer(to: .send(room: room, id: .random(), "still here"))
        guard case .ok = answer else {
            Issue.record("\(answer)")
            return
        }
    }

    @Test
    func theLoadToolMakesTokensForItsUsers() async throws {
        try makeSecret()
        let server = try await start()
        let flags = ["--rooms", "2", "--subscribers", "3", "--duration", "1", "--rate", "20", "--secret", secret]

        let load = try RunningProgram("diffroom-load", [server.url] + flags)

        #expect(await load.end() == .exit(0))
    }

    @Test
    func aRoomIsCarriedFromOneServerWithKeysToAnother() async throws {
        try makeSecret()
        let server = try await start()
        let line =
            #"{"id":"5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2","sort":1,"rev":1,"author":"cid","time":1,"text":"hello"}"#

        let importing = try RunningProgram("diffroom", ["import", server.url, "--secret", secret])
        try importing.type(line)
        try importing.endInput()
        #expect(await importing.end() == .exit(0))
        let exporting = try await RunningProgram(
            "diffroom", ["export", server.url], environment: ["DIFFROOM_TOKEN": token("ann", "lobby=read")])

        #expect(await exporting.line(containing: "hello")?.contains("\"author\":\"cid\"") == true)
        #expect(await exporting.end() == .exit(0))
    }
}
