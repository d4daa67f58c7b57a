import Foundation
import TestSupport
import Testing

/// Two people with `diffroom --plain`, as in the README.
@Suite(.timeLimit(.minutes(2)))
struct ConversationTests {
    private let folder = TemporaryFolder()

    private func client(_ user: String, _ server: Server, _ flags: String...) throws -> RunningProgram {
        try RunningProgram("diffroom", [server.url, "--room", "lobby", "--user", user, "--plain"] + flags)
    }

    @Test
    func whatIsTypedInOneTerminalShowsInTheOther() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        let bob = try client("bob", server)
        #expect(await ann.complaint(containing: "connected") != nil)
        #expect(await bob.complaint(containing: "connected") != nil)

        try ann.type("hello")
        #expect(await bob.line(containing: "+ 1 ")?.hasSuffix("ann: hello") == true)
        #expect(await ann.line(containing: "+ 1 ") != nil)
        try ann.type("/edit 1 hello, bob")
        #expect(await bob.line(containing: "~ 1 ")?.contains("ann: hello, bob") == true)
        try bob.type("/react 1 👍")
        #expect(await ann.line(containing: "* 1 ") != nil)
        #expect(await ann.line(containing: "👍 bob") != nil)
        try ann.type("/delete 1")
        #expect(await bob.line(containing: "- 1 ") != nil)
    }

    @Test
    func whoComesLaterGetsThePastUnderHistoryAndTheRestUnderSocket() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        try ann.type("before")
        #expect(await ann.line(containing: "ann: before") != nil)
        let bob = try client("bob", server)
        #expect(await bob.line(containing: "ann: before") != nil)
        try ann.type("after")
        #expect(await bob.line(containing: "ann: after") != nil)

        let lines = bob.lines
        #expect(lines.first == "history" && lines.contains("socket"))
        #expect(lines.firstIndex(of: "socket")! > lines.firstIndex { $0.contains("before") }!)
        #expect(lines.firstIndex(of: "socket")! < lines.firstIndex { $0.contains("after") }!)
    }

    @Test
    func atTheEndOfInputEverythingIsAcknowledged() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        for number in 1...100 { try ann.type("line \(number)") }
        try ann.endInput()

        #expect(await ann.end() == .exit(0))
        let bob = try client("bob", server, "--limit", "100")
        #expect(await bob.line(containing: "ann: line 100") != nil)
        #expect(bob.lines.count { $0.hasPrefix("+") } == 100)
    }

    @Test
    func aServerThatIsKilledAndStartedAgainIsAPauseOnly() async throws {
        let data = folder.file("rooms.db")
        let server = try await Server(data: data, host: "127.0.0.3")
        let ann = try client("ann", server)
        let bob = try client("bob", server)
        try ann.type("one")
        #expect(await bob.line(containing: "ann: one") != nil)

        try ann.type("two")
        let again = try await server.killed(data: data)

        #expect(again.port == server.port)
        #expect(await bob.line(containing: "ann: two") != nil)
        #expect(bob.lines.count { $0.contains("ann: one") } == 1)
    }
}
