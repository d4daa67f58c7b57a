import CPostgres

/// The address of a database, and the schema of the rooms in it.
package struct PostgresAddress: Sendable {
    /// The address in libpq's format: `postgres://user:password@host1:5432,host2/database?sslmode=verify-full`.
    let text: String
    package let schema: String
    /// The host, port and database, for people. It contains no password.
    package let place: String
    /// The machines that may hold the database, in the order in which they are tried. There is at least one.
    let hosts: [Host]

    /// One machine, with the address's values that concern it alone, by libpq's keywords.
    struct Host: Sendable {
        let options: [(String, String)]
        /// The machine's name, for people.
        let name: String
    }

    /// - Parameter schema: letters, digits and `_`. Each of several stores in one database has its own.
    /// - Errors: the fault in `text`, without any piece of it that may be secret.
    package init(_ text: String, schema: String = "diffroom") throws(PostgresAddressError) {
        if let fault = Self.fault(in: text) { throw PostgresAddressError(description: fault) }
        guard let options = PQconninfoParse(text, nil) else { throw PostgresAddressError(description: Self.form) }
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
            // libpq gives one for each host, also where none is named.
            + (option("port").flatMap { $0.allSatisfy { $0 == "," } ? nil : ":\($0)" } ?? "")
        let lists = ["host", "hostaddr", "port"].map { name in
            (name, option(name)?.split(separator: ",", omittingEmptySubsequences: false).map { String($0) } ?? [])
        }
        hosts = (0..<max(1, lists[0].1.count, lists[1].1.count)).map { index in
            // One port may stand for all.
            let options = lists.compactMap { name, values in
                (values.indices.contains(index) ? values[index] : values.count == 1 ? values[0] : nil).map {
                    (name, $0)
                }
            }
            return Host(options: options, name: options.first?.1 ?? "this machine")
        }
    }

    /// The settings of every connection.
    ///
    /// - The schema of the rooms.
    /// - No statement of ours scans a table, whatever the database knows of its size.
    /// - The time for which a server may delay the others. A server that is frozen or cut off between two statements
    ///   loses its transaction, and a server whose machine is gone loses its backend. Both happen before those who wait
    ///   for its locks give up, also when a second server is frozen that waited for the first one's locks.
    var settings: String {
        let values = [
            ("search_path", schema), ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"),
            ("enable_bitmapscan", "off"), ("enable_sort", "off"), ("jit", "off"),
            ("plan_cache_mode", "force_generic_plan"), ("idle_in_transaction_session_timeout", "1500ms"),
            ("lock_timeout", "4s"), ("client_connection_check_interval", "2s"), ("tcp_keepalives_idle", "2"),
            ("tcp_keepalives_interval", "1"), ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "5s"),
        ]
        return "SELECT " + values.map { "set_config('\($0)', '\($1)', false)" }.joined(separator: ", ")
    }

    /// The channel of the servers' notifications.
    var channel: String { "diffroom_\(schema)" }

    /// Returns a new connection to a machine, which may have failed; `nil` without memory. It takes at most two
    /// seconds, and as long as a name server takes.
    ///
    /// The address overrides the defaults here: it must be a primary, and a peer that is gone is noticed within
    /// seconds.
    func connect(to host: Host) -> OpaquePointer? {
        let settings: [(String, String)] =
            [
                ("application_name", "diffroomd"), ("connect_timeout", "2"), ("target_session_attrs", "read-write"),
                ("tcp_user_timeout", "3000"), ("keepalives_idle", "2"), ("keepalives_interval", "1"),
                ("keepalives_count", "3"), ("client_encoding", "UTF8"), ("dbname", text),
            ] + host.options
        let names = settings.map { $0.0 }
        let values = settings.map { $0.1 }
        return withCStrings(names) { names in
            withCStrings(values) { values in PQconnectdbParams(names, values, 1) }
        }
    }
}

/// A fault in an address.
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
