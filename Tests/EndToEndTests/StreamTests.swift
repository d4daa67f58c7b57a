import Foundation
import TestSupport
import Testing

/// `diffroom --stream`: standard input is one message, which grows while the input comes.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct StreamTests {
    private let folder = TemporaryFolder()

    private func stream(to server: Server) throws -> RunningProgram {
        try RunningProgram("diffroom", ["--stream", "--user", "bot", "--patience", "600", server.url])
    }

    private func follower(of server: Server) throws -> RunningProgram {
        try RunningProgram("diffroom", ["--json", "--follow", "--user", "ann", "--patience", "600", server.url])
    }

    /// A character is cut in the middle, and the server is killed between two pieces.
    @Test func aKilledServerCostsNoByteOfTheText() async throws {
        let data = folder.file("rooms.db")
        var server = try await Server(data: data)
        let ann = try follower(of: server)
        let bot = try stream(to: server)

        try bot.type(bytes: Array("**one** \u{1F44D}".utf8.dropLast(2)))
        #expect(await ann.line(containing: #""text":"**one** ","open":true"#) != nil)
        server = try await server.killed(data: data)
        try bot.type(bytes: Array("\u{1F44D}".utf8.suffix(2)) + Array(" two\r".utf8))
        #expect(await ann.line(containing: #""text":"**one** 👍 two","open":true"#) != nil)
        try bot.type(bytes: Array("\nthree".utf8))
        try bot.endInput()

        #expect(await bot.end() == .exit(0))
        let last = await ann.line(containing: #""text":"**one** 👍 two\nthree"}"#)
        #expect(last?.contains(#""change":"reloaded""#) == true)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalEndsTheMessageAsStopped(signal: Int32) async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try follower(of: server)
        let bot = try stream(to: server)
        try bot.type(bytes: Array("and so on".utf8))
        #expect(await ann.line(containing: #""text":"and so on","open":true"#) != nil)

        bot.kill(signal)

        #expect(await bot.end() == .exit(1))
        #expect(await ann.line(containing: #""text":"and so on","ended":"stopped""#) != nil)
    }

    @Test func aTextThatIsTooLongEndsAsFailed() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try follower(of: server)
        let bot = try stream(to: server)

        try bot.type(bytes: Array("begun".utf8))
        #expect(await ann.line(containing: #""text":"begun","open":true"#) != nil)
        try bot.type(bytes: [UInt8](repeating: 0x61, count: 8_190))
        try bot.endInput()

        #expect(await bot.end() == .exit(1))
        #expect(await bot.complaint(containing: "must be at most 8192") != nil)
        #expect(await ann.line(containing: #""text":"begun","ended":"failed""#) != nil)
    }

    @Test func inputThatIsNoTextEndsTheMessageAsFailed() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try follower(of: server)
        let bot = try stream(to: server)

        try bot.type(bytes: Array("ca".utf8))
        #expect(await ann.line(containing: #""text":"ca","open":true"#) != nil)
        try bot.type(bytes: Array("f".utf8) + [0xE9, 0x0A])
        try bot.endInput()

        #expect(await bot.end() == .exit(1))
        #expect(await bot.complaint(containing: "the input is not UTF-8: convert it before") != nil)
        #expect(await ann.line(containing: #""ended":"failed""#) != nil)
    }
}
