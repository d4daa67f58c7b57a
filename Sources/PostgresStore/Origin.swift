/// Which copy of a database a connection leads to, and as whom it was reached.
///
/// - Shape: ``system`` is given to a cluster when it is made, and stays with its copies and standbys; ``timeline`` grows
///   with each promotion and each recovery to a point in time, so of two copies that write, the one with the lower number
///   is the earlier history.
struct Origin: Equatable, Sendable {
    let system: Int64
    let timeline: Int64
    let backend: Backend
    /// For people.
    let host: String

    /// The server's process for a connection. Its number may be given out again, but not with the same start.
    struct Backend: Equatable, Sendable {
        let process: Int64
        /// In microseconds.
        let start: Int64
    }

    static let unknown = Origin(system: 0, timeline: 0, backend: Backend(process: 0, start: 0), host: "")

    /// Of the connection that asks.
    static let question = """
        SELECT (SELECT system_identifier FROM pg_control_system()),
            ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint,
            pg_backend_pid()::bigint, (extract(epoch FROM backend_start) * 1000000)::bigint,
            current_setting('server_encoding')
        FROM pg_stat_activity WHERE pid = pg_backend_pid()
        """

}

extension Origin {
    /// - Errors: `encoded` for a database that cannot hold every text.
    init(_ row: Row, host: String) throws(PostgresFailure) {
        guard row.text(4) == "UTF8" else { throw .encoded(row.text(4)) }
        self.init(
            system: try row.integer(0), timeline: try row.integer(1),
            backend: Backend(process: try row.integer(2), start: try row.integer(3)), host: host)
    }
}
