import CPostgres

/// Which database, and where in it the rooms are.
package struct PostgresAddress: Sendable {
    /// As libpq takes it: `postgres://user:password@host1:5432,host2/database?sslmode=verify-full`.
    let text: String
    package let schema: String
    /// Host, port and database, for people; no password.
    package let place: String

    /// - Parameter schema: letters, digits and `_`; several stores in one database have one each.
    /// - Errors: what is wrong with `text`, in libpq's words.
    package init(_ text: String, schema: String = "diffroom") throws(PostgresAddressError) {
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &complaint) else {
            defer { PQfreemem(complaint) }
            throw PostgresAddressError(description: complaint.map { String(cString: $0) } ?? "no memory")
        }
        defer { PQconninfoFree(options) }
        func option(_ name: String) -> String? {
            var option = options
            while let keyword = option.pointee.keyword {
                if String(cString: keyword) == name { return option.pointee.val.map { String(cString: $0) } }
                option += 1
            }
            return nil
        }
        self.text = text
        self.schema = schema
        place =
            "database \(option("dbname") ?? "of the user's name") at \(option("host") ?? "this machine")"
            + (option("port").map { ":\($0)" } ?? "")
    }

    /// What every connection is told: where the rooms are, and that a statement of ours never scans a table, whatever
    /// the database has found out about its size so far.
    var settings: String {
        let values = [
            ("search_path", schema), ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"),
            ("enable_bitmapscan", "off"), ("enable_sort", "off"), ("jit", "off"),
            ("plan_cache_mode", "force_generic_plan"),
        ]
        return "SELECT " + values.map { "set_config('\($0)', '\($1)', false)" }.joined(separator: ", ")
    }

    /// What the servers tell each other on.
    var channel: String { "diffroom_\(schema)" }

    /// A new connection, which may have failed; `nil` without memory.
    ///
    /// What the address says goes before what stands here: a primary, wherever it is by now, and a peer that is gone is
    /// noticed within seconds.
    func connect() -> OpaquePointer? {
        let settings: [(String, String)] = [
            ("application_name", "diffroomd"), ("connect_timeout", "2"), ("target_session_attrs", "read-write"),
            ("tcp_user_timeout", "3000"), ("keepalives_idle", "2"), ("keepalives_interval", "1"),
            ("keepalives_count", "3"), ("client_encoding", "UTF8"), ("dbname", text),
        ]
        let names = settings.map { $0.0 }
        let values = settings.map { $0.1 }
        return withCStrings(names) { names in
            withCStrings(values) { values in PQconnectdbParams(names, values, 1) }
        }
    }
}

/// What is wrong with an address.
package struct PostgresAddressError: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
}

/// Calls `body` with the texts and a NULL at their end.
private func withCStrings<Result>(_ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    var all: [CChar] = []
    let starts = texts.map { text in
        defer { all += text.utf8CString }
        return all.count
    }
    return all.withUnsafeBufferPointer { all in body(starts.map { all.baseAddress! + $0 } + [nil]) }
}
