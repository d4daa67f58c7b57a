import ChatRoom
import ChatWire
import Glibc

/// A connection that commits durably, again and again. It is confined to its owner.
///
/// A commit that waits for a standby is never cancelled, because others would then see what the standby lacks. So a
/// wait that this server gives up goes on in the database. The next connection waits there until such a commit has
/// ended, and ends everything else that the last connection left. A lane therefore never has more than two connections,
/// and no forgotten locks.
final class CommitLane {
    let number: Int
    let failoverCheck: FailoverCheck
    private let queries: [Query]
    private var connection: Connection?
    private var abandoned: Origin.Backend?

    /// The time after which a round trip is examined.
    private static let patience = Duration.seconds(5)
    private static let pause = Duration.milliseconds(100)

    init(_ number: Int, _ failoverCheck: FailoverCheck, preparing queries: [Query]) {
        (self.number, self.failoverCheck, self.queries) = (number, failoverCheck, queries)
    }

    var history: History { failoverCheck.history }

    /// The parameters of ``Query/witness``.
    var witness: [Parameter] { [.text(failoverCheck.lease.server.description), .integer(Int64(number))] }

    /// Returns the time by which a round trip that begins now must end.
    static func limit(_ end: ContinuousClock.Instant) -> ContinuousClock.Instant {
        min(end, .now + patience)
    }

    /// Calls `body` with a connection that is idle. After an error the connection is not used again.
    func run<Result>(
        until end: ContinuousClock.Instant, _ body: (Connection) throws(PostgresFailure) -> Result
    ) throws(PostgresFailure) -> Result {
        let current = if let connection { connection } else { try open(until: end) }
        connection = nil
        // On an old primary an abandoned commit may wait for ever.
        try history.admit(current.origin)
        try awaitAbandoned(over: current, until: end)
        do throws(PostgresFailure) {
            let result = try body(current)
            connection = current
            return result
        } catch {
            switch error {
            case .lost:
                abandoned = current.origin.backend
                history.recordUnconfirmedCommit()
            case .late: abandoned = current.origin.backend
            case .forgotten:
                try current.run([.run("ROLLBACK")], until: Self.limit(end))
                try failoverCheck.run(over: current, forgotten: history.generation, until: Self.limit(end))
            case .refused, .senseless, .contradiction, .outgrown, .ahead, .stale, .encoded, .misplaced, .pooled,
                .served:
                break
            }
            throw error
        }
    }

    private func open(until end: ContinuousClock.Instant) throws(PostgresFailure) -> Connection {
        try Connection.open(failoverCheck.address, seeing: history, preparing: queries, until: Self.limit(end))
    }

    /// Returns when nothing is left of the last connection.
    private func awaitAbandoned(
        over current: Connection, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        while let backend = abandoned {
            let name: [Parameter] = [.integer(backend.process), .integer(backend.start)]
            let answers = try current.run([.run(.endBackend, name)], until: Self.limit(end))
            if answers[0].rows.isEmpty {
                abandoned = nil
                history.recordUnconfirmedCommit()
                return
            }
            guard ContinuousClock.now + Self.pause < end else {
                connection = current
                throw .late
            }
            usleep(UInt32(Self.pause / .microseconds(1)))
        }
    }
}
