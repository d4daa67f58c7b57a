import ChatWire
import Foundation
import Replicas
import TestSupport
import Testing

/// `diffroomd backup` while another one serves, and `diffroomd restore`.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about files"))
struct BackupTests {
    private let folder = TemporaryFolder()
    private let room = RoomName("probe")!

    private func run(_ arguments: String...) async throws -> (ending: RunningProgram.Ending?, text: String) {
        let program = try RunningProgram("diffroomd", arguments)
        let ending = await program.end()
        if let line = await program.line() { return (ending, line) }
        return (ending, await program.complaint() ?? "")
    }

    @Test
    func aBackupThatIsTakenUnderLoadRestoresToAllThatWasAcknowledgedBefore() async throws {
        let data = folder.file("rooms.db")
        let server = try await Server(data: data)
        let load = try RunningProgram(
            "diffroom-load",
            [
                "--rooms", "5", "--subscribers", "3", "--rate", "100", "--duration", "4", "--edits", "20", "--seed",
                "1",
                "--json", server.url,
            ])
        let connections = try Connections()
        defer { connections.stop() }
        let ann = try await enter(server, connections)
        let before = try await say(50, on: ann)

        let backup = try await run("backup", "--data", data, "--to", folder.file("copy.db"))
        #expect(backup.ending == .exit(0), "\(backup.text)")
        _ = try await say(10, on: ann)

        let summary = await load.line() ?? ""
        #expect(await load.end() == .exit(0), "\(summary)")
        let restored = try await run("restore", "--from", folder.file("copy.db"), "--data", folder.file("new.db"))
        #expect(restored.ending == .exit(0) && restored.text.contains("new.db"), "\(restored.text)")
        let again = try await Server(data: folder.file("new.db"))
        let page = try await (try await enter(again, connections))
            .answer(to: .page(.messages(room), .before(1 << 50), limit: 500))
        guard case .page(_, _, _, let found as ListPage<Message>) = page else { throw NotListening() }
        #expect(found.rows.map(\.id).starts(with: before))
    }

    @Test
    func whoWasAheadOfTheBackupBeginsAfreshAndMissesNothingOfTheNewHistory() async throws {
        let data = folder.file("rooms.db")
        let server = try await Server(data: data)
        let connections = try Connections()
        defer { connections.stop() }
        let ann = try await enter(server, connections)
        let kept = try await say(3, on: ann)
        let backup = try await run("backup", "--data", data, "--to", folder.file("copy.db"))
        #expect(backup.ending == .exit(0), "\(backup.text)")
        _ = try await say(2, on: ann)
        guard case .snapshot(_, _, let old as ServerFrame.Snapshot<Message>) = try await subscribe(nil, on: ann) else {
            throw NotListening()
        }
        server.program.kill(SIGTERM)
        #expect(await server.program.end() == .exit(0))

        _ = try await run("restore", "--from", folder.file("copy.db"), "--data", folder.file("new.db"))
        let again = try await Server(data: folder.file("new.db"))
        let late = try await enter(again, connections)
        let new = try await say(2, on: late)

        guard
            case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = try await subscribe(
                try Replica(old).resume(), on: late)
        else {
            throw NotListening()
        }
        #expect(snapshot.why == .epoch && snapshot.snapshot.rows.map(\.id) == kept + new)
    }

    @Test
    func aServerThatEndsLeavesAllOfItInTheFileAndCheckSaysWhenItIsNot() async throws {
        let data = folder.file("rooms.db")
        let server = try await Server(data: data)
        let connections = try Connections()
        defer { connections.stop() }
        let said = try await say(5, on: try await enter(server, connections))
        server.program.kill(SIGTERM)
        #expect(await server.program.end() == .exit(0))

        #expect(!FileManager.default.fileExists(atPath: data + "-wal"))
        try FileManager.default.copyItem(atPath: data, toPath: folder.file("alone.db"))
        let again = try await Server(data: folder.file("alone.db"))
        let page = try await (try await enter(again, connections))
            .answer(to: .page(.messages(room), .before(1 << 50), limit: 50))
        guard case .page(_, _, _, let found as ListPage<Message>) = page else { throw NotListening() }
        #expect(found.rows.map(\.id) == said)
        let check = try await run("check", "--data", folder.file("alone.db"))
        #expect(check.ending == .exit(0) && check.text.contains("nothing is wrong"), "\(check.text)")

        var bytes = try Data(contentsOf: URL(filePath: data))
        for place in bytes.indices.dropFirst(8_192) { bytes[place] = 0xA5 }
        try bytes.write(to: URL(filePath: data))
        let damaged = try await run("check", "--data", data)
        #expect(damaged.ending == .exit(1) && !damaged.text.isEmpty, "\(damaged.text)")
    }

    @Test
    func aWrongCommandLineSaysWhatWouldBeRight() async throws {
        for (words, hint) in [(["backup"], "--to needs a value"), (["restore", "--to", "x"], "no flag --to")] {
            let program = try RunningProgram("diffroomd", words)
            #expect(await program.complaint()?.contains(hint) == true)
            #expect(await program.end() == .exit(2))
        }
        let missing = try await run("backup", "--data", folder.file("no.db"), "--to", folder.file("copy.db"))
        #expect(missing.ending == .exit(1) && missing.text.contains("no.db is not there"), "\(missing.text)")
    }
}

extension BackupTests {
    private func enter(_ server: Server, _ connections: Connections) async throws -> Connection {
        let connection = try connections.connect(to: server.port, host: server.host)
        _ = try await connection.answer(to: .hello(.user(UserName("ann")!)))
        return connection
    }

    /// Returns the messages' ids when all are acknowledged.
    private func say(_ count: Int, on connection: Connection) async throws -> [MessageID] {
        var said: [MessageID] = []
        for number in 0..<count {
            let id = MessageID.random()
            let answer = try await connection.answer(to: .send(room: room, id: id, "\(number)"))
            guard case .ok = answer else { throw NotListening() }
            said.append(id)
        }
        return said
    }

    private func subscribe(_ resume: Resume?, on connection: Connection) async throws -> ServerFrame {
        try await connection.answer(to: .subscribe(.messages(room), limit: 50, resume: resume))
    }
}
