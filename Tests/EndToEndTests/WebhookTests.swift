import ChatWire
import Foundation
import TestSupport
import Testing

/// The posts that a receiver in Python gets; it refuses those with a wrong signature.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct WebhookTests {
    private let folder = TemporaryFolder()
    /// An address of its own, so that a restarted receiver finds its port free.
    private let host = "127.0.4.\(Int.random(in: 1...250))"
    private static let rooms = ["attic", "kitchen", "lobby"].map { RoomName($0)! }
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/python/webhook.py").path

    init() throws {
        try write("whsec_\(Data((0..<32).map { _ in .random(in: .min ... .max) }).base64EncodedString())\n", "secret")
    }

    private func write(_ text: String, _ name: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }

    private func receiver(
        port: Int = 0, secret: String = "secret"
    ) async throws -> (program: RunningProgram, port: Int) {
        let program = try RunningProgram(
            "/usr/bin/env", ["python3", Self.script, folder.file(secret), host, "\(port)"])
        let line = try #require(await program.line(containing: "listening on"))
        return (program, try #require(line.split(separator: ":").last.flatMap { Int($0) }))
    }

    private func server(tells port: Int) async throws -> Server {
        try write(
            """
            {"listen": "127.0.0.1:0", "data": "\(folder.file("rooms.db"))",
             "webhook": "http://\(host):\(port)/hook", "webhook-secret-file": "\(folder.file("secret"))"}
            """, "diffroomd.json")
        return try await Server(config: folder.file("diffroomd.json"))
    }

    /// Sends a number of messages in each room.
    private func say(_ count: Int, on server: Server) async throws {
        let connections = try Connections()
        defer { connections.stop() }
        let ann = try connections.connect(to: server.port)
        _ = try await ann.answer(to: .hello(.user(UserName("ann")!)))
        for number in 0..<count {
            for room in Self.rooms {
                _ = try await ann.answer(to: .send(room: room, id: .random(), "\(number)"))
            }
        }
    }

    /// Waits until a receiver has each room up to a revision, and returns everything that it got of each.
    private func told(_ receiver: RunningProgram, upTo revision: Int) async throws -> [String: [Int]] {
        var told: [String: [Int]] = [:]
        while told.filter({ $0.value.last == revision }).count < Self.rooms.count {
            let parts = try #require(await receiver.line()).split(separator: " ")
            guard parts.count == 3, let number = Int(parts[1]) else { continue }
            told[String(parts[0]), default: []].append(number)
        }
        return told
    }

    @Test
    func everyOperationIsToldOnceAndInItsRoomsOrder() async throws {
        let receiver = try await receiver()
        let server = try await server(tells: receiver.port)

        try await say(120, on: server)

        let told = try await self.told(receiver.program, upTo: 120)
        for room in Self.rooms { #expect(told[room.description] == Array(1...120)) }
        server.program.kill(SIGTERM)
        #expect(await server.program.end() == .exit(0))
    }

    @Test
    func nothingIsMissedWhileTheReceiverIsAwayAndTheServerIsKilled() async throws {
        let first = try await receiver()
        let server = try await server(tells: first.port)
        try await say(5, on: server)
        var told = try await self.told(first.program, upTo: 5)

        first.program.kill(SIGKILL)
        _ = await first.program.end()
        try await say(40, on: server)
        server.program.kill(SIGKILL)
        #expect(await server.program.end() == .signal(SIGKILL))
        let again = try await self.server(tells: first.port)
        let second = try await receiver(port: first.port)
        try await say(5, on: again)

        told.merge(try await self.told(second.program, upTo: 50)) { $0 + $1 }
        for room in Self.rooms {
            let revisions = told[room.description] ?? []
            #expect(Set(revisions) == Set(1...50))
            // A repeat is nothing new: the first delivery of each is in order.
            var seen = 0
            for revision in revisions where revision > seen {
                #expect(revision == seen + 1)
                seen = revision
            }
        }
    }

    @Test
    func whoHasAnotherSecretTakesNothingAndIsAskedAgain() async throws {
        try write("whsec_\(Data(repeating: 7, count: 32).base64EncodedString())", "other")
        let stranger = try await receiver(secret: "other")
        let server = try await server(tells: stranger.port)

        try await say(1, on: server)

        #expect(await stranger.program.line(containing: "wrong signature") != nil)
        #expect(await server.program.complaint(containing: "401") != nil)
    }

    @Test(arguments: [
        ["--webhook", "ftp://example.net/"], ["--webhook", "http://127.0.0.1/"],
        ["--webhook-secret-file", "/dev/null"],
        ["--webhook", "http://127.0.0.1/", "--webhook-secret-file", "/dev/null"],
    ])
    func whatCannotWorkIsRefused(flags: [String]) async throws {
        let program = try RunningProgram("diffroomd", ["--check-config", "--data", folder.file("rooms.db")] + flags)

        #expect(await program.complaint(containing: "webhook") != nil)
        #expect(await program.end() == .exit(2))
    }
}
