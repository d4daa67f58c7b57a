/// A statement that runs while rooms are served, prepared on the connections that need it. Each finds its rows by a key or
/// an index, so that its cost does not grow with the size of the store.
struct Query: Sendable {
    /// The name of the prepared statement.
    let name: String
    let sql: String

    init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}
