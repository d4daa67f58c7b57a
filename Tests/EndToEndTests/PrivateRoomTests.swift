import ChatClient
import ChatWire
import Foundation
import Locking
import Publishing
import TestSupport
import Testing

/// Private and direct rooms, and open ones that people make, with the real programs.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct PrivateRoomTests {
    private let folder = TemporaryFolder()

    private func client(_ user: String, _ server: Server, _ flags: String...) throws -> RunningProgram {
        try RunningProgram("diffroom", [server.url, "--user", user] + flags)
    }

    /// Returns what a client says about its rooms or its commands, once these lines of its are carried out.
    private func run(_ user: String, _ server: Server, room: String = "lobby", _ lines: String...) async throws -> Ran {
        let program = try client(user, server, "--room", room, "--plain")
        for line in lines { try program.type(line) }
        try program.endInput()
        var said: [String] = []
        while let line = await program.complaint() { said.append(line) }
        return Ran(ending: await program.end(), said: said)
    }

    /// Asks for one's rooms until they are as `text` says, because a list comes some ticks after what it tells of.
    private func rooms(of user: String, _ server: Server, say text: String) async throws -> Bool {
        for _ in 0..<20 where try await run(user, server, "/rooms").says(text) { return true }
        return false
    }

    private struct Ran {
        let ending: ChildProcess.Ending?
        let said: [String]

        /// Returns whether a line has the text.
        func says(_ text: String) -> Bool { said.contains { $0.contains(text) } }
    }

    /// Makes a private room, and returns its name.
    private func room(of user: String, on server: Server, _ title: String) async throws -> String {
        let program = try client(user, server, "--room", "lobby", "--json")
        try program.type("/create \(title)")
        try program.endInput()
        let line = try #require(await program.line(containing: #""change":"made""#))
        #expect(await program.end() == .exit(0))
        return try #require(line.split(separator: "\"").last { $0.hasPrefix("~") }.map(String.init))
    }

    @Test
    func whoIsInvitedIsToldAcceptsAndIsThere() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let plans = try await room(of: "ann", on: server, "Plans for May")
        #expect(try await run("ann", server, room: plans, "/invite bob", "/invite cid").ending == .exit(0))

        let invited = "ann invites you to room Plans for May (\(plans)): /accept or /decline"
        #expect(try await rooms(of: "bob", server, say: invited))
        #expect(try await run("bob", server, "/accept plans").says("you are a member of room Plans for May"))
        #expect(try await run("cid", server, "/decline").says("you are no member of room Plans for May"))
        #expect(try await rooms(of: "cid", server, say: "you are a member of no room"))

        let ann = try client("ann", server, "--room", plans, "--plain")
        #expect(try await run("bob", server, room: plans, "hello").ending == .exit(0))
        #expect(await ann.line(containing: "bob: hello") != nil)
        #expect(try await run("ann", server, room: plans, "/title Plans").ending == .exit(0))
        #expect(try await rooms(of: "bob", server, say: "room Plans (\(plans)): nothing unread; bob: hello"))
    }

    /// A room in which one is not, and one that never was, are told apart by nothing.
    @Test
    func whoIsNotInvitedIsToldAsOfARoomThatNeverWas() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let plans = try await room(of: "ann", on: server, "Plans")
        let never = "~00000000-0000-4000-8000-000000000000"

        let (refused, unknown) = (
            try await run("eve", server, room: plans, "hello"), try await run("eve", server, room: never, "hello")
        )

        #expect(refused.ending == .exit(1) && refused.ending == unknown.ending)
        let words = [(refused, plans), (unknown, never)].map { ran, name in
            ran.said.dropFirst().map { $0.replacing(name.dropFirst().prefix(8), with: "") }
        }
        #expect(words[0] == words[1] && !words[0].isEmpty)
        #expect(!refused.says("Plans"))
    }

    @Test
    func onlyTheOwnerInvitesAndNobodyIsInvitedWhereAllMayCome() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let plans = try await room(of: "ann", on: server, "Plans")
        #expect(try await run("ann", server, room: plans, "/invite bob").says("bob is invited to room Plans"))

        let member = try await run("bob", server, room: plans, "/accept", "/invite cid", "/title Mine")
        #expect(member.says("not done: only the owner may invite to room Plans"))
        #expect(member.says("not done: only the owner, or a moderator, gives room Plans a title"))
        #expect(member.ending == .exit(1))
        #expect(try await run("bob", server, "/invite cid").says("room lobby needs no invitation"))
        #expect(try await run("ann", server, room: plans, "/uninvite bob").says("bob is no longer in room Plans"))
        #expect(try await rooms(of: "bob", server, say: "you are a member of no room"))
    }

    @Test
    func aMessageToSomebodyIsInTheRoomForTheTwo() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        #expect(try await run("ann", server, "/msg bob: hello").ending == .exit(0))

        #expect(try await rooms(of: "bob", server, say: "the direct room with ann"))
        let told = try await run("bob", server, "/rooms")
        let line = try #require(told.said.first { $0.contains("the direct room with ann") })
        #expect(line.contains("1 unread; ann: hello"))
        #expect(try await run("bob", server, "/msg ann hello, too").ending == .exit(0))
        #expect(try await rooms(of: "ann", server, say: "the direct room with bob"))
        let pair = try #require(line.split(whereSeparator: { "()".contains($0) }).first { $0.hasPrefix("@") })
        let reading = try client("ann", server, "--room", String(pair), "--plain")
        #expect(await reading.line(containing: "ann: hello") != nil)
        #expect(await reading.line(containing: "bob: hello, too") != nil)
        #expect(try await run("ann", server, room: String(pair), "/leave").ending == .exit(1))
    }

    @Test
    func anOpenRoomIsMadeOnceAndEnteredByWhoeverWouldMakeItAgain() async throws {
        let server = try await Server(data: folder.file("rooms.db"))
        let made = try await run("ann", server, "/create #tea Tea time")
        #expect(made.ending == .exit(0) && made.says("here is room Tea time (tea): --room 'tea' opens it"))

        let found = try await run("bob", server, "/create #tea Mine")

        #expect(found.ending == .exit(0))
        #expect(found.says("room tea is there already") && found.says("you are a member of room tea now"))
        #expect(try await rooms(of: "bob", server, say: "room Tea time (tea)"))
        #expect(try await run("bob", server, room: "tea", "/title Mine").ending == .exit(1))
        #expect(try await run("ann", server, room: "tea", "/title Tea").ending == .exit(0))
    }

    /// Each room is there once, with what was said in it, however often the server is killed in between.
    @Test(arguments: 1...3)
    func roomsThatAreMadeWhileTheServerIsKilledAreThereOnce(time: Int) async throws {
        let data = folder.file("rooms.db")
        var server = try await Server(data: data, host: "127.0.0.\(20 + time)")
        let ann = try Founder("ann", on: server)
        var made: [CommandID] = []

        for round in 0..<3 {
            for number in 0..<5 {
                made += try ann.found(title: "room \(round) \(number)", with: "friend \(round) \(number)")
            }
            await ann.wait { $0.answers.count > round * 25 }
            server = try await server.killed(data: data)
        }
        await ann.wait { $0.answers.count == made.count }
        await ann.wait { $0.rooms.count == 45 && $0.rooms.count { $0.light.last?.text == "hello" } == 30 }

        #expect(ann.seen.answers.values.allSatisfy { $0 != nil })
        for kind in [RoomName.Kind.open, .private] {
            let titles = ann.seen.rooms.filter { $0.id.kind == kind }.compactMap(\.light.title?.description)
            #expect(Set(titles).count == 15 && titles.count == 15)
        }
        let direct = ann.seen.rooms.filter { $0.id.kind == .direct }
        #expect(Set(direct.flatMap(\.people)).count == 15 && direct.count == 15)
        let spoken = ann.seen.rooms.filter { $0.id.kind != .direct }
        #expect(spoken.allSatisfy { $0.light.unread == 0 && $0.light.last?.text == "hello" })
    }
}

/// A client that makes rooms, with everything it was told.
private final class Founder: Sendable {
    struct Seen: Sendable {
        var rooms: [MyRoom] = []
        /// What was answered: the room, or `nil` for a refusal.
        var answers: [CommandID: RoomName?] = [:]
    }

    private let client: ChatClient
    private let state = Guarded(Seen())
    private let news: AsyncStream<Void>
    private let tell: AsyncStream<Void>.Continuation
    private let subscriptions = Guarded<[Subscription]>([])

    init(_ name: String, on server: Server) throws {
        (news, tell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        client = try ChatClient(url: server.url, user: UserName(name)!)
        let made = [
            client.roomsDidChange.sink { [weak self] change in self?.note { $0.rooms = change.view.rooms } },
            client.answers.sink { [weak self] answer in
                let room = if case .done = answer.outcome { answer.room } else { nil as RoomName? }
                self?.note { $0.answers[answer.command.id] = room }
            },
        ]
        subscriptions.withLock { $0 = made }
        client.openRooms()
    }

    private func note(_ change: @Sendable (inout Seen) -> Void) {
        state.withLock { change(&$0) }
        tell.yield()
    }

    var seen: Seen { state.withLock { $0 } }

    /// Makes a private and an open room, says something there at once, and makes the room for two.
    func found(title: String, with friend: String) throws -> [CommandID] {
        let made = client.create(title: RoomTitle(title))
        let said = client.send("hello", to: RoomName(privateRoomOf: made))
        let open = try #require(RoomName(title.replacing(" ", with: "-")))
        let (opened, saidThere) = (client.create(open, title: RoomTitle(title)), client.send("hello", to: open))
        return [made, said, opened, saidThere, client.direct(with: [try #require(UserName(friend))])]
    }

    /// Returns when the news fulfil `condition`.
    func wait(until condition: (Seen) -> Bool) async {
        var news = news.makeAsyncIterator()
        while !condition(seen), await news.next() != nil {}
    }
}
