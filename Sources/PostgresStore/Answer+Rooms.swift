import ChatWire

extension Answer {
    /// What `read` makes of the first `limit` rooms after a name that make sense; what does not is some room's, and the
    /// others go on.
    ///
    /// - Parameter ask: a query for rooms in the order of their names, which stand in its first column: the name that they
    ///   come after, and how many.
    static func sound<Value>(
        after name: RoomName?, limit: Int, _ ask: (Parameter, Parameter) throws(PostgresFailure) -> Answer,
        read: (Row) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> [Value] {
        var values: [Value] = []
        var last = name?.description ?? ""
        while true {
            let rows = try ask(.text(last), .integer(Int64(limit))).rows
            for row in rows where values.count < limit {
                do throws(PostgresFailure) {
                    values.append(try read(row))
                } catch {
                    guard case .senseless = error else { throw error }
                }
            }
            guard values.count < limit, rows.count == limit, let next = rows.last?.text(0) else { return values }
            last = next
        }
    }
}
