extension Connection {
    /// Refuses a pooler that gives each transaction another of its connections to the database. Prepared statements,
    /// settings and `LISTEN` are the session's, so nothing would work.
    ///
    /// While another connection is in a transaction, this one must have its backend to itself, and keep it.
    func requireSession(
        to address: PostgresAddress, seeing history: History, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        let question = Step.run("SELECT pg_backend_pid()::bigint")
        let before = try run([question], until: end)[0].rows.first?.integer(0)
        let other = try Connection.open(address, seeing: history, until: end)
        let others = try other.run([.run("BEGIN"), question], until: end)[1].rows.first?.integer(0)
        guard before != others else { throw .pooled }
        guard try run([question], until: end)[0].rows.first?.integer(0) == before else { throw .pooled }
        try other.run([.run("COMMIT")], until: end)
    }
}
