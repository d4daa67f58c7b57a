import Foundation
import TestSupport
import Testing

/// A client's behaviour when its user exceeds the server's limits.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct LimitTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [["--send-rate", "20"], ["--command-rate", "20", "--send-rate", "0"]])
    func whatWasTooMuchIsSaidLaterInItsOrder(flags: [String]) async throws {
        let server = try await Server(data: folder.file("rooms.db"), flags: flags)
        let lines = (1...200).map { "line \($0)" }
        let ann = try RunningProgram("diffroom", [server.url, "--room", "lobby", "--user", "ann", "--plain"])

        for line in lines { try ann.type(line) }
        try ann.endInput()

        #expect(await ann.end() == .exit(0))
        let export = try RunningProgram("diffroom", ["export", server.url, "--room", "lobby"])
        #expect(await export.end() == .exit(0))
        while await export.line() != nil {}
        let texts = export.lines.compactMap { $0.firstMatch(of: /"text":"([^"]*)"/)?.output.1 }
        #expect(texts.map(String.init) == lines)
    }

    @Test
    func pagesThatWereTooManyAreAskedForLater() async throws {
        let flags = ["--page-rate", "1", "--send-rate", "0", "--command-rate", "0"]
        let server = try await Server(data: folder.file("rooms.db"), flags: flags)
        let ann = try RunningProgram("diffroom", [server.url, "--room", "lobby", "--user", "ann", "--plain"])
        for number in 1...3_200 { try ann.type("line \(number)") }
        try ann.endInput()
        #expect(await ann.end() == .exit(0))

        // The end and then at least six pages of at most 500, of which five may come at once.
        let export = try RunningProgram("diffroom", ["export", server.url, "--room", "lobby"])

        #expect(await export.end() == .exit(0))
        while await export.line() != nil {}
        #expect(export.lines.count == 3_200)
    }
}
