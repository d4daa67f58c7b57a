import Foundation
import TestSupport
import Testing

/// Several `diffroomd` on one database, each of which may be killed, and the database too.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct SeveralServersTests {
    private func start(on databases: ThrowawayPostgres..., host: String, port: UInt16 = 0) async throws -> Server {
        let hosts = databases.map(\.folder).joined(separator: ",")
        return try await Server(store: "postgres:///postgres?user=diffroom&host=\(hosts)", host: host, port: port)
    }

    private func load(_ servers: [Server], seconds: Int) throws -> RunningProgram {
        try RunningProgram(
            "diffroom-load",
            [
                "--rooms", "5", "--subscribers", "4", "--rate", "40", "--duration", "\(seconds)", "--edits", "20",
                "--seed", "1", "--expect-restarts", "--json",
            ] + servers.map(\.url))
    }

    /// Returns when all messages are sent, and every reader has them.
    private func expectAllIsRight(_ load: RunningProgram) async {
        let summary = await load.line() ?? ""
        #expect(await load.end() == .exit(0), "\(summary)")
        #expect(summary.contains(#""resumedBySnapshot":{}"#), "\(summary)")
    }

    @Test
    func whoLosesItsServerResumesOnAnotherAndNothingIsLost() async throws {
        let database = try ThrowawayPostgres(settings: [])
        let first = try await start(on: database, host: "127.0.0.3")
        var second = try await start(on: database, host: "127.0.0.4")
        let load = try load([first, second], seconds: 6)

        for _ in 0..<2 {
            try await first.answered()
            second.program.kill(SIGKILL)
            #expect(await second.program.end() == .signal(SIGKILL))
            second = try await start(on: database, host: second.host, port: second.port)
            try await second.answered()
        }

        await expectAllIsRight(load)
    }

    /// The standby has everything acknowledged, because nothing is acknowledged without it.
    @Test
    func whenThePrimaryDiesAndTheStandbyIsPromotedNothingIsLost() async throws {
        let primary = try ThrowawayPostgres(settings: [])
        let standby = try ThrowawayPostgres(following: primary, settings: [])
        try primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        try primary.query("SELECT pg_reload_conf()")
        let first = try await start(on: primary, standby, host: "127.0.0.3")
        let second = try await start(on: primary, standby, host: "127.0.0.4")
        let load = try load([first, second], seconds: 6)
        try await first.answered()
        try await second.answered()

        try primary.kill()
        try standby.promote()

        try await first.answered()
        try await second.answered()
        await expectAllIsRight(load)
    }

    /// As if a later version had raised it.
    private func raiseTheFormat(of database: ThrowawayPostgres) throws {
        try database.query("UPDATE diffroom.store SET format = 99, in_force = 99")
    }

    @Test
    func whoMissedAnUpgradeEndsAndSaysWhy() async throws {
        let database = try ThrowawayPostgres()
        let server = try await start(on: database, host: "127.0.0.3")

        try raiseTheFormat(of: database)

        let complaint = await server.program.complaint(containing: "diffroomd:") ?? ""
        #expect(await server.program.end() == .exit(1))
        #expect(complaint.contains("format 99") && complaint.contains("start the later version"), "\(complaint)")
    }

    @Test
    func anEarlierVersionThatComesBackIsRefused() async throws {
        let database = try ThrowawayPostgres()
        let server = try await start(on: database, host: "127.0.0.3")
        server.program.kill(SIGTERM)
        #expect(await server.program.end() == .exit(0))
        try raiseTheFormat(of: database)

        let again = try RunningProgram("diffroomd", ["--listen", "127.0.0.3:0", "--store", database.address])

        let complaint = await again.complaint(containing: "diffroomd:") ?? ""
        #expect(await again.end() == .exit(1))
        #expect(complaint.contains("format 99") && complaint.contains("start the later version"), "\(complaint)")
    }
}
