import Foundation
import TestSupport
import Testing
import WebSocketTransport

/// Files in messages, sent by `diffroom` to a server with `--files`.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct FileTests {
    private let folder = TemporaryFolder()

    private func server(_ flags: [String] = [], port: UInt16 = 0) async throws -> Server {
        try await Server(
            data: folder.file("rooms.db"), host: "127.0.0.4", port: port,
            flags: ["--files", folder.file("files")] + flags)
    }

    private func client(_ user: String, _ url: String, _ flags: String...) throws -> RunningProgram {
        try RunningProgram("diffroom", [url, "--user", user] + flags)
    }

    /// Makes a file of random bytes.
    private func file(_ name: String, _ count: Int) throws -> Data {
        var random = SplitMix64(seed: UInt64(count))
        var bytes = Data(capacity: count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        bytes.count = count
        try bytes.write(to: URL(filePath: folder.file(name)))
        return bytes
    }

    /// Returns the bytes behind the address of the last file that a client has been shown.
    private func download(by client: RunningProgram, authority: String? = nil) async throws -> Data {
        try client.type("/links")
        let line = try #require(await client.line(containing: #""change":"links""#))
        let address = try #require(line.firstMatch(of: /https?:[^"]+/)).output
        let target = folder.file("download")
        let trust = authority.map { ["--cacert", $0] } ?? []
        let curl = try RunningProgram("/usr/bin/curl", ["-sSf", "-o", target] + trust + [String(address)])
        #expect(await curl.end() == .exit(0))
        return try Data(contentsOf: URL(filePath: target))
    }

    @Test
    func whatOneUploadsTheOtherSeesAndDownloads() async throws {
        let bytes = try file("my film.mp4", 3_000_000)
        let server = try await server()
        let ann = try client("ann", server.url, "--plain")
        let bob = try client("bob", server.url, "--plain")
        let eve = try client("eve", server.url, "--json")
        #expect(await bob.complaint(containing: "connected") != nil)

        try ann.type("/upload '\(folder.file("my film.mp4"))' look")
        try ann.type("after it")

        #expect(await ann.complaint(containing: "uploading my film.mp4, 2.9 MB") != nil)
        #expect(await ann.complaint(containing: "uploaded my film.mp4, 2.9 MB") != nil)
        #expect(await bob.line(containing: "+ 1 ")?.hasSuffix("ann: look") == true)
        #expect(await bob.line(containing: "film") == "    [my film.mp4, 2.9 MB]")
        #expect(await bob.line(containing: "+ 2 ")?.hasSuffix("ann: after it") == true)
        #expect(await eve.line(containing: #""media":"video/mp4""#)?.contains("proof") == false)
        #expect(try await download(by: eve) == bytes)
    }

    @Test
    func severalFilesAreOneMessageWhoseTextIsTheirNames() async throws {
        let (one, other) = (try file("a.png", 10), try file("b c.png", 20))
        let server = try await server()
        let ann = try client("ann", server.url, "--plain")

        try ann.type("/upload '~/a.png' '~/b c.png'".replacing("~", with: folder.path))
        try ann.endInput()

        #expect(await ann.end() == .exit(0))
        #expect(await ann.line(containing: "+ 1 ")?.hasSuffix("ann: [a.png, 10 B] [b c.png, 20 B]") == true)
        #expect(one != other)
    }

    @Test
    func aTildeIsTheHomeFolder() async throws {
        _ = try file("cat.png", 10)
        let server = try await server()
        let ann = try RunningProgram(
            "diffroom", [server.url, "--user", "ann", "--plain"], environment: ["HOME": folder.path])

        try ann.type("/upload ~/cat.png")

        #expect(await ann.line(containing: "[cat.png, 10 B]") != nil)
    }

    @Test
    func whatCannotBeSentIsSaidAndTheRestGoesOn() async throws {
        _ = try (file("big.zip", 3_000_000), file("empty", 0))
        let server = try await server(["--file-size", "1M"])
        let ann = try client("ann", server.url, "--plain")

        for path in ["big.zip", "empty", "none.png"] { try ann.type("/upload \(folder.file(path))") }
        try ann.type("/upload \(folder.path)")
        try ann.type("hello")
        try ann.endInput()

        #expect(await ann.complaint(containing: "big.zip has 2.9 MB, this server takes files up to 1 MB") != nil)
        #expect(await ann.complaint(containing: "empty is empty") != nil)
        #expect(await ann.complaint(containing: "no such file: \(folder.file("none.png"))") != nil)
        #expect(await ann.complaint(containing: "is a folder: pack it into one file first") != nil)
        #expect(await ann.line(containing: "+ 1 ")?.hasSuffix("ann: hello") == true)
        #expect(await ann.end() == .exit(1))
    }

    @Test
    func aServerWithoutFilesSaysSo() async throws {
        _ = try file("cat.png", 10)
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server.url, "--plain")

        try ann.type("/upload \(folder.file("cat.png"))")

        #expect(await ann.complaint(containing: "this server keeps no files") != nil)
    }

    @Test
    func anUploadGoesOnAfterTheServerWasKilledInItsMiddle() async throws {
        let bytes = try file("huge.bin", 64 << 20)
        let server = try await server()
        let bob = try client("bob", server.url, "--json")
        let ann = try client("ann", server.url, "--plain")
        try ann.type("/upload \(folder.file("huge.bin"))")

        #expect(Pause.polling { largestUpload >= 32 << 20 })
        server.program.kill(SIGKILL)
        #expect(await server.program.end() == .signal(SIGKILL))
        #expect(await ann.complaint(containing: "the upload of huge.bin goes on later") != nil)
        let again = try await self.server(port: server.port)

        #expect(await ann.complaint(containing: "uploaded huge.bin, 64 MB") != nil)
        #expect(await bob.line(containing: #""name":"huge.bin""#) != nil)
        // It reads the file once for its checksum and once to send it: what the server had is not sent again.
        #expect(try bytesRead(by: ann) < (64 + 64 + 20) << 20)
        #expect(try await download(by: bob) == bytes)
        _ = again
    }

    /// Returns the number of bytes that a program has read from files.
    private func bytesRead(by program: RunningProgram) throws -> Int {
        let counts = try String(contentsOfFile: "/proc/\(program.identifier)/io", encoding: .utf8)
        return try #require(counts.firstMatch(of: /rchar: (\d+)/).flatMap { Int($0.output.1) })
    }

    /// The size of the largest file in the server's folder.
    private var largestUpload: Int {
        let files = FileManager.default.enumerator(
            at: URL(filePath: folder.file("files")), includingPropertiesForKeys: [.fileSizeKey])
        return files?.compactMap { ($0 as? URL)?.fileSize }.max() ?? 0
    }

    @Test
    func overTLSTheFileGoesToHTTPS() async throws {
        let bytes = try file("cat.png", 100_000)
        let authority = try TestAuthority(in: folder)
        let certificate = try authority.certificate("here", for: "IP:127.0.0.4")
        let server = try await server(["--tls-cert", certificate.chain, "--tls-key", certificate.key])
        let url = server.url.replacing("ws:", with: "wss:")
        let ann = try client("ann", url, "--json", "--ca", authority.file)

        try ann.type("/upload \(folder.file("cat.png"))")

        #expect(await ann.line(containing: #""name":"cat.png""#) != nil)
        #expect(try await download(by: ann, authority: authority.file) == bytes)
    }

    @Test
    func anExportIsImportedWithoutItsFiles() async throws {
        _ = try file("cat.png", 10)
        let server = try await server()
        let ann = try client("ann", server.url, "--plain")
        try ann.type("/upload \(folder.file("cat.png"))")
        try ann.endInput()
        #expect(await ann.end() == .exit(0))
        let export = try RunningProgram("diffroom", ["export", server.url])
        let row = try #require(await export.line())
        let copy = try RunningProgram("diffroom", ["import", server.url, "--room", "copy"])

        try copy.type(row)
        try copy.endInput()

        #expect(row.contains(#""name":"cat.png""#))
        #expect(await copy.complaint(containing: "1 has lost its files: an export has names and sizes only") != nil)
        #expect(await copy.end() == .exit(0))
    }
}

extension URL {
    fileprivate var fileSize: Int? { try? resourceValues(forKeys: [.fileSizeKey]).fileSize }
}
