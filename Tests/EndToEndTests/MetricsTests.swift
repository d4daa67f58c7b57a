import Foundation
import TestSupport
import Testing

/// The contents of `/metrics`, and that the documentation, the dashboard and the alerts name the same metrics.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct MetricsTests {
    private let folder = TemporaryFolder()
    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func samples(_ server: Server) throws -> [String: Double] {
        let text = String(decoding: try HTTPAnswer(getting: "/metrics", from: server.port).body, as: UTF8.self)
        return Dictionary(
            uniqueKeysWithValues: text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                let space = line.lastIndex(of: " ") ?? line.startIndex
                return (String(line[..<space]), Double(line[space...].dropFirst()) ?? .nan)
            })
    }

    /// The families that the server has, with their types.
    private func families(_ server: Server) throws -> [String: String] {
        let text = String(decoding: try HTTPAnswer(getting: "/metrics", from: server.port).body, as: UTF8.self)
        let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: types.map { (String($0[2]), String($0[3])) })
    }

    /// The families that a file of this repository names.
    private func named(in path: String, _ families: [String: String]) throws -> Set<String> {
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        return Set(
            text.matches(of: /\b(?:diffroom|process)_[a-z_]+/).map { match in
                let name = String(match.output)
                let family = name.replacing(/_(bucket|sum|count)$/, with: "")
                return families[family] == "histogram" ? family : name
            })
    }

    @Test
    func whatPeopleDoIsCounted() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let reader = try RunningProgram("diffroom", [server.url, "--json", "--follow", "--user", "ann"])
        try reader.type("one")
        #expect(await reader.line(containing: "one") != nil)
        var during = try samples(server)
        // The reader may have the diff before the loop has counted it.
        while during["diffroom_delivery_lag_seconds_count"] == 0 { during = try samples(server) }
        try reader.endInput()
        reader.kill(SIGTERM)
        _ = await reader.end()

        #expect(during["diffroom_connections"] == 1 && during["diffroom_rooms"] == 1)
        #expect(during["diffroom_readers"].map { $0 >= 1 } == true)
        #expect(during["diffroom_commands_total{command=\"send\"}"] == 1)
        #expect(during["diffroom_operations_total{outcome=\"committed\"}"] == 1)
        #expect(during["diffroom_commit_duration_seconds_count"] == 1)
        #expect(during["diffroom_commit_operations_bucket{le=\"1.0\"}"] == 1)
        #expect(during["diffroom_diffs_total"] == 1)
        #expect(during["diffroom_delivery_lag_seconds_count"] == 1)
        #expect(during["diffroom_delivery_lag_seconds_sum"].map { $0 > 0 } == true)
        #expect(during["diffroom_snapshots_total{reason=\"fresh\"}"] == 1)
        #expect(during["process_resident_memory_bytes"].map { $0 > 1_048_576 } == true)
        #expect(during["process_open_fds"].map { $0 > 3 } == true)
    }

    @Test
    func everyMetricIsDocumentedAndEveryOneThatIsNamedIsThere() async throws {
        let families = try families(try await Server(data: folder.file("rooms.db")))

        #expect(try named(in: "docs/operations.md", families) == Set(families.keys))
        #expect(try named(in: "contrib/grafana/diffroom.json", families) == Set(families.keys))
        #expect(try named(in: "contrib/prometheus/diffroom.rules.yml", families).isSubset(of: families.keys))
    }

    @Test
    func everyAlertIsDocumented() throws {
        let rules = try String(
            contentsOf: root.appending(path: "contrib/prometheus/diffroom.rules.yml"), encoding: .utf8)
        let text = try String(contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
        let alerts = rules.matches(of: /alert: (\w+)/).map(\.output.1)

        #expect(alerts.count > 10)
        for alert in alerts { #expect(text.contains("`\(alert)`"), "\(alert)") }
    }

    @Test
    func namesAndTypesFollowTheRules() async throws {
        for (name, type) in try families(try await Server(data: folder.file("rooms.db"))) {
            #expect((type == "counter") == name.hasSuffix("_total"), "\(name) is a \(type)")
            #expect(name.wholeMatch(of: /[a-z]+(_[a-z]+)+/) != nil, "\(name)")
        }
    }
}
