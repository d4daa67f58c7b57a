/// The copy of a database at the end of a connection, and the connection's backend there.
///
/// - Shape: a cluster gets its ``system`` when it is made, and its copies and standbys keep it. The ``timeline`` grows
///   with each promotion and each recovery to a point in time. So of two copies that take writes, the one with the
///   lower timeline has the earlier history.
struct Origin: Equatable, Sendable {
    let system: Int64
    let timeline: Int64
    let backend: Backend
    /// The machine's name, for people.
    let host: String

    /// The database's process for a connection. Its number may be used again, but not with the same start.
    struct Backend: Equatable, Sendable {
        let process: Int64
        /// The time at which the process started, in microseconds.
        let start: Int64
    }

    static let unknown = Origin(system: 0, timeline: 0, backend: Backend(process: 0, start: 0), host: "")

    /// The query for the origin of the connection that runs it.
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
