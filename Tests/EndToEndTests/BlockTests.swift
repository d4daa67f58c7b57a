import TestSupport
import Testing

/// Blocked users in lines, with the programs that people use.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct BlockTests {
    private let folder = TemporaryFolder()

    private func client(_ server: Server, _ flags: String...) throws -> RunningProgram {
        try RunningProgram("diffroom", [server.url, "--room", "lobby", "--user", "ann"] + flags)
    }

    @Test func linesBlockListAndUnblock() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client(server, "--plain")
        for line in ["/block", "/block bob", "/block @cid", "/block", "/unblock bob", "/block", "/block ann"] {
            try ann.type(line)
        }
        try ann.endInput()

        #expect(await ann.complaint(containing: "you block nobody: /block NAME") != nil)
        #expect(await ann.complaint(containing: "bob is blocked") != nil)
        #expect(await ann.complaint(containing: "you block bob, cid") != nil)
        #expect(await ann.complaint(containing: "bob is not blocked any more") != nil)
        #expect(await ann.complaint(containing: "you block cid") != nil)
        #expect(await ann.complaint(containing: "ann is not blocked: user: you cannot block yourself") != nil)
        #expect(await ann.end() == .exit(1))
    }

    @Test func programsGetTheListAsJSON() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client(server, "--json")
        try ann.type("/block bob")
        try ann.type("/block")
        let line = try #require(await ann.line(containing: #""change":"blocked""#))
        #expect(line.contains(#""users":[{"id":"bob","#))
    }

    /// What was answered is there after a crash.
    @Test func aServerThatIsKilledKeepsEachBlock() async throws {
        let data = folder.file("rooms.db")
        var server = try await Server(data: data, host: "127.0.0.3")
        let ann = try client(server, "--plain")
        for number in 0..<20 {
            try ann.type("/block user\(number)")
            #expect(await ann.complaint(containing: "user\(number) is blocked") != nil)
            if number % 7 == 6 { server = try await server.killed(data: data) }
        }
        server = try await server.killed(data: data)

        try ann.type("/block")
        let names = (0..<20).map { "user\($0)" }.joined(separator: ", ")
        #expect(await ann.complaint(containing: "you block \(names)") != nil)
        withExtendedLifetime(server) {}
    }
}
