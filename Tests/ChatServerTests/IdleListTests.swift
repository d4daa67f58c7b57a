import ChatRoom
import ChatWire
import Foundation
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing

@testable import ChatServer

/// What the lists of rooms, mentions and people cost the database, and news of other servers that is lost.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct IdleListTests {
    private static let people = 25
    private static let rooms = (0..<20).compactMap { RoomName("room\($0)") }

    private func server(_ address: String) throws -> ServerUnderTest {
        try ServerUnderTest(store: PostgresStore(PostgresAddress(address))) {
            $0.members.tick = .milliseconds(20)
            $0.refreshInterval = .milliseconds(500)
        }
    }

    /// The statements of the server in so many of its beats, which come once a second.
    private func statements(in beats: Int, _ database: ThrowawayPostgres) throws -> Int {
        func beat() throws -> Int {
            let counts = "SELECT sum(count) /* probe */ FROM diffroom.witnesses WHERE lane = 0"
            return Int(try database.query(counts).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        }
        let start = try beat()
        while try beat() == start {}
        try database.query("SELECT pg_stat_statements_reset() /* probe */")
        let end = try beat() + beats
        while try beat() < end {}
        let calls = "SELECT sum(calls) /* probe */ FROM pg_stat_statements WHERE query NOT LIKE '%probe%'"
        return Int(try database.query(calls).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    /// Each list was read twice in five seconds, and each of these readings takes five statements.
    @Test func listsThatNobodyChangesCostNothing() async throws {
        let database = try ThrowawayPostgres(settings: [
            "fsync=off", "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=all",
        ])
        try database.query("CREATE EXTENSION pg_stat_statements")
        let server = try server(database.address)
        let without = try statements(in: 6, database)
        var watchers: [(RoomsWatcher, MentionsWatcher, PeopleWatcher)] = []
        for number in 0..<Self.people {
            let connection = try await server.join(as: "person\(number)")
            for room in Self.rooms { #expect(try await connection.answer(to: .join(room)).errorCode == nil) }
            _ = try await connection.answer(to: .people([UserName("person0")!, UserName("person1")!]))
            let rooms = try await RoomsWatcher(server.join(as: "person\(number)"))
            try await rooms.until { $0.rooms.rows.count == Self.rooms.count }
            watchers.append(
                (
                    rooms, try await MentionsWatcher(server.join(as: "person\(number)")),
                    try await PeopleWatcher(connection)
                ))
        }
        _ = try statements(in: 6, database)  // all news has come by then

        let with = try statements(in: 6, database)

        // The server's own beats are not all in step with those that are counted.
        #expect(with < without + Self.people, "\(without) without lists")
        withExtendedLifetime(watchers) {}
    }

    /// The other server's notifications are refused.
    @Test func newsThatIsLostIsFound() async throws {
        let database = try ThrowawayPostgres()
        try database.query("CREATE ROLE mute LOGIN")
        try database.query("GRANT CREATE ON DATABASE postgres TO mute")
        try database.query("REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC")
        let address = "postgres:///postgres?user=mute&host=\(database.folder)"
        let (first, second) = (try server(address), try server(address))
        let rooms = try await RoomsWatcher(first.join(as: "ann"))
        let mentions = try await MentionsWatcher(first.join(as: "ann"))
        let people = try await PeopleWatcher(first.join(as: "ann"))
        _ = try await people.answer(to: .people([UserName("bob")!]))
        let (ann, bob) = (try await second.join(as: "ann"), try await second.follow(as: "bob"))

        _ = try await ann.answer(to: .join(room))
        try await rooms.until { $0.names == ["lobby"] }
        let call = ClientFrame.Request.send(
            room: room, id: .random(), MessageContent("hi", mentions: [UserName("ann")!]))
        _ = try await bob.answer(to: call)
        try await rooms.until { $0["lobby"]?.light.unread == 1 }
        try await mentions.until { $0.list.rows.count == 1 }
        _ = try await ann.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        _ = try await ann.answer(to: .read(room, 2))
        try await rooms.until { $0["lobby"]?.light.unread == 0 }
        try await mentions.until { $0.list.rows.first?.light.isRead == true }
        let profile = ProfileChange(
            user: UserName("bob")!, profile: Profile(name: DisplayName("Bob")), source: .operator(1))
        _ = try second.server.store.write([profile])
        try await people.until { $0.list.rows.first?.light.name == DisplayName("Bob") }
        _ = try await ann.answer(to: .leave(room))
        try await rooms.until { $0.names.isEmpty }
    }
}
