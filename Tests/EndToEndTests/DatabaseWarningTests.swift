import Foundation
import TestSupport
import Testing

/// The log's warnings of a database that serves, but not as it should.
@Suite(.timeLimit(.minutes(3)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
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
