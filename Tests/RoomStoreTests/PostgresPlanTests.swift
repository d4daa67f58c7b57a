import Foundation
import Testing

import enum TestSupport.Deadline
import class TestSupport.ThrowawayPostgres

@testable import PostgresStore

/// The plans of the statements that run while rooms are served.
///
/// A plan is made once for each connection, whenever that was: with empty tables, with large ones that the database knows
/// nothing of, and with known ones. The cost of a statement must not grow with the store in any of these cases.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct PostgresPlanTests {
    private static let queries =
        Query.reading + Query.committing + Query.heartbeat + Query.following + Query.trimming + Query.delivering
    /// The tables with a row for each server or its like.
    private static let small: Set = ["store", "servers", "witnesses", "lessees", "parts"]
    /// The most rows that a statement may visit, with the parameters of ``value(of:number:first:)``.
    private static let most = 1_500.0
    /// The same where the memberships of a person are counted, who has 20,000: as many as `limits.memberships` allows.
    private static let mostOfAPerson = 125_000.0

    @Test func noStatementWalksALargeTable() throws {
        let database = try ThrowawayPostgres(settings: ["fsync=off", "autovacuum=off"])
        let address = try PostgresAddress(database.address)
        _ = try PostgresStore(address)
        let old = try Self.connection(address)
        for query in Self.queries.unique { _ = try Self.plan(of: query, over: old, analyzed: false) }
        try database.query(Self.filling)

        try Self.check("planned with empty tables", over: old)
        try Self.check("planned with unknown tables", over: Self.connection(address))
        try database.query("VACUUM ANALYZE")
        try Self.check("planned with known tables", over: Self.connection(address))
    }

    private static func connection(_ address: PostgresAddress) throws -> Connection {
        try Connection.open(address, seeing: History(), preparing: queries.unique)
    }

    private static func check(_ when: String, over connection: Connection) throws {
        for query in queries.unique {
            let reads =
                query.sql.hasPrefix("SELECT") && !query.sql.contains("pg_terminate_backend")
                && !query.sql.contains("FOR UPDATE") && !query.sql.contains("lock")
            var visits: [Double] = []
            // The second person is in all rooms, and asked about some.
            let asksForSome = Self.parameters(of: query).dropFirst().first == "text[]"
            for first in ["room7", "person1"] + (asksForSome ? ["person2"] : []) {
                let nodes = try plan(of: query, over: connection, analyzed: reads, first: first)
                check(nodes, of: query, when)
                visits.append(visited(by: nodes))
            }
            let limit = query.name == Query.members.name ? mostOfAPerson : most
            #expect(visits.allSatisfy { $0 <= limit }, "\(query.name), \(when): visits \(visits) rows")
        }
    }

    /// Every row is found by a key.
    private static func check(_ nodes: [[String: Any]], of query: Query, _ when: String) {
        for node in nodes {
            let table = node["Relation Name"] as? String ?? ""
            guard !table.isEmpty, !table.hasPrefix("pg_"), !small.contains(table) else { continue }
            let type = node["Node Type"] as? String ?? ""
            guard type.contains("Scan") else { continue }
            #expect(
                type.hasPrefix("Index") && node["Index Cond"] != nil,
                "\(query.name), \(when): \(type) of \(table) \(node["Index Name"] ?? "")")
        }
    }

    private static func visited(by nodes: [[String: Any]]) -> Double {
        let rows = nodes.filter { $0["Relation Name"] != nil }.map { node in
            let rows = ["Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck"].map { key in
                (node[key] as? NSNumber)?.doubleValue ?? 0
            }
            return rows.reduce(0, +) * ((node["Actual Loops"] as? NSNumber)?.doubleValue ?? 0)
        }
        return rows.reduce(0, +)
    }

    /// Returns all nodes of the plan that the connection has for a statement.
    private static func plan(
        of query: Query, over connection: Connection, analyzed: Bool, first: String = "room7"
    ) throws -> [[String: Any]] {
        let options = analyzed ? "ANALYZE, TIMING OFF, FORMAT JSON" : "FORMAT JSON"
        let values = parameters(of: query).enumerated().map { value(of: $1, number: $0, first: first) }
        let arguments = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
        let answers = try connection.run(
            [.run("EXPLAIN (\(options)) EXECUTE \"\(query.name)\"\(arguments)")], until: .now + .seconds(60))
        let text = answers[0].rows.map { $0.text(0) }.joined()
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        guard let plan = (json as? [[String: Any]])?.first?["Plan"] as? [String: Any] else { return [] }
        return nodes(of: plan)
    }

    private static func nodes(of plan: [String: Any]) -> [[String: Any]] {
        [plan] + (plan["Plans"] as? [[String: Any]] ?? []).flatMap(nodes)
    }

    /// Returns the types of the parameters in their order.
    private static func parameters(of query: Query) -> [String] {
        var types: [Int: String] = [:]
        for match in query.sql.matches(of: /\$(\d+)::([a-z]+(?:\[\])?)/) {
            if let number = Int(match.output.1) { types[number] = String(match.output.2) }
        }
        return types.keys.sorted().compactMap { types[$0] }
    }

    /// Returns values that are in the tables: two rooms, and a person with a few hundred of them.
    private static func value(of type: String, number: Int, first: String) -> String {
        switch type {
        case "text": number == 0 ? "'\(first)'" : "'person1'"
        case "text[]": "'{room7,room8,@50,person1,person2}'"
        case "bigint": "5"
        case "bigint[]": "'{7,8}'"
        case "uuid": "'00000000-0000-0000-0000-000000000007'"
        case "uuid[]":
            "'{00000000-0000-0000-0000-000000000007,00000000-0000-0000-0000-000000000008}'"
        case "bytea[]": "'{a,b}'"
        default: "NULL"
        }
    }

    /// 20,000 rooms. A person has 200 of them, another one all, and others have one.
    private static let filling = """
        SET search_path = diffroom;
        CREATE FUNCTION pg_temp.number(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
            AS $$ SELECT ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
        INSERT INTO rooms(name, revision, count, inserted)
            SELECT CASE WHEN n % 50 = 0 THEN '@' ELSE 'room' END || n, 5, 3, 3 FROM generate_series(1, 20000) AS n;
        INSERT INTO memberships(room, person, joined, time, read)
            SELECT n, 'person' || n, 1, 1, 1 FROM generate_series(1, 20000) AS n;
        INSERT INTO memberships(room, person, joined, time, read)
            SELECT n, 'person1', 1, 1, 1 FROM generate_series(100, 20000, 100) AS n;
        INSERT INTO memberships(room, person, joined, time, read)
            SELECT n, 'person2', 1, 1, 1 FROM generate_series(1, 20000) AS n WHERE n <> 2;
        INSERT INTO messages(room, sort, id, changed, reloaded, author, time, text)
            SELECT n, m, pg_temp.number(n * 16 + m), m + n % 2, m, 'person' || n, 1000 + m, 'hello'
            FROM generate_series(1, 20000) AS n, generate_series(2, 4) AS m;
        INSERT INTO operations(room, revision, command, author, role, time, kind)
            SELECT n, m, pg_temp.number(n * 16 + m), 'person' || n, 1, 1000 + m, 1 + 6 * (m % 2)
            FROM generate_series(1, 20000) AS n, generate_series(1, 5) AS m;
        INSERT INTO tombstones SELECT n, 5, pg_temp.number(n * 16 + 9), 3 FROM generate_series(1, 20000) AS n;
        INSERT INTO deleted SELECT n, 1 FROM generate_series(1, 20000) AS n;
        INSERT INTO mentions(room, person, sort, author)
            SELECT n, 'person' || n % 100, 3, 'person' || n FROM generate_series(1, 20000) AS n;
        INSERT INTO standings SELECT n, 'person' || n, 2, 0, 0, 0 FROM generate_series(1, 20000) AS n;
        INSERT INTO last_sends SELECT n, 'person' || n, 5 FROM generate_series(1, 20000) AS n;
        INSERT INTO fingerprints SELECT n, 5, 5 FROM generate_series(1, 20000) AS n;
        INSERT INTO deliveries SELECT n, 5 FROM generate_series(0, 20000) AS n;
        INSERT INTO profiles SELECT 'person' || n, 'name', NULL, 5 FROM generate_series(1, 20000) AS n;
        INSERT INTO drafts
            SELECT 'person' || n, 'room' || m, m, 'hello' FROM generate_series(1, 20000) AS n, generate_series(1, 3) AS m;
        INSERT INTO blocks
            SELECT 'person' || n, 'person' || n + m, '@' || n, 0
            FROM generate_series(1, 20000) AS n, generate_series(1, 3) AS m;
        INSERT INTO later
            SELECT 'person' || n, pg_temp.number(n * 16 + m), CASE m WHEN 1 THEN n END, 0, 2, '{}'
            FROM generate_series(1, 20000) AS n, generate_series(1, 3) AS m;
        """
}

extension [Query] {
    /// Each statement once.
    fileprivate var unique: [Query] {
        var names: Set<String> = []
        return filter { names.insert($0.name).inserted }
    }
}
