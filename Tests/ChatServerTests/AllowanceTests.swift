import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import ChatServer

/// The limits of one connection and one user.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct AllowanceTests {
    private func server(_ configure: @escaping (inout Allowances) -> Void) throws -> ServerUnderTest {
        try ServerUnderTest { configure(&$0.allowances) }
    }

    private func refusal(_ frame: ServerFrame) throws -> WireError {
        guard case .error(_, let error) = frame else { throw Unexpected() }
        return error
    }

    private func hits(_ limit: String, _ server: ServerUnderTest) throws -> Int {
        let text = String(
            decoding: try HTTPAnswer(getting: "/metrics", from: server.server.port).body, as: UTF8.self)
        let line = "diffroom_limits_hit_total{limit=\"\(limit)\"} "
        return text.split(separator: "\n").first { $0.hasPrefix(line) }.flatMap { Int($0.dropFirst(line.count)) } ?? -1
    }

    /// One in an hour, so that no wait of the test is long enough for another.
    private func few(_ count: Int) -> Rate { Rate(1, in: 3_600_000, burst: count) }

    // MARK: - Frames

    @Test func whoSaysTooMuchIsToldForHowLongToWait() async throws {
        let server = try server { $0.commands = few(3) }
        let ann = try await server.join(as: "ann")
        #expect(try await ann.answer(to: .ping) == .pong(ref: 2))
        #expect(try await ann.answer(to: .ping) == .pong(ref: 3))

        let error = try refusal(try await ann.answer(to: .ping))

        #expect(error.code == .rateLimited && (3_500_000...3_600_000).contains(error.retryAfter ?? 0))
        #expect(try hits("command_rate", server) == 1)
        let bob = try await server.join(as: "bob")
        #expect(try await bob.answer(to: .ping) == .pong(ref: 2), "each connection has its own")
    }

    @Test(arguments: [Milliseconds(0), 3, 1_000])
    func whoWaitsForAsLongAsWasSaidIsHeard(begin: Milliseconds) throws {
        var allowances = Allowances()
        allowances.commands = Rate(100, burst: 5)
        var pace = Pace()
        for _ in 0..<5 { #expect(pace.refusal(of: .ping, allowances, at: begin) == nil) }

        let refusal = pace.refusal(of: .ping, allowances, at: begin)

        let wait = try #require(refusal?.1.retryAfter)
        #expect(pace.refusal(of: .ping, allowances, at: begin + wait - 1) != nil, "and not sooner")
        #expect(pace.refusal(of: .ping, allowances, at: begin + wait) == nil)
    }

    @Test func whatCannotBeReadCountsAsWell() async throws {
        let server = try server { $0.commands = few(3) }
        let ann = try await server.join(as: "ann")

        for _ in 0..<2 {
            ann.send(#"{"type":"dance","ref":7}"#)
            #expect(try await ann.frame().errorCode == .badRequest)
        }

        ann.send(#"{"type":"dance","ref":7}"#)
        #expect(try await ann.frame().errorCode == .rateLimited)
    }

    @Test func whoDoesNotListenToThatGoes() async throws {
        let server = try server { $0.commands = few(1) }
        let ann = try await server.join(as: "ann")

        for _ in 0..<20_000 { ann.send(.ping) }

        var last: Connections.Incoming = .opened
        while case .text = try await next(of: ann, &last) {}
        #expect(last == .closed(CloseCode.flooding))
    }

    private func next(of connection: Connection, _ last: inout Connections.Incoming) async throws
        -> Connections.Incoming
    {
        last = try await connection.next()
        return last
    }

    @Test func whoHasSaidTooMuchMayStillLeave() async throws {
        let server = try server { $0.commands = few(2) }
        let ann = try await server.follow(as: "ann")
        #expect(try await ann.answer(to: .ping).errorCode == .rateLimited)

        #expect(try await ann.answer(to: .unsubscribe(lobby)).errorCode == nil)

        #expect(try await ann.answer(to: .unsubscribe(lobby)).errorCode == .rateLimited)
    }

    // MARK: - Pages, subscriptions

    @Test func pagesAreCounted() async throws {
        let server = try server { $0.pages = few(2) }
        let ann = try await server.join(as: "ann")
        let page = ClientFrame.Request.page(lobby, .before(9), limit: 32)
        #expect(try await ann.answer(to: page).errorCode == nil)
        #expect(try await ann.answer(to: .audit(room, before: 9, limit: 32)).errorCode == .forbidden)

        #expect(try await ann.answer(to: page).errorCode == .rateLimited)

        #expect(try await ann.answer(to: .ping).errorCode == nil)
        #expect(try hits("page_rate", server) == 1)
    }

    /// 320 KB of messages, of which 128 KB are a page.
    private func fillLobby(of server: ServerUnderTest) async throws {
        let bob = try await server.join(as: "bob")
        let text = String(repeating: "x", count: 8_000)
        for _ in 0..<40 { _ = try await bob.answer(to: .say(text)) }
    }

    @Test func subscribesAreCountedByWhatTheyAreAnsweredWith() async throws {
        let server = try server { $0.pages = few(2) }
        try await fillLobby(of: server)
        let ann = try await server.join(as: "ann")
        let small = ClientFrame.Request.subscribe(.messages(RoomName("small")!), limit: 50, resume: nil)
        for _ in 0..<20 { #expect(try await ann.answer(to: small).errorCode == nil) }
        let large = ClientFrame.Request.subscribe(lobby, limit: 50, resume: nil)
        #expect(try await ann.answer(to: large).errorCode == nil)

        #expect(try await ann.answer(to: large).errorCode == .rateLimited)

        #expect(try await ann.answer(to: .page(lobby, .before(9), limit: 32)).errorCode == .rateLimited)
        #expect(try hits("page_rate", server) == 2)
    }

    /// An answer without changes is short, but the rows of each named range are read for it.
    @Test func resumesAreCountedByTheRowsThatTheyName() async throws {
        let server = try server { $0.pages = few(2) }
        let bob = try await server.follow(as: "bob")
        for _ in 1..<500 { bob.send(.say("text")) }
        _ = try await bob.answer(to: .say("text"))
        let ann = try await server.join(as: "ann")
        let resume = Resume(epoch: try await bob.epoch(), revision: 500, joined: 1, ranges: [0...500])
        let subscribe = ClientFrame.Request.subscribe(lobby, limit: 32, resume: resume)
        for _ in 0..<10 { #expect(try await ann.answer(to: subscribe).errorCode == nil) }

        var codes: Set<WireError.Code> = []
        for _ in 0..<30 { if let code = try await ann.answer(to: subscribe).errorCode { codes.insert(code) } }

        #expect(codes == [.rateLimited])
    }

    @Test func pagesByHTTPAreCountedLikewise() async throws {
        let server = try server { $0.pages = few(2) }
        try await fillLobby(of: server)
        let path = "/api/rooms/lobby/messages?limit=40"
        #expect(try HTTPAnswer(getting: path, from: server.server.port).status == 200)

        let refused = try HTTPAnswer(getting: path, from: server.server.port)

        #expect(refused.status == 429 && refused.headers["retry-after"] != nil)
        #expect(try hits("page_rate", server) == 1)
    }

    @Test func aConnectionFollowsSoManyListsAndNoMore() async throws {
        let server = try ServerUnderTest { $0.limits.subscriptions = 2 }
        let ann = try await server.follow(as: "ann")
        #expect(try await ann.answer(to: .subscribe(.members(room), limit: 50, resume: nil)).errorCode == nil)

        let other = ListName.messages(RoomName("other")!)
        #expect(try await ann.answer(to: .subscribe(other, limit: 50, resume: nil)).errorCode == .tooLarge)

        #expect(try hits("subscriptions", server) == 1)
        #expect(try await ann.answer(to: .unsubscribe(lobby)).errorCode == nil)
        #expect(try await ann.answer(to: .subscribe(other, limit: 50, resume: nil)).errorCode == nil)
    }

    // MARK: - Users

    @Test func ofWhatAUserSaysAFifthMayBeReactions() async throws {
        let server = try server { $0.sends = few(10) }
        let ann = try await server.join(as: "ann")
        let message = MessageID.random()
        #expect(try await ann.answer(to: .say("one", id: message)).errorCode == nil)
        func react(_ direction: ClientFrame.Switch) async throws -> WireError.Code? {
            let toggle = ClientFrame.Request.react(
                room: room, command: .random(), id: message, emoji: "👍", direction)
            return try await ann.answer(to: toggle).errorCode
        }

        #expect(try await [react(.on), react(.off), react(.on)] == [nil, nil, .rateLimited])

        #expect(try await ann.answer(to: .say("two")).errorCode == nil)
        #expect(try hits("reaction_rate", server) == 1 && hits("send_rate", server) == 0)
    }

    @Test func ofWhatAUserSaysAFifthMayBeModerations() async throws {
        let server = try server { $0.sends = few(10) }
        let ann = try await server.join(as: "ann")
        func mute() async throws -> WireError.Code? {
            let mute = Moderation.mute(UserName("bob")!, for: 1_000)
            return try await ann.answer(to: .moderate(room: room, command: .random(), mute)).errorCode
        }

        #expect(try await [mute(), mute(), mute()] == [.forbidden, .forbidden, .rateLimited])

        #expect(try await ann.answer(to: .say("two")).errorCode == nil)
        #expect(try hits("moderation_rate", server) == 1 && hits("send_rate", server) == 0)
    }

    @Test func aUserSaysSoMuchInARoomWhateverTheConnection() async throws {
        let server = try server { $0.sends = few(2) }
        let first = try await server.join(as: "ann")
        let second = try await server.join(as: "ann")
        let bob = try await server.join(as: "bob")
        #expect(try await first.answer(to: .say("one")).errorCode == nil)
        #expect(try await second.answer(to: .say("two")).errorCode == nil)

        for ann in [first, second] {
            #expect(try await ann.answer(to: .say("three")).errorCode == .rateLimited)
        }

        let elsewhere = ClientFrame.Request.send(room: RoomName("other")!, id: .random(), "one")
        #expect(try await first.answer(to: elsewhere).errorCode == nil)
        #expect(try await bob.answer(to: .say("one")).errorCode == nil)
        #expect(try hits("send_rate", server) == 2)
    }

    @Test func aUserHasSoManyConnectionsAndNoMore() async throws {
        let server = try server { $0.connections = 2 }
        let first = try await server.join(as: "ann")
        _ = try await server.join(as: "ann")
        let third = try server.connect()

        let hello = ClientFrame.Request.hello(.user(UserName("ann")!))
        #expect(try refusal(try await third.answer(to: hello)).retryAfter == 5_000)

        #expect(try hits("connections_per_user", server) == 1)
        _ = try await server.join(as: "bob")
        first.close()
        #expect(try await first.next() == .closed(CloseCode.normal))
        while try await third.answer(to: hello).errorCode == .rateLimited { await Task.yield() }
        #expect(try await third.answer(to: .ping).errorCode == nil)
    }

    // MARK: - Rooms

    private func say(in room: String) -> ClientFrame.Request {
        .send(room: RoomName(room)!, id: .random(), "first")
    }

    @Test func aUserMakesSoManyRoomsAndNoMore() async throws {
        let server = try server { $0.rooms = few(2) }
        let ann = try await server.join(as: "ann")
        for name in ["a", "b"] { #expect(try await ann.answer(to: say(in: name)).revision == 1) }

        let error = try refusal(try await ann.answer(to: say(in: "c")))

        #expect(error.code == .rateLimited && (3_500_000...3_600_000).contains(error.retryAfter ?? 0))
        #expect(try hits("room_rate", server) == 1)
        #expect(try await ann.answer(to: say(in: "a")).revision == 2, "a room that is there is as open as ever")
        let bob = try await server.join(as: "bob")
        #expect(try await bob.answer(to: say(in: "c")).revision == 1)
        #expect(try await ann.answer(to: say(in: "c")).revision == 2)
    }

    /// The next messages to a new room, before the first is on disk, do not create another room.
    @Test func aNewRoomIsCountedOnceHoweverMuchComesAtOnce() async throws {
        let server = try server { $0.rooms = few(10) }
        let ann = try await server.join(as: "ann")

        for name in 0..<10 { for _ in 0..<25 { ann.send(say(in: "room-\(name)")) } }

        for _ in 0..<250 { #expect(try await ann.frame().errorCode == nil) }
        #expect(try hits("room_rate", server) == 0)
        #expect(try await ann.answer(to: say(in: "one-too-many")).errorCode == .rateLimited)
    }

    @Test func whatMakesNoRoomIsNotCounted() async throws {
        let store = InMemoryStore()
        let server = try ServerUnderTest(store: store) { $0.allowances.rooms = few(1) }
        let other = try ServerUnderTest(store: store)
        let bob = try await other.join(as: "bob")
        for number in 0..<10 { _ = try await bob.answer(to: say(in: "room-\(number)")) }
        let ann = try await server.join(as: "ann")

        for number in 0..<10 {
            #expect(try await ann.answer(to: say(in: "room-\(number)")).revision == 2)
            let nothing = ClientFrame.Request.delete(room: RoomName("no-\(number)")!, command: .random(), id: .random())
            #expect(try await ann.answer(to: nothing).errorCode == .notFound)
            #expect(try await ann.answer(to: .page(.messages(RoomName("no")!), .before(9), limit: 32)).errorCode == nil)
        }

        #expect(try await ann.answer(to: say(in: "mine")).revision == 1)
        #expect(try await ann.answer(to: say(in: "mine-too")).errorCode == .rateLimited)
    }

    // MARK: - Bytes

    private func write(_ count: Int, in name: String = "lobby") -> ClientFrame.Request {
        .send(room: RoomName(name)!, id: .random(), MessageContent(String(repeating: "x", count: count)))
    }

    @Test func aUserWritesSoMuchInAllRoomsTogether() async throws {
        let server = try server { $0.userBytes = few(8_000) }
        let ann = try await server.join(as: "ann")
        let message = write(7_000)
        #expect(try await ann.answer(to: message).revision == 1)
        #expect(try await ann.answer(to: message).revision == 1, "a repeat writes nothing")
        #expect(try await ann.answer(to: write(500, in: "other")).revision == 1)

        let error = try refusal(try await server.join(as: "ann").answer(to: write(1, in: "third")))

        #expect(error.reason == .userBytes && error.retryAfter ?? 0 > 0)
        #expect(try hits("user_bytes", server) == 1)
        #expect(try await ann.answer(to: .leave(room)).errorCode == nil)
        let bob = try await server.join(as: "bob")
        #expect(try await bob.answer(to: write(7_000)).errorCode == nil, "each user has their own")
    }

    @Test func allUsersWriteSoMuchInOneRoom() async throws {
        let server = try server { $0.roomBytes = few(8_000) }
        let ann = try await server.join(as: "ann")
        let bob = try await server.join(as: "bob")
        #expect(try await ann.answer(to: write(7_500)).errorCode == nil)
        #expect(try await bob.answer(to: write(500)).errorCode == nil)

        #expect(try refusal(try await ann.answer(to: write(1))).reason == .roomBytes)

        #expect(try await ann.answer(to: write(1, in: "other")).errorCode == nil)
        #expect(try hits("room_bytes", server) == 1)
        let posted = try HTTPAnswer(
            posting: #"{"user":"cid","id":"\#(MessageID.random())","text":"x"}"#, to: "/api/rooms/lobby/messages",
            of: server.server.port)
        #expect(posted.status == 429)
    }

    /// A user who is not let in cannot use up what others may write.
    @Test func onlyWhatIsCommittedIsCounted() async throws {
        let server = try server { ($0.userBytes, $0.roomBytes) = (few(8_000), few(8_000)) }
        let ann = try await server.join(as: "ann")
        let absent = MessageID.random()

        for _ in 0..<20 {
            let edit = ClientFrame.Request.edit(
                room: room, command: .random(), id: absent, ContentEdit(String(repeating: "x", count: 4_000)))
            #expect(try await ann.answer(to: edit).errorCode == .notFound)
        }

        #expect(try await ann.answer(to: write(1)).errorCode == nil)
    }

    /// What an operation takes of the bytes that a user or a room may write.
    private struct BytesCase: Sendable, CustomTestStringConvertible {
        enum Count {
            /// It is counted, and refused when nothing is left.
            case counted
            /// It is counted, and never refused: who moderates, deletes or leaves does not wait for what others have written.
            case countedOnly
            case free
        }

        let testDescription: String
        let count: Count
        /// Makes the request of a turn about ann's messages.
        let request: @Sendable (_ turn: Int, _ messages: [MessageID]) -> ClientFrame.Request

        init(_ name: String, _ count: Count, _ request: @escaping @Sendable (Int, [MessageID]) -> ClientFrame.Request) {
            (testDescription, self.count, self.request) = (name, count, request)
        }
    }

    private static let bytesCases = [
        BytesCase("send", .counted) { _, _ in .say("x") },
        BytesCase("edit", .counted) { turn, ids in
            .edit(room: room, command: .random(), id: ids[0], ContentEdit("edit \(turn)"))
        },
        BytesCase("edit to the same", .counted) { _, ids in
            .edit(room: room, command: .random(), id: ids[0], ContentEdit("a text"))
        },
        BytesCase("react", .counted) { turn, ids in
            .react(room: room, command: .random(), id: ids[0], emoji: "👍", turn % 2 == 0 ? .on : .off)
        },
        BytesCase("delete", .countedOnly) { turn, ids in .delete(room: room, command: .random(), id: ids[turn]) },
        BytesCase("settings", .countedOnly) { turn, _ in
            .settings(room, SettingsChange(isMuted: turn % 2 == 0), command: .random())
        },
        BytesCase("moderate", .countedOnly) { turn, _ in
            .moderate(room: room, command: .random(), .slowMode(Milliseconds(turn + 1)))
        },
        BytesCase("join and leave", .countedOnly) { turn, _ in
            turn % 2 == 0 ? .leave(room, command: .random()) : .join(room, command: .random())
        },
        BytesCase("edit that is not found", .free) { turn, _ in
            .edit(room: room, command: .random(), id: .random(), ContentEdit("edit \(turn)"))
        },
        BytesCase("repeat", .free) { _, ids in .say("a text", id: ids[0]) },
        BytesCase("read", .free) { turn, _ in .read(room, Revision(turn % 9)) },
        BytesCase("typing", .free) { turn, _ in .typing(room, turn % 2 == 0 ? .on : .off) },
        BytesCase("page", .free) { _, _ in .page(lobby, .before(9), limit: 32) },
    ]

    /// Each operation × counted or free, for the bytes of a user and for those of a room.
    @Test(arguments: bytesCases, [true, false])
    private func bytesAreCountedForEachOperationThatIsStored(example: BytesCase, isOfUser: Bool) async throws {
        let server = try server { _ in }
        let ann = try await server.follow(as: "ann")
        #expect(try await ann.answer(to: .create(.random(), .open(room))).errorCode == nil)
        let ids = (0..<40).map { _ in MessageID.random() }
        for id in ids { _ = try await ann.answer(to: .say("a text", id: id)) }
        var configuration = ChatServerConfiguration()
        if isOfUser {
            configuration.allowances.userBytes = few(8_000)
        } else {
            configuration.allowances.roomBytes = few(8_000)
        }
        server.server.reconfigure(configuration)

        var refused: Int?
        for turn in 0..<40 where refused == nil {
            let answer = try await ann.answer(to: example.request(turn, ids))
            let reason = (try? refusal(answer))?.reason
            if reason == .userBytes || reason == .roomBytes { refused = turn }
        }

        // 8,000 bytes are 25 operations of 320 bytes, or less if they have a text.
        let isLeft = try await ann.answer(to: .say("x")).errorCode == nil
        switch example.count {
        case .counted: #expect((20...25).contains(refused ?? 0) && !isLeft)
        case .countedOnly: #expect(refused == nil && !isLeft)
        case .free: #expect(refused == nil && isLeft)
        }
    }

    // MARK: - While the server runs

    @Test func whatIsAllowedCanChangeWhileTheServerRuns() async throws {
        let server = try server { $0.commands = few(1) }
        let ann = try await server.join(as: "ann")
        #expect(try await ann.answer(to: .ping).errorCode == .rateLimited)

        server.server.reconfigure(ChatServerConfiguration())
        #expect(try await ann.answer(to: .ping).errorCode == nil)

        var configuration = ChatServerConfiguration()
        configuration.allowances.commands = few(1)
        server.server.reconfigure(configuration)
        #expect(try await ann.answer(to: .ping).errorCode == .rateLimited)
    }
}
