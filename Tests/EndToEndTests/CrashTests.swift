import ChatWire
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Deadline.minutes)))
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
                "--inbox", "7", "--expect-restarts", "--json", server.url,
            ])

        for _ in 0..<3 {
            try await server.answered()
            server = try await server.killed(data: data)
        }

        let summary = await load.line() ?? ""
        #expect(await load.end() == .exit(0), "\(summary)")
        #expect(summary.contains(#""resumedBySnapshot":{}"#), "\(summary)")
    }
}
