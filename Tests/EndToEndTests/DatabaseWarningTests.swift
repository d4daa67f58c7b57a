import Foundation
import TestSupport
import Testing

/// The log's warnings of a database that serves, but not as it should.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct DatabaseWarningTests {
    @Test
    func aClockThatDiffersFromTheDatabasesIsLoggedOnceAndAgainWhenItAgrees() async throws {
        let database = try ThrowawayPostgres()
        try database.query("ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO true_clock_timestamp")
        try setTheClock(of: database, behindBy: "1 hour")
        let server = try await Server(store: database.address, host: "127.0.0.1")

        let warning = await server.program.complaint(containing: "clock differs") ?? ""
        #expect(warning.contains(#""level":"warning""#) && warning.contains("run NTP"), "\(warning)")
        #expect(warning.firstMatch(of: /"ahead":"3[56]\d\d\.?\d* seconds"/) != nil, "\(warning)")
        let first = try offset(of: server)
        #expect((3_500...3_600).contains(first))
        while try offset(of: server) == first {}  // until the clocks were compared again

        try setTheClock(of: database, behindBy: "0")
        let next = await server.program.complaint(containing: "clock") ?? ""
        #expect(next.contains("agrees with the database's again"), "\(next)")
        #expect((-2...2).contains(try offset(of: server)))
    }

    @Test
    func aDatabaseWhoseCommitsWaitForNoStandbyIsLogged() async throws {
        let database = try ThrowawayPostgres()
        let server = try await Server(store: database.address, host: "127.0.0.1")

        let warning = await server.program.complaint(containing: "commits wait for no standby") ?? ""

        #expect(warning.contains(#""level":"warning""#) && warning.contains("synchronous_standby_names"), "\(warning)")
    }

    @Test
    func aDatabaseWithoutChecksumsIsLogged() async throws {
        let database = try ThrowawayPostgres()
        let server = try await Server(store: database.address, host: "127.0.0.1")

        let warning = await server.program.complaint(containing: "the database has no checksums") ?? ""

        #expect(warning.contains(#""level":"warning""#) && warning.contains("pg_checksums --enable"), "\(warning)")
    }

    @Test
    func aDatabaseWithChecksumsIsNotLogged() async throws {
        let database = try ThrowawayPostgres(checksums: .on)
        let server = try await Server(store: database.address, host: "127.0.0.1")

        #expect(try await wholeLog(of: server, contains: "checksums") == false)
    }

    @Test
    func whereCommitsWaitForAStandbyNoneIsMissed() async throws {
        let primary = try ThrowawayPostgres()
        let standby = try ThrowawayPostgres(following: primary)
        try primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        try primary.query("SELECT pg_reload_conf()")
        while try primary.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'").isEmpty {}
        let server = try await Server(store: ThrowawayPostgres.address(primary, standby), host: "127.0.0.1")

        #expect(try await wholeLog(of: server, contains: "standby") == false)
    }

    @Test
    func aFileMissesNoStandby() async throws {
        let folder = TemporaryFolder()
        let server = try await Server(data: folder.file("rooms.db"))

        #expect(try await wholeLog(of: server, contains: "standby") == false)
    }

    /// Ends the server.
    private func wholeLog(of server: Server, contains text: String) async throws -> Bool {
        server.program.kill(SIGTERM)
        #expect(await server.program.end() == .exit(0))
        return await server.program.complaint(containing: text) != nil
    }

    /// Every statement reads the new clock from now on.
    private func setTheClock(of database: ThrowawayPostgres, behindBy interval: String) throws {
        try database.query(
            """
            CREATE OR REPLACE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql
            AS $$ SELECT true_clock_timestamp() - interval '\(interval)' $$
            """)
    }

    private func offset(of server: Server) throws -> Double {
        let answer = try HTTPAnswer(getting: "/metrics", from: server.port)
        let text = String(decoding: answer.body, as: UTF8.self)
        let sample = try #require(text.firstMatch(of: /\ndiffroom_clock_offset_seconds (\S+)/))
        return try #require(Double(sample.output.1))
    }
}
