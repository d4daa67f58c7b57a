import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import PostgresStore

/// News of other servers' commits that is lost, whatever loses it. The room is followed, and nothing else asks for it.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct LostNewsTests {
    private let database: ThrowawayPostgres
    private let follower: PostgresStore
    private let news: Heard

    init() throws {
        database = try ThrowawayPostgres()
        try database.query("CREATE ROLE mute LOGIN")
        try database.query("GRANT CREATE ON DATABASE postgres TO mute")
        try database.query("REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC")
        follower = try Self.store("mute", on: database)
        news = Heard(follower)
        follower.follow(lobby, withPeople: false)
    }

    /// The notifications of `mute` are refused, and those of `diffroom` are not.
    private static func store(_ user: String, on database: ThrowawayPostgres) throws -> PostgresStore {
        try PostgresStore(PostgresAddress("postgres:///postgres?user=\(user)&host=\(database.folder)"))
    }

    private func hear(_ revision: Revision) async {
        await news.wait { $0 == .reached(lobby, revision) }
    }

    /// Returns when the follower listens and has read what there was before.
    private func listen(to store: PostgresStore) async throws {
        await news.wait { $0 == .invalidated }
        #expect(try store.commit([.send(1)]).map(\.revision) == [1])
        await hear(1)
    }

    /// Returns when the follower has had so many beats.
    private func pass(beats: Int64) throws {
        func beat() throws -> Int64 {
            let count = try database.query("SELECT max(count) FROM diffroom.witnesses WHERE lane = 0")
            return Int64(count.filter(\.isNumber)) ?? 0
        }
        let end = try beat() + beats
        while try beat() < end {}
    }

    /// A server that is killed may have committed and sent no news of it.
    @Test func commitsOfAServerThatIsGoneAreFound() async throws {
        try await listen(to: Self.store("mute", on: database))
        do {
            let killed = try Self.store("mute", on: database)
            _ = try killed.commit([.send(2), .send(3)])
        }

        await hear(3)
    }

    @Test func trimmedRoomsAreFound() async throws {
        let store = try Self.store("mute", on: database)
        try await listen(to: store)
        _ = try store.commit([.send(2), .send(3)])
        await hear(3)

        let trimming = try store.trim(Retention(.init(messages: 1)), part: 0, after: nil, at: 5_000)

        #expect(trimming.shortened == [lobby: 4])
        await hear(4)
    }

    /// All that is sent while a server's connection is down is lost to it.
    @Test func aServerThatListensAgainFindsAllOfTheMeantime() async throws {
        let speaker = try Self.store("diffroom", on: database)
        try await listen(to: speaker)
        let witness = try Self.store("diffroom", on: database)
        let heard = Heard(witness)
        witness.follow(lobby, withPeople: false)
        await heard.wait { $0 == .reached(lobby, 1) }
        try database.query("ALTER ROLE mute NOLOGIN")
        try database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mute'")

        _ = try speaker.commit([.send(2)])
        await heard.wait { $0 == .reached(lobby, 2) }
        try database.query("ALTER ROLE mute LOGIN")

        await hear(2)
    }

    @Test func afterACrashOfTheDatabaseNewsIsFoundAgain() async throws {
        let store = try Self.store("mute", on: database)
        try await listen(to: store)

        try database.restart()
        _ = try store.commit([.send(2)])

        await hear(2)
    }

    /// Only a look at the room would find a revision that no news and no count is of.
    @Test func newsThatIsNotLostIsNotLookedFor() async throws {
        let (speaker, attic) = (try Self.store("diffroom", on: database), RoomName("attic")!)
        try await listen(to: speaker)
        try pass(beats: 2)
        try database.query("UPDATE diffroom.rooms SET revision = 7 WHERE name = 'lobby'")

        for number in 8...11 as ClosedRange<UInt64> { _ = try speaker.commit([.send(number, to: attic)]) }
        try pass(beats: 5)
        follower.follow(attic, withPeople: false)

        var isLookedAt = false
        await news.wait { item in
            if item == .reached(lobby, 7) { isLookedAt = true }
            return item == .reached(attic, 4)
        }
        #expect(!isLookedAt)
    }
}
