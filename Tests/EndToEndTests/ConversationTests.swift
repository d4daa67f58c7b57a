import Foundation
import TestSupport
import Testing

/// Two people with `diffroom --plain`, as in the README.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ConversationTests {
    private let folder = TemporaryFolder()

    private func client(
        _ user: String, _ server: Server, format: String = "--plain", _ flags: String...
    ) throws -> RunningProgram {
        try RunningProgram("diffroom", [server.url, "--room", "lobby", "--user", user, format] + flags)
    }

    @Test
    func whatIsTypedInOneTerminalShowsInTheOther() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        let bob = try client("bob", server)
        #expect(await ann.complaint(containing: "connected") != nil)
        #expect(await bob.complaint(containing: "connected") != nil)

        try ann.type("hello")
        #expect(await bob.line(containing: "+ 1 ")?.hasSuffix("ann: hello") == true)
        #expect(await ann.line(containing: "+ 1 ") != nil)
        try ann.type("/edit 1 hello, bob")
        #expect(await bob.line(containing: "~ 1 ")?.contains("ann: hello, bob") == true)
        try bob.type("/react 1 👍")
        #expect(await ann.line(containing: "* 1 ") != nil)
        #expect(await ann.line(containing: "👍 bob") != nil)
        try ann.type("/delete 1")
        #expect(await bob.line(containing: "- 1 ") != nil)
    }

    @Test
    func whoComesLaterGetsThePastUnderHistoryAndTheRestUnderSocket() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        try ann.type("before")
        #expect(await ann.line(containing: "ann: before") != nil)
        let bob = try client("bob", server)
        #expect(await bob.line(containing: "ann: before") != nil)
        try ann.type("after")
        #expect(await bob.line(containing: "ann: after") != nil)

        let lines = bob.lines
        #expect(lines.first == "history" && lines.contains("socket"))
        #expect(lines.firstIndex(of: "socket")! > lines.firstIndex { $0.contains("before") }!)
        #expect(lines.firstIndex(of: "socket")! < lines.firstIndex { $0.contains("after") }!)
    }

    @Test
    func atTheEndOfInputEverythingIsAcknowledged() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        for number in 1...100 { try ann.type("line \(number)") }
        try ann.endInput()

        #expect(await ann.end() == .exit(0))
        let bob = try client("bob", server, "--limit", "100")
        #expect(await bob.line(containing: "ann: line 100") != nil)
        #expect(bob.lines.count { $0.hasPrefix("+") } == 100)
    }

    @Test
    func olderMessagesComeOnRequestInFrontOfTheRest() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        for number in 1...100 { try ann.type("line \(number)") }
        #expect(await ann.line(containing: "ann: line 100") != nil)
        let bob = try client("bob", server, "--limit", "32")
        #expect(await bob.line(containing: "ann: line 100") != nil)
        #expect(!bob.lines.contains { $0.hasSuffix("ann: line 68") })

        try bob.type("/older 40")

        for number in 29...68 {
            #expect(await bob.line(containing: "+ \(number) ")?.hasSuffix("ann: line \(number)") == true)
        }
        #expect(!bob.lines.contains { $0.hasSuffix("ann: line 28") })
    }

    @Test
    func aReactionThatIsTakenBackIsGoneAndAReplyNamesItsMessage() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        try ann.type("hello")
        #expect(await ann.line(containing: "+ 1 ") != nil)

        try ann.type("/react last 👍")
        #expect(await ann.line(containing: "👍 ann") != nil)
        try ann.type("/unreact last 👍")
        #expect(await ann.line(containing: "* 1 ")?.hasSuffix("ann: hello") == true)
        try ann.type("/reply 1 to myself")
        #expect(await ann.line(containing: "+ 4 ")?.hasSuffix("ann: re #1 to myself") == true)
        #expect(ann.lines.count { $0.contains("👍") } == 1)
    }

    @Test
    func whoIsThereIsSaidOnRequest() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server)
        try ann.type("here I am")
        #expect(await ann.line(containing: "here I am") != nil)
        let bob = try client("bob", server)

        try bob.type("/who")

        #expect(await bob.complaint(containing: "online: ")?.contains("online: ann") == true)
    }

    @Test
    func programsGetAnObjectInALineForEachChange() async throws {
        struct Change: Decodable {
            struct Message: Decodable { let text, author, section: String }
            let change, why, room: String
            let message: Message
        }
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server, format: "--json")
        try ann.type("one")
        try ann.type("two")
        try ann.type("/edit last three")
        try ann.endInput()
        #expect(await ann.end() == .exit(0))

        let changes = try ann.lines.map { try JSONDecoder().decode(Change.self, from: Data($0.utf8)) }

        #expect(changes.allSatisfy { $0.room == "lobby" && $0.why == "live" && $0.message.section == "socket" })
        var texts: [String] = []
        for change in changes {
            if change.change == "reloaded" { texts.removeLast() }
            texts.append(change.message.text)
        }
        #expect(texts == ["one", "three"])
    }

    @Test(arguments: ["--plain", "--json"])
    func severalRoomsAreFollowedOnOneConnection(format: String) async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        func shows(_ text: String, in room: String) -> (String) -> Bool {
            { line in
                format == "--plain"
                    ? line.hasPrefix("#\(room) + ") && line.hasSuffix("ann: \(text)")
                    : line.contains("\"room\":\"\(room)\"") && line.contains("\"text\":\"\(text)\"")
            }
        }
        let ann = try client("ann", server, format: format, "--room", "tea", "--room", "garden")
        let lines = [("to the first", "lobby"), ("to another", "garden"), ("to the third", "tea")]

        for (text, room) in lines {
            if room != "lobby" { try ann.type("/to \(room)") }
            try ann.type(text)
            #expect(await ann.line(containing: text).map(shows(text, in: room)) == true)
        }
        let metrics = String(decoding: try HTTPAnswer(getting: "/metrics", from: server.port).body, as: UTF8.self)
        #expect(metrics.contains("\ndiffroom_connections 1\n"))
        try ann.type("/to attic")
        #expect(await ann.complaint(containing: "room attic is not followed") != nil)
        try ann.endInput()
        #expect(await ann.end() == .exit(1))
        // Whoever comes later is shown the past of each.
        let bob = try client("bob", server, format: format, "--room", "garden")
        try bob.type("/quit")
        #expect(await bob.end() == .exit(0))
        while await bob.line() != nil {}
        for (text, room) in lines { #expect(bob.lines.contains(where: shows(text, in: room)) == (room != "tea")) }
    }

    @Test
    func aRoomThatCannotBeFollowedIsSaidAndTheOthersAreFollowed() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let ann = try client("ann", server, "--room", "~00000000-0000-4000-8000-000000000000")
        #expect(await ann.complaint(containing: "cannot follow the room") != nil)

        try ann.type("hello")
        #expect(await ann.line(containing: "ann: hello")?.hasPrefix("#lobby + ") == true)
        try ann.endInput()

        #expect(await ann.end() == .exit(1))
    }

    @Test
    func whoFollowsStaysAtTheEndOfInputAndIsShownTheRest() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let bob = try client("bob", server, "--follow")
        #expect(await bob.complaint(containing: "connected") != nil)
        try bob.endInput()
        let ann = try client("ann", server)

        try ann.type("still there?")

        #expect(await bob.line(containing: "ann: still there?") != nil)
    }

    @Test
    func aServerThatIsKilledAndStartedAgainIsAPauseOnly() async throws {
        let data = folder.file("rooms.db")
        let server = try await Server(data: data, host: "127.0.0.3")
        let ann = try client("ann", server)
        let bob = try client("bob", server)
        try ann.type("one")
        #expect(await bob.line(containing: "ann: one") != nil)

        try ann.type("two")
        let again = try await server.killed(data: data)

        #expect(again.port == server.port)
        #expect(await bob.line(containing: "ann: two") != nil)
        #expect(bob.lines.count { $0.contains("ann: one") } == 1)
    }
}
