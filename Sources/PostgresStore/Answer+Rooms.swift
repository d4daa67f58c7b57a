import ChatWire

extension Answer {
    /// Returns the values that `read` makes of the first `limit` valid rooms after a name. A damaged row concerns one
    /// room and is skipped.
    ///
    /// - Parameter ask: a query for rooms in the order of their names, which its first column holds. Its arguments are
    ///   the name that they come after, and their number.
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
