import ChatWire
import Foundation
import TestSupport
import Testing

/// Processes that stand still, and a system without free resources.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct FaultTests {
    private let folder = TemporaryFolder()
    private let room = RoomName("lobby")!

    /// Sends SIGSTOP, and SIGCONT a while later.
    private func stop(_ program: RunningProgram) async throws {
        program.kill(SIGSTOP)
        try await Pause.lasting(.milliseconds(800))
        program.kill(SIGCONT)
    }

    @Test
    func aServerThatStandsStillUnderLoadIsAPauseOnly() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let load = try RunningProgram(
            "diffroom-load",
            [
                "--rooms", "5", "--subscribers", "3", "--rate", "60", "--duration", "3", "--edits", "20", "--seed", "1",
                "--json", server.url,
            ])

        for _ in 0..<3 {
            try await answered(by: server)
            try await stop(server.program)
        }

        let summary = await load.line() ?? ""
        #expect(await load.end() == .exit(0), "\(summary)")
    }

    @Test
    func aReaderThatStandsStillMissesNothing() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let bob = try client("bob", server)
        #expect(await bob.complaint(containing: "connected") != nil)
        bob.kill(SIGSTOP)
        let ann = try client("ann", server)
        for number in 1...300 { try ann.type("line \(number)") }
        try ann.endInput()
        #expect(await ann.end() == .exit(0))

        bob.kill(SIGCONT)

        #expect(await bob.line(containing: "ann: line 300") != nil)
        let seen = bob.lines.compactMap { $0.hasPrefix("+") ? $0.split(separator: " ").last : nil }
        #expect(seen == (1...300).map { "\($0)" })
    }

    @Test
    func whoFindsNoDescriptorLeftIsRefusedAndMayComeWhenOthersHaveLeft() async throws {
        let server = try await Server(data: folder.file("rooms.db"), limit: "-n 100")
        let connections = try Connections()
        defer { connections.stop() }
        var inside: [Connection] = []
        while inside.count < 200, let connection = try await enter(server, connections) { inside.append(connection) }
        let first = try #require(inside.first)

        #expect((10..<100).contains(inside.count))
        guard case .ok = try await say("all here?", on: first) else { throw NotListening() }
        for connection in inside.dropFirst().prefix(5) { connection.close() }
        var late: Connection?
        for _ in 0..<500 where late == nil { late = try await enter(server, connections) }
        guard case .ok = try await say("at last", on: try #require(late)) else { throw NotListening() }
    }
}

extension FaultTests {
    private func client(_ user: String, _ server: Server) throws -> RunningProgram {
        try RunningProgram("diffroom", [server.url, "--room", "lobby", "--user", user, "--plain"])
    }

    /// A connection that has said hello; `nil` if the server does not let it in.
    private func enter(_ server: Server, _ connections: Connections) async throws -> Connection? {
        let connection = try connections.connect(to: server.port, host: server.host)
        guard let answer = try? await connection.answer(to: .hello(.user(UserName("guest")!))) else { return nil }
        guard case .welcome = answer else { throw NotListening() }
        return connection
    }

    private func say(_ text: String, on connection: Connection) async throws -> ServerFrame {
        try await connection.answer(to: .send(room: room, id: .random(), MessageContent(text)))
    }

    /// Returns when the server has acknowledged a message, and so is at work.
    private func answered(by server: Server) async throws {
        let connections = try Connections()
        defer { connections.stop() }
        let connection = try #require(await enter(server, connections))
        _ = try await say("still there?", on: connection)
    }
}
