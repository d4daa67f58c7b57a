import ChatWire
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct CrashTests {
    private let folder = TemporaryFolder()

    /// The short form of `scripts/crash`.
    @Test
    func aServerThatIsKilledUnderLoadLosesNothingAndDoublesNothing() async throws {
        let data = folder.file("rooms.db")
        var server = try await Server(data: data)
        let load = try RunningProgram(
            "diffroom-load",
            [
                "--rooms", "2", "--subscribers", "5", "--rate", "100", "--duration", "3", "--edits", "20", "--seed", "1",
                "--expect-restarts", "--json", server.url,
            ])

        for _ in 0..<3 {
            try await answered(by: server)
            server.program.kill(SIGKILL)
            #expect(await server.program.end() == .signal(SIGKILL))
            server = try await Server(data: data, port: server.port)
        }

        let summary = await load.line() ?? ""
        #expect(await load.end() == .exit(0), "\(summary)")
        #expect(summary.contains(#""resumedBySnapshot":{}"#), "\(summary)")
    }

    /// Returns when the server has acknowledged a message: it is in the middle of its work then.
    private func answered(by server: Server) async throws {
        let connections = try Connections()
        defer { connections.stop() }
        let connection = try connections.connect(to: server.port)
        _ = try await connection.answer(to: .hello(.user(.init("probe")!)))
        let room = try #require(RoomName("probe"))
        for _ in 0..<50 {
            _ = try await connection.answer(to: .send(room: room, id: .random(), text: "still there?", replyTo: nil))
        }
    }
}
