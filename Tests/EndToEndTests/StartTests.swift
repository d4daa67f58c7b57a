import Foundation
import TestSupport
import Testing

/// How `diffroomd` starts, refuses to start, and ends.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about files"))
struct StartTests {
    private let folder = TemporaryFolder()

    /// Returns its error when it cannot serve.
    private func complaint(_ arguments: String...) async throws -> (ending: RunningProgram.Ending?, text: String) {
        let program = try RunningProgram("diffroomd", arguments)
        let text = await program.complaint(containing: "diffroomd:") ?? ""
        return (await program.end(), text)
    }

    @Test
    func sigtermEndsItWithStatusZero() async throws {
        let server = try await Server(data: folder.file("rooms.db"))

        server.program.kill(SIGTERM)

        #expect(await server.program.end() == .exit(0))
    }

    @Test
    func aSecondServerOnTheSameDataIsRefused() async throws {
        let data = folder.file("rooms.db")
        let server = try await Server(data: data)

        let (ending, text) = try await complaint("--listen", "127.0.0.1:0", "--data", data)

        #expect(ending == .exit(1))
        #expect(text.contains("\(server.program.identifier)") && text.contains(data), "\(text)")
    }

    @Test
    func aPortInUseIsRefused() async throws {
        let server = try await Server(data: folder.file("a.db"))

        let (ending, text) = try await complaint("--listen", "127.0.0.1:\(server.port)", "--data", folder.file("b.db"))

        #expect(ending == .exit(1))
        #expect(text.contains("port \(server.port)") && text.contains("another port"), "\(text)")
    }

    @Test
    func aFileThatIsNoStoreIsRefusedAndLeftAsItIs() async throws {
        let file = folder.file("notes.txt")
        try Data("dear diary, this is no database at all".utf8).write(to: URL(filePath: file))

        let (ending, text) = try await complaint("--listen", "127.0.0.1:0", "--data", file)

        #expect(ending == .exit(1) && text.contains(file), "\(text)")
        #expect(try String(contentsOf: URL(filePath: file), encoding: .utf8).hasPrefix("dear diary"))
    }

    @Test
    func aFolderThatIsNotThereIsNamed() async throws {
        let (ending, text) = try await complaint("--listen", "127.0.0.1:0", "--data", folder.file("no/rooms.db"))

        #expect(ending == .exit(1) && text.contains("no/rooms.db"), "\(text)")
    }

    @Test
    func withoutRoomForItsThreadsItSaysSoAndWithEnoughItServes() async throws {
        let program = try RunningProgram(
            "/bin/sh",
            [
                "-c", "ulimit -v 500000; exec \"$0\" --listen 127.0.0.1:0 --data \"$1\"",
                RunningProgram.path(of: "diffroomd"), folder.file("rooms.db"),
            ])

        let text = await program.complaint(containing: "diffroomd:") ?? ""

        #expect(text.contains("ulimit -v") && text.contains("1048576"), "\(text)")
        #expect(await program.end() == .exit(1))
        let server = try await Server(data: folder.file("rooms.db"), limit: "-v 1048576")
        server.program.kill(SIGTERM)
        #expect(await server.program.end() == .exit(0))
    }

    @Test(arguments: [
        (["--lisen", "x"], "--listen"), (["--listen", "8080"], "HOST:PORT"), (["--loops", "0"], "1 to 64"),
        (["--log-level", "loud"], "debug, info, warning, error"), (["extra"], "expected: none"),
        (["--data", ""], "--data needs a value: --data FILE"),
    ])
    func aWrongCommandLineSaysWhatWouldBeRight(arguments: [String], hint: String) async throws {
        let program = try RunningProgram("diffroomd", arguments)

        let text = await program.complaint() ?? ""

        #expect(text.contains(hint), "\(text)")
        #expect(await program.end() == .exit(2))
    }

    @Test(arguments: ["diffroomd", "diffroom", "diffroom-load"])
    func everyProgramHasHelpAndAVersion(name: String) async throws {
        for flag in ["--help", "--version"] {
            let program = try RunningProgram(name, [flag])
            #expect(await program.line(containing: name) != nil)
            #expect(await program.end() == .exit(0))
        }
    }
}
