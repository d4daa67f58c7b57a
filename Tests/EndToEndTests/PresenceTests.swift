import ChatWire
import Foundation
import TestSupport
import Testing

/// The members on several servers, after one of them, or the database, was silent for longer than is allowed.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct PresenceTests {
    private let database: ThrowawayPostgres
    private let first, second: Server
    private let connections: Connections

    init() async throws {
        database = try ThrowawayPostgres()
        first = try await Server(store: database.address, host: "127.0.0.3")
        second = try await Server(store: database.address, host: "127.0.0.4")
        connections = try Connections()
    }

    /// A user in the lobby on a server, who sees the members.
    private func person(_ name: String, on server: Server) async throws -> MembersWatcher {
        let connection = try connections.connect(to: server.port, host: server.host)
        _ = try await connection.answer(to: .hello(.user(try #require(UserName(name)))))
        let room = try #require(RoomName("lobby"))
        _ = try await connection.answer(to: .subscribe(.messages(room), limit: 50, resume: nil))
        return try await MembersWatcher(connection)
    }

    /// The others drop its people; once it goes on, everybody is online on both again.
    @Test
    func afterAServerWasFrozenEverybodyIsThereOnAllServers() async throws {
        defer { connections.stop() }
        let ann = try await person("ann", on: first)
        let bob = try await person("bob", on: second)
        for each in [ann, bob] { try await each.until { $0.isThere("ann", "bob") } }

        second.program.kill(SIGSTOP)
        try await ann.until { $0.isThere("ann") }
        second.program.kill(SIGCONT)

        try await ann.until { $0.isThere("ann", "bob") }
        let carl = try await person("carl", on: first)
        for each in [ann, bob, carl] { try await each.until { $0.isThere("ann", "bob", "carl") } }
    }

    /// Nobody has heard of anybody, because of the database and not of any server.
    @Test
    func afterTheDatabaseWasFrozenFor8SecondsEverybodyIsThereOnAllServers() async throws {
        defer { connections.stop() }
        let ann = try await person("ann", on: first)
        let bob = try await person("bob", on: second)
        for each in [ann, bob] { try await each.until { $0.isThere("ann", "bob") } }

        try database.freeze()
        try await Pause.lasting(.seconds(8))
        try database.thaw()

        let carl = try await person("carl", on: first)
        let dora = try await person("dora", on: second)
        for each in [ann, bob, carl, dora] { try await each.until { $0.isThere("ann", "bob", "carl", "dora") } }
    }

    /// One server's connections were ended while it could not open others, and news meanwhile did not reach it.
    @Test
    func whoLeftWhileAServerCouldNotListenIsGoneThereToo() async throws {
        defer { connections.stop() }
        let ann = try await person("ann", on: first)
        let bob = try await person("bob", on: second)
        let carl = try await person("carl", on: second)
        for each in [ann, bob, carl] { try await each.until { $0.isThere("ann", "bob", "carl") } }

        first.program.kill(SIGSTOP)
        try database.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%min(knows)%'"
                + " AND pid <> pg_backend_pid()")
        carl.connection.close()
        try await bob.until { $0["carl"]?.section == .offline }
        first.program.kill(SIGCONT)

        for each in [ann, bob] { try await each.until { $0.isThere("ann", "bob") } }
    }
}
