import CommandLineFlags
import Foundation
import TestSupport
import Testing

@testable import diffroomd

/// Files in messages, sent by `diffroom` to a server whose files are in a bucket.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct BucketTests {
    private let folder = TemporaryFolder()

    private func flags(_ address: String) throws -> [String] {
        let credentials = try file("bucket.key", StoreStandIn.credentials)
        return [
            "--files", "s3://\(StoreStandIn.bucket)/files", "--files-endpoint", address, "--files-region",
            StoreStandIn.region, "--files-credentials", credentials,
        ]
    }

    private func server(_ store: StoreStandIn) async throws -> Server {
        try await Server(data: folder.file("rooms.db"), flags: try flags(store.address))
    }

    private func client(_ user: String, _ server: Server, _ form: String) throws -> RunningProgram {
        try RunningProgram("diffroom", [server.url, "--user", user, form])
    }

    /// Makes a file that only its owner reads.
    private func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        chmod(folder.file(name), 0o600)
        return folder.file(name)
    }

    @Test
    func whatOneUploadsTheOtherDownloads() async throws {
        let store = try await StoreStandIn()
        let server = try await server(store)
        let text = String(repeating: "all of it, ", count: 100_000)
        let (ann, bob) = (try client("ann", server, "--plain"), try client("bob", server, "--json"))

        try ann.type("/upload '\(try file("my text.txt", text))' look")

        #expect(await ann.complaint(containing: "uploaded my text.txt, ") != nil)
        #expect(await bob.line(containing: #""media":"text/plain""#)?.contains("proof") == false)
        try bob.type("/links")
        let line = try #require(await bob.line(containing: #""change":"links""#))
        let address = try #require(line.firstMatch(of: /https?:[^"]+/)).output
        #expect(address.hasPrefix(server.url.replacing("ws:", with: "http:")))
        let curl = try RunningProgram("/usr/bin/curl", ["-sSfL", "-o", folder.file("download"), String(address)])
        #expect(await curl.end() == .exit(0))
        #expect(try String(contentsOfFile: folder.file("download"), encoding: .utf8) == text)
    }

    @Test
    func anUploadWaitsForItsStore() async throws {
        let store = try await StoreStandIn()
        let server = try await server(store)
        let ann = try client("ann", server, "--plain")
        await store.end()

        try ann.type("/upload \(try file("cat.png", "cat"))")
        #expect(await ann.complaint(containing: "the upload of cat.png goes on later") != nil)
        let again = try await StoreStandIn(port: try #require(store.port))

        #expect(await ann.complaint(containing: "uploaded cat.png, 3 B") != nil)
        try ann.type("hello")
        #expect(await ann.line(containing: "ann: hello") != nil)
        _ = again
    }

    @Test
    func aCheckFindsAFileThatIsMissing() async throws {
        let store = try await StoreStandIn()
        let server = try await server(store)
        let ann = try client("ann", server, "--plain")
        try ann.type("/upload \(try file("cat.png", "cat"))")
        #expect(await ann.line(containing: "[cat.png, 3 B]") != nil)
        let other = try await StoreStandIn()
        func check(_ address: String) throws -> RunningProgram {
            try RunningProgram("diffroomd", ["check", "--data", folder.file("rooms.db")] + flags(address))
        }

        #expect(await (try check(store.address)).end() == .exit(0))
        let failed = try check(other.address)
        #expect(await failed.line(containing: "is not in the bucket") != nil)
        #expect(await failed.end() == .exit(1))
    }

    @Test(arguments: [
        (["--files-endpoint", "s3.example"], ["--files-endpoint"]), (["--files-region", "Here"], ["--files-region"]),
        (["--files-credentials", "/no/such"], ["--files-credentials"]), (["--files", "s3://b"], ["--files"]),
        (["--files", "/tmp"], ["--files-endpoint", "--files-credentials"]), (["--file-size", "6G"], ["--file-size"]),
    ])
    func aWrongSettingIsReported(change: [String], wrong: [String]) throws {
        var flags = try flags("https://s3.example")
        if let index = flags.firstIndex(of: change[0]) { flags[index + 1] = change[1] } else { flags += change }
        let large = ["--files-per-user", "0", "--files-per-room", "0", "--data", folder.file("rooms.db")]

        let errors = try CheckedProgram.server(in: folder).errors(of: flags + large)

        #expect(errors.map { String($0.prefix { $0 != ":" }) } == wrong, "\(errors)")
    }

    @Test
    func aBucketNeedsItsKey() throws {
        let errors = try CheckedProgram.server(in: folder).errors(of: ["--files", "s3://chat"])

        #expect(errors.count == 1 && errors[0].contains("needs --files-credentials FILE"), "\(errors)")
    }

    @Test
    func aKeyThatAllMayReadIsReported() async throws {
        let flags = try flags("https://s3.example") + ["--data", folder.file("rooms.db")]
        chmod(folder.file("bucket.key"), 0o644)
        chmod(folder.path, 0o755)
        let program = try RunningProgram("diffroomd", flags + ["--check-config"])

        let warning = await program.complaint(containing: "--files-credentials")

        #expect(warning?.contains("every user of this machine can read it") == true)
        #expect(await program.line() == "ok")
    }
}
