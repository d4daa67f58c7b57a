import ChatWire
import Foundation
import TestSupport
import Testing

/// `diffroom export` and `diffroom import`.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct TransferTests {
    private let folder = TemporaryFolder()

    private func export(_ room: String, of server: Server) async throws -> [String] {
        let program = try RunningProgram("diffroom", ["export", server.url, "--room", room])
        #expect(await program.end() == .exit(0))
        while await program.line() != nil {}
        return program.lines
    }

    private func bring(_ lines: [String], into room: String, of server: Server) async throws -> RunningProgram {
        let program = try RunningProgram("diffroom", ["import", server.url, "--room", room])
        for line in lines { try program.type(line) }
        try program.endInput()
        return program
    }

    /// The parts of a message that do not depend on the server.
    private func essence(_ lines: [String]) throws -> [String] {
        try lines.map { line in
            let exported = try ExportedMessage(json: Array(line.utf8))
            let message = exported.message
            return """
                \(message.id) \(message.author): \(message.text) re \(message.replyTo as Any) \(message.reactions) in \
                \(exported.root as Any)
                """
        }
    }

    private func said(
        by user: String, _ lines: [String], in room: String = "lobby", of server: Server
    ) async throws {
        let program = try RunningProgram("diffroom", [server.url, "--room", room, "--user", user, "--plain"])
        for line in lines { try program.type(line) }
        try program.endInput()
        #expect(await program.end() == .exit(0))
    }

    @Test
    func whatIsExportedAndImportedIsTheSameRoomAlsoTheSecondTime() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        for user in ["ann", "bob", "ann"] {
            try await said(by: user, (1...300).map { "line \($0)" }, of: server)
        }
        try await said(by: "cy", ["hello", "/edit last hello!", "/reply last yes", "/react last 👍"], of: server)
        try await said(by: "ann", ["/react 903 👍", "/react 901 🎉", "/delete last"], of: server)
        let lines = try await export("lobby", of: server)
        let other = try await Server(data: folder.file("other.db"))

        for _ in 0..<2 {
            #expect(await (try bring(lines, into: "copy", of: other)).end() == .exit(0))
            let copy = try await export("copy", of: other)
            #expect(try essence(copy) == essence(lines))
        }
        #expect(lines.count == 901)
    }

    @Test
    func repliesAreExportedAndImportedWithTheirRoom() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        try await said(by: "ann", ["first", "second", "third"], of: server)
        let messages = try await export("lobby", of: server)
        let roots = try messages.map { try ExportedMessage(json: Array($0.utf8)).message.id }
        for root in [roots[0], roots[2]] {
            try await said(by: "bob", ["to \(root)", "more", "/react last 👍"], in: "lobby/thread/\(root)", of: server)
        }
        var lines: [String] = []
        // The message says a second later that it has replies.
        while lines.count < 7 { lines = try await export("lobby", of: server) }
        let other = try await Server(data: folder.file("other.db"))

        #expect(await (try bring(lines, into: "copy", of: other)).end() == .exit(0))

        let replies = try await export("copy/thread/\(roots[2])", of: other)
        let placed = replies.map { String($0.dropLast()) + #","root":"\#(roots[2])"}"# }
        #expect(try essence(placed) == essence(Array(lines.suffix(2))))
        #expect(lines.count == 7)
        let astray = try await bring(lines, into: "copy/thread/\(roots[2])", of: other)
        #expect(await astray.end() == .exit(2))
    }

    /// In an open room an author may not call everybody. The message comes all the same, in its place.
    @Test
    func aCallToEverybodyIsLeftOutWhereItsAuthorHasNoRightToIt() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let lines = (1...3).map { number in
            let calls = number == 2 ? #","everyone":true"# : ""
            return
                #"{"id":"52515c63-854b-42e0-9748-3dbd5675d1c\#(number)","sort":\#(number),"rev":\#(number),"author":"ann","time":1,"text":"\#(number)"\#(calls)}"#
        }

        for _ in 0..<2 {
            let program = try await bring(lines, into: "copy", of: server)
            #expect(await program.complaint(containing: "3 messages are in copy") != nil)
            #expect(await program.end() == .exit(0))
            let copy = try await export("copy", of: server)
            #expect(try copy.map { try Message(json: Array($0.utf8), in: .history).text } == ["1", "2", "3"])
        }
    }

    @Test
    func aLineThatIsNoMessageIsNamedAndNothingIsSaid() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        try await said(by: "ann", ["one", "two"], of: server)
        let lines = try await export("lobby", of: server)

        let program = try await bring([lines[0], String(lines[1].dropLast(10))], into: "copy", of: server)

        #expect(await program.complaint(containing: "line 2 of the input is no message") != nil)
        #expect(await program.end() == .exit(2))
        #expect(try await export("copy", of: server).isEmpty)
    }

    @Test
    func anImportThatIsNotUTF8IsRefusedAndControlCharactersAreLeftOut() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        try await said(by: "ann", ["one"], of: server)
        let line = try #require(try await export("lobby", of: server).first)

        let wrong = try RunningProgram("diffroom", ["import", server.url, "--room", "copy"])
        try wrong.type(bytes: Array(line.utf8) + [0x0A, 0xE9, 0x0A])
        try wrong.endInput()
        #expect(await wrong.complaint(containing: "line 2 of the input is not UTF-8") != nil)
        #expect(await wrong.end() == .exit(2))

        let old = line.replacing("\"one\"", with: #""\u001b[1mo\u001b[0mne\r\n""#)
        let program = try await bring([old], into: "copy", of: server)
        #expect(await program.complaint(containing: "of 1 message") != nil)
        #expect(await program.end() == .exit(0))
        #expect(try await export("copy", of: server).first?.contains(#""text":"one\n""#) == true)
    }

    @Test(arguments: ["export", "import"])
    func aWrongAddressIsToldBeforeTheInputIsRead(verb: String) async throws {
        let program = try RunningProgram("diffroom", [verb, "localhost:8080"])

        #expect(await program.complaint(containing: "'localhost:8080' must begin with ws:// or wss://") != nil)
        #expect(await program.end() == .exit(2))
    }

    @Test(arguments: ["export", "import"])
    func withoutAServerItSaysSoAndEnds(verb: String) async throws {
        let program = try RunningProgram("diffroom", [verb, "ws://127.0.0.1:1", "--patience", "1"])
        let line = #"{"id":"52515c63-854b-42e0-9748-3dbd5675d1c9","sort":1,"rev":1,"author":"ann","time":1,"text":"x"}"#
        if verb == "import" { try program.type(line) }
        try program.endInput()

        #expect(await program.complaint(containing: "no connection for 1 s") != nil)
        #expect(await program.end() == .exit(1))
    }
}
