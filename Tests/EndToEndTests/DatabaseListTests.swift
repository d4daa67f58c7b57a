import ChatWire
import Foundation
import TestSupport
import Testing

/// The list of databases in `--store`, which decides where each room is.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct DatabaseListTests {
    /// Two servers with different lists would serve two histories of the same rooms.
    @Test
    func aServerWhoseListDiffersDoesNotStart() async throws {
        let names = ["a", "b", "c"].map { "\($0)-\(UUID())" }
        let all = try names.map { try ThrowawayPostgres.shared.get().address(for: $0) }
        let first = try await Server(store: "\(all[0]),\(all[1])", host: "127.0.0.1")
        let second = try await Server(store: "\(all[0]),\(all[1])", host: "127.0.0.1")

        for wrong in [[1, 0], [0], [1], [0, 2], [2, 1], [0, 0], [0, 1, 2], [2, 0, 1]] {
            let list = wrong.map { all[$0] }.joined(separator: ",")
            let refusal = await #expect(throws: DidNotStart.self, "\(wrong)") {
                try await Server(store: list, host: "127.0.0.1")
            }
            #expect(refusal?.complaint.contains(": name ") == true, "\(wrong): \(refusal?.complaint ?? "")")
        }
        try await first.answered()
        try await second.answered()
    }

    /// `kill -9` of the program after each group of rooms that it has moved. It may be done before it is killed: then once more.
    @Test
    func whenTheMovingOfRoomsIsKilledItGoesOn() async throws {
        while try await killsOfAMove() == 0 {}
    }

    private func killsOfAMove() async throws -> Int {
        let all = try ["a", "b"].map { try ThrowawayPostgres.shared.get().address(for: "\($0)-\(UUID())") }
        let rooms = (0..<200).compactMap { RoomName("room\($0)") }
        let server = try await Server(store: all[0], host: "127.0.0.1")
        #expect(try await revisions(ofOneMoreMessageIn: rooms, on: server) == Array(repeating: 1, count: rooms.count))
        server.program.kill(SIGTERM)
        #expect(await server.program.end() == .exit(0))

        let words = ["reshard", "--store", all[0], "--to", all.joined(separator: ",")]
        var kills = 0
        while true {
            let program = try RunningProgram("diffroomd", words)
            if await program.line(containing: " of ") != nil { program.kill(SIGKILL) }
            let ending = await program.end()
            if ending == .exit(0) { break }
            try #require(ending == .signal(SIGKILL))
            kills += 1
            await #expect(throws: DidNotStart.self) { try await Server(store: all[0], host: "127.0.0.1") }
        }

        let moved = try await Server(store: all.joined(separator: ","), host: "127.0.0.1")
        #expect(try await revisions(ofOneMoreMessageIn: rooms, on: moved) == Array(repeating: 2, count: rooms.count))
        return kills
    }

    private func revisions(ofOneMoreMessageIn rooms: [RoomName], on server: Server) async throws -> [Revision?] {
        let connections = try Connections()
        defer { connections.stop() }
        var revisions: [Revision?] = []
        // A user may only make so many rooms an hour.
        for number in 0..<4 {
            let connection = try connections.connect(to: server.port, host: server.host)
            _ = try await connection.answer(to: .hello(.user(.init("user\(number)")!)))
            for room in rooms[(rooms.count * number / 4)..<(rooms.count * (number + 1) / 4)] {
                let send = ClientFrame.Request.send(room: room, id: .random(), "one more")
                if case .ok(_, let effect) = try await connection.answer(to: send) {
                    revisions.append(effect?.revision)
                }
            }
        }
        return revisions
    }
}
