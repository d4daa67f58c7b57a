import CMuteResolver
import Glibc
import RoomStore
import TestSupport
import Testing

@testable import PostgresStore

/// A name server that does not answer while a store looks for its database.
///
/// - Shape: one test at a time, because each ends all searches when it ends.
@Suite(
    .serialized, .timeLimit(.minutes(Deadline.minutes)),
    .enabled(if: StoreOfTheRun.current == .sqlite, "has a database of its own"))
final class MuteResolverTests {
    deinit {
        mute_resolver_give_up()
    }

    @Test
    func whoSearchesForADatabaseInVainIsToldInTime() throws {
        var patience = PostgresStore.Patience()
        patience.reading = .seconds(1)
        let address = try PostgresAddress("postgres://diffroom@a.mute.invalid/postgres")

        let error = #expect(throws: RoomStoreError.self) { try PostgresStore(address, patience: patience) }

        #expect("\(try #require(error))".contains("does the name server answer?"))
    }

    @Test
    func theNextMachineIsTried() throws {
        let database = try ThrowawayPostgres.shared.get()
        let address = try PostgresAddress(
            "postgres:///postgres?user=diffroom&host=b.mute.invalid,\(database.folder)", schema: "mute_resolver")

        // A busy machine may need more than one of its shares of the time.
        var answers: [Answer]?
        while answers == nil {
            answers = try? Connection.open(address, seeing: History(), until: .now + .seconds(4)).run([.run("SELECT 1")]
            )
        }

        #expect(answers?.map(\.rows.count) == [1])
    }

    /// `/readyz` shows the trouble.
    @Test
    func aDatabaseIsMissedAndFoundAgainBesideAMachineThatCannotBeLookedUp() throws {
        let database = try ThrowawayPostgres()
        let address = try PostgresAddress("postgres:///postgres?user=diffroom&host=\(database.folder),c.mute.invalid")
        let store = try PostgresStore(address)
        store.others?.listen { _ in }

        try database.kill()
        #expect(Pause.polling { store.trouble?.contains("does the name server answer?") == true })
        try database.start()
        #expect(Pause.polling { store.trouble == nil })
    }
}
