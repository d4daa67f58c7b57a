import ChatWire
import Foundation
import Replicas
import TestSupport
import Testing

/// Messages for later, with the programs that people use.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct LaterTests {
    private let folder = TemporaryFolder()

    private func client(_ user: String, _ server: Server, _ flags: String...) throws -> RunningProgram {
        try RunningProgram("diffroom", [server.url, "--room", "lobby", "--user", user] + flags)
    }

    @Test func linesScheduleListAndCancel() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let (ann, bob) = (try client("ann", server, "--plain"), try client("bob", server, "--plain"))
        #expect(await ann.complaint(containing: "connected") != nil)
        #expect(await bob.complaint(containing: "connected") != nil)

        try ann.type("/schedule 2h never")
        let stored = try #require(await ann.complaint(containing: "will be sent at"))
        try ann.type("/schedule 1s good morning")
        #expect(await bob.line(containing: "ann: good morning") != nil)
        try bob.type("/remind 1d 1")
        #expect(await bob.complaint(containing: "you will be reminded at") != nil)
        try bob.type("/later")
        #expect(await bob.complaint(containing: "reminder of a message in room lobby") != nil)
        try ann.type("/later")
        let listed = try #require(await ann.complaint(containing: "'never' to room lobby"))
        let id = try #require(listed.split(separator: "(").last?.dropLast())
        #expect(stored.contains(id))
        try ann.type("/later cancel \(id)")
        #expect(await ann.complaint(containing: "cancelled (\(id))") != nil)
        try ann.endInput()
        #expect(await ann.end() == .exit(0))
    }

    @Test func programsGetTheListAsJSON() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server, "--json")
        try ann.type("/schedule 2h hi")
        try ann.type("/later")
        let line = try #require(await ann.line(containing: #""change":"later""#))
        #expect(line.contains(#""due":[],"waiting":[{"id":""#) && line.contains(#""text":"hi""#))
    }

    /// Messages come due while the server is killed again and again.
    @Test func aServerThatIsKilledSendsEachMessageOnce() async throws {
        let data = folder.file("rooms.db")
        var server = try await Server(data: data, host: "127.0.0.3")
        let (ann, bob) = (try client("ann", server, "--plain"), try client("bob", server, "--plain"))
        #expect(await bob.complaint(containing: "connected") != nil)
        let texts = (0..<40).map { "message \($0)." }
        for (number, text) in texts.enumerated() { try ann.type("/schedule \(2 + number % 4)s \(text)") }
        for _ in texts { #expect(await ann.complaint(containing: "will be sent at") != nil) }

        for _ in 0..<3 {
            #expect(await bob.line(containing: "ann: message") != nil)
            server = try await server.killed(data: data)
        }

        let connections = try Connections()
        defer { connections.stop() }
        let connection = try connections.connect(to: server.port, host: "127.0.0.3")
        _ = try await connection.answer(to: .hello(.user(.init("ann")!)))
        try await LaterWatcher(connection).until { $0.list.rows.isEmpty }
        let room = try #require(RoomName("lobby"))
        let answer = try await connection.answer(to: .subscribe(.messages(room), limit: 100, resume: nil))
        guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(snapshot.snapshot.rows.map(\.content.text).sorted() == texts.sorted())
        withExtendedLifetime(server) {}
    }
}
