import ChatWire
import Foundation
import TestSupport
import Testing

/// Whether this user may mount a file system where nobody else sees it.
private let mayMount =
    (try? ChildProcess("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).wait()) == .exit(0)

@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about files"),
    .enabled(if: mayMount, "needs the right to mount"))
struct FullDiskTests {
    private let folder = TemporaryFolder()

    @Test
    func aFullDiskRefusesWritersAndServesReadersAndLosesNothing() async throws {
        let program = try server()
        let line = try #require(await program.line(containing: "listening on"))
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        let connections = try Connections()
        defer { connections.stop() }
        let ann = try connections.connect(to: port)
        _ = try await ann.answer(to: .hello(.user(UserName("ann")!)))

        var taken = 0
        var refusal: WireError?
        while refusal == nil, taken < 1_000 {
            switch try await say(String(repeating: "x", count: 8_000), on: ann) {
            case .ok: taken += 1
            case .error(_, let error): refusal = error
            case let other: Issue.record("\(other)")
            }
        }

        #expect(refusal?.code == .unavailable && refusal?.message.contains("disk is full") == true)
        #expect(refusal?.retryAfter != nil && taken > 0)
        #expect(await program.complaint(containing: "the store failed")?.contains("rooms.db") == true)
        let page = try await ann.answer(to: .page(.messages(room), .before(1 << 50), limit: 500))
        guard case .page(_, _, _, let rows as ListPage<Message>) = page else { throw NotListening() }
        #expect(rows.rows.count == taken)

        // A smaller write may succeed where this one does not.
        while try HTTPAnswer(getting: "/readyz", from: port).status != 503 {
            _ = try await say(String(repeating: "x", count: 8_000), on: ann)
        }
        #expect(unlink("/proc/\(program.identifier)/root\(folder.path)/ballast") == 0)
        while try HTTPAnswer(getting: "/readyz", from: port).status != 200 {}
        guard case .ok = try await say("there is room again", on: ann) else { throw NotListening() }
        let metrics = String(decoding: try HTTPAnswer(getting: "/metrics", from: port).body, as: UTF8.self)
        #expect(metrics.contains("\ndiffroom_store_writable 1\n"))
        program.kill(SIGTERM)
        #expect(await program.end() == .exit(0))
    }

    private let room = RoomName("lobby")!

    /// Starts a server on a disk of 1 MiB, which has a file to remove on it.
    private func server() throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/unshare",
            [
                "--mount", "sh", "-c",
                "mount -t tmpfs -o size=1m tmpfs \"$0\" && head -c 300000 /dev/zero >\"$0/ballast\" && "
                    + "exec \"$1\" --send-rate 0 --command-rate 0 --listen 127.0.0.1:0 --data \"$0/rooms.db\"",
                folder.path, RunningProgram.path(of: "diffroomd"),
            ])
    }

    private func say(_ text: String, on connection: Connection) async throws -> ServerFrame {
        try await connection.answer(to: .send(room: room, id: .random(), MessageContent(text)))
    }
}
