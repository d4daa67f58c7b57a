import TestSupport
import Testing

/// A server that is killed while it is under load.
@Suite(.timeLimit(.minutes(3)))
struct KillTests {
    private let folder = TemporaryFolder()

    @Test
    func noAcknowledgedMessageIsLostOrDoubledHoweverOftenTheServerIsKilled() async throws {
        let data = folder.file("rooms.db")
        var server = try await Server(data: data)
        let port = server.port
        let load = try RunningProgram(
            "diffroom-load",
            [
                server.url, "--rooms", "2", "--subscribers", "10", "--publishers", "2", "--rate", "200", "--edits",
                "20",
                "--duration", "12", "--expect-restarts", "--json",
            ])
        let reader = try RunningProgram("diffroom", [server.url, "--user", "watcher", "--room", "load-0", "--follow"])

        for round in 1...5 {
            // Killed in the midst of it: when a reader has seen some dozens of messages more.
            for _ in 0..<(20 * round) { _ = await reader.line(containing: "writer-") }
            server.program.kill(9)
            _ = await server.program.end()
            server = try await Server(data: data, port: port)
        }

        let summary = await load.line(containing: "allIsRight") ?? ""
        #expect(summary.contains(#""allIsRight":true"#), "\(summary)")
        #expect(await load.end() == .exit(0))
        #expect(!summary.contains(#""resumedByDiff":0"#))
    }
}
