import ChatRoom
import Foundation
import PostgresStore
import RoomStore
import TestSupport
import Testing

/// A pooler between the server and the database.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: Pooler.isInstalled, "pgbouncer is not installed"))
struct PoolerTests {
    @Test(arguments: ["transaction", "statement"])
    func onePerTransactionOrStatementIsRefusedWithTheCause(mode: String) async throws {
        let database = try ThrowawayPostgres()
        let pooler = try await Pooler(before: database, mode: mode)

        let refusal = #expect(throws: RoomStoreError.self) { try PostgresStore(PostgresAddress(pooler.address)) }

        let text = String(describing: refusal)
        #expect(
            text.contains("is a pooler that shares its connections") && text.contains("pool_mode = session"), "\(text)")
        #expect(try database.query("SELECT to_regclass('diffroom.store') IS NULL") == "t\n")
    }

    @Test func onePerSessionServes() async throws {
        let database = try ThrowawayPostgres()
        let pooler = try await Pooler(before: database, mode: "session")
        let store = try PostgresStore(PostgresAddress(pooler.address))

        #expect(try store.commit([.send(1)]).map(\.revision) == [1])
        #expect(try store.read(lobby, tail: 10, since: 0, atMost: 10).tail.count == 1)
    }
}

/// A running pgbouncer.
private final class Pooler {
    private static let program = "/usr/sbin/pgbouncer"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let address: String
    private let running: RunningProgram

    init(before database: ThrowawayPostgres, mode: String) async throws {
        let (settings, users) = ("\(database.folder)/pooler.ini", "\(database.folder)/users.txt")
        try "\"diffroom\" \"\"\n".write(toFile: users, atomically: true, encoding: .utf8)
        try """
        [databases]
        * = host=\(database.folder)
        [pgbouncer]
        unix_socket_dir = \(database.folder)
        listen_port = 6432
        auth_type = trust
        auth_file = \(users)
        pool_mode = \(mode)
        """.write(toFile: settings, atomically: true, encoding: .utf8)
        // It refuses to run as root, as the database does.
        let user = getuid() == 0 ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        running = try RunningProgram("/usr/bin/setpriv", user + [Self.program, settings])
        address = "postgres://diffroom@/postgres?host=\(database.folder)&port=6432"
        _ = await running.complaint(containing: "process up")
    }
}
