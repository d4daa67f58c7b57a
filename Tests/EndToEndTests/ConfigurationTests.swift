import Foundation
import TestSupport
import Testing

/// The settings of `diffroomd`: from where they come, how they are checked, and what a running server takes.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct ConfigurationTests {
    private let folder = TemporaryFolder()

    private func write(_ json: String) throws -> String {
        let path = folder.file("diffroomd.json")
        try json.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test
    func aFileConfiguresIt() async throws {
        let path = try write(#"{"listen": "127.0.0.1:0", "data": "\#(folder.file("rooms.db"))", "log-format": "text"}"#)
        let program = try RunningProgram("diffroomd", ["--config", path, "--log-level", "info"])

        #expect(await program.line(containing: "listening on") != nil)
        let line = try #require(await program.complaint(containing: "INFO listening"))
        #expect(line.prefixMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO listening/) != nil, "\(line)")
        program.kill(SIGTERM)
        #expect(await program.end() == .exit(0))
    }

    @Test
    func checkingSaysOkAndMakesNothing() async throws {
        let path = try write(#"{"data": "\#(folder.file("rooms.db"))"}"#)
        let program = try RunningProgram("diffroomd", ["--check-config", "--config", path])

        #expect(await program.line() == "ok")
        #expect(await program.end() == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: folder.file("rooms.db")))
    }

    @Test
    func checkingTellsOfEverythingThatIsWrong() async throws {
        let path = try write("{\n\"listen\": \"here\",\n\"loops\": 0}")
        let program = try RunningProgram(
            "diffroomd", ["--check-config", "--config", path, "--data", "/no/such/rooms.db"])

        for hint in ["line 2: listen", "line 3: loops", "--data: '/no/such/rooms.db'"] {
            #expect(await program.complaint(containing: hint) != nil, "\(hint)")
        }
        #expect(await program.end() == .exit(2))
    }

    @Test
    func whatIsPrintedConfiguresAnotherAlike() async throws {
        let first = try RunningProgram("diffroomd", ["--print-config", "--loops", "3", "--log-level", "debug"])
        #expect(await first.end() == .exit(0))
        while await first.line() != nil {}
        let printed = first.lines.joined(separator: "\n")
        let path = try write(printed)

        let second = try RunningProgram("diffroomd", ["--print-config", "--config", path])

        #expect(await second.end() == .exit(0))
        while await second.line() != nil {}
        #expect(second.lines.joined(separator: "\n") == printed && printed.contains("\"loops\": 3"))
    }

    @Test
    func aRunningServerTakesWhatItCanWithoutLosingAConnection() async throws {
        let settings = #""data": "\#(folder.file("rooms.db"))", "listen": "127.0.0.1:0", "log-format": "text""#
        let path = try write(#"{\#(settings), "log-level": "info"}"#)
        let server = try await Server(config: path)
        let reader = try RunningProgram("diffroom", [server.url, "--plain", "--follow", "--user", "ann"])
        try reader.type("before")
        #expect(await reader.line(containing: "before") != nil)

        _ = try write(#"{\#(settings), "log-level": "debug", "max-connections": 1, "loops": 1, "heartbeat": 20}"#)
        server.program.kill(SIGHUP)

        let said = await server.program.complaint(containing: "reloaded") ?? ""
        #expect(said.contains("max-connections, log-level"), "\(said)")
        let late = await server.program.complaint(containing: "need a restart") ?? ""
        #expect(late.contains("heartbeat"), "\(late)")
        try reader.type("after")
        #expect(await reader.line(containing: "after") != nil)
        let more = try RunningProgram("diffroom", [server.url, "--plain", "--user", "bob", "--patience", "1"])
        #expect(await more.end() == .exit(1))
    }

    @Test
    func aCheckWarnsOfSecretsThatAllUsersCanRead() async throws {
        let secret = folder.file("secret")
        let data = folder.file("rooms.db")
        try Data(repeating: 7, count: 32).write(to: URL(filePath: secret))
        try Data().write(to: URL(filePath: data))
        let path = try write(#"{"data": "\#(data)", "secret": "\#(secret)"}"#)
        func warnings(_ mode: Int) async throws -> [String] {
            for file in [secret, data] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            }
            let program = try RunningProgram("diffroomd", ["--config", path, "--check-config"])
            #expect(await program.end() == .exit(0))
            var told: [String] = []
            while let line = await program.complaint() { told.append(line) }
            return told
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: URL(filePath: secret).deletingLastPathComponent().path)

        let told = try await warnings(0o644)

        #expect(told.contains { $0.contains("warning: --secret \(secret)") && $0.contains("chmod o-rwx \(secret)") })
        #expect(told.contains { $0.contains("warning: --data \(data)") })
        #expect(try await warnings(0o640) == [])
    }

    @Test
    func wrongSettingsChangeNothing() async throws {
        let settings = #""data": "\#(folder.file("rooms.db"))", "listen": "127.0.0.1:0", "log-format": "text""#
        let path = try write("{\(settings)}")
        let server = try await Server(config: path)

        _ = try write(#"{\#(settings), "log-level": "error", "lops": 3}"#)
        server.program.kill(SIGHUP)
        #expect(await server.program.complaint(containing: "not reloaded")?.contains("loops") == true)

        _ = try write("{\(settings)}")
        server.program.kill(SIGHUP)
        #expect(await server.program.complaint(containing: "reloaded")?.contains("changed=nothing") == true)
    }
}
