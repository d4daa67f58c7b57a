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
        var server = try await Server(data: data, host: "127.0.0.2")
        let load = try RunningProgram(
            "diffroom-load",
            [
                "--rooms", "5", "--subscribers", "3", "--rate", "60", "--duration", "3", "--edits", "20", "--seed", "1",
                "--expect-restarts", "--json", server.url,
            ])

        for _ in 0..<3 {
            try await answered(by: server)
            server = try await server.killed(data: data)
        }

        let summary = await load.line() ?? ""
        #expect(await load.end() == .exit(0), "\(summary)")
        #expect(summary.contains(#""resumedBySnapshot":{}"#), "\(summary)")
    }

    /// Returns when the server has acknowledged a message: it is in the middle of its work then.
    private func answered(by server: Server) async throws {
        let connections = try Connections()
        defer { connections.stop() }
        let connection = try connections.connect(to: server.port, host: server.host)
        _ = try await connection.answer(to: .hello(.user(.init("probe")!)))
        let room = try #require(RoomName("probe"))
        for _ in 0..<50 {
            _ = try await connection.answer(to: .send(room: room, id: .random(), text: "still there?", replyTo: nil))
        }
    }
}
