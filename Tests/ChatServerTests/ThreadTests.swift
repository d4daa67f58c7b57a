import ChatRoom
import ChatServer
import ChatWire
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing

/// Threads, over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ThreadTests {
    private static let bob = UserName("bob")!
    private let root = MessageID.random()
    private var thread: RoomName { room.thread(of: root) }

    private func server(_ store: (any RoomStore)? = nil) throws -> ServerUnderTest {
        func configure(_ configuration: inout ChatServerConfiguration) {
            configuration.threadTick = .milliseconds(20)
            configuration.members.grace = .seconds(300)
        }
        return try ServerUnderTest(store: store, configure: configure)
    }

    private func reply(_ text: String, id: MessageID = .random()) -> ClientFrame.Request {
        .send(room: thread, id: id, MessageContent(text))
    }

    private func owner(on server: ServerUnderTest) async throws -> Connection {
        try await server.ownerOfRoom(saying: root)
    }

    private func subscribe(
        _ connection: Connection, resume: Resume? = nil
    ) async throws -> ServerFrame {
        try await connection.answer(to: .subscribe(.messages(thread), limit: 50, resume: resume))
    }

    /// Reads until a diff of the room says what the thread has.
    private func summary(_ connection: Connection, where isRight: (ThreadSummary?) -> Bool) async throws {
        while true {
            for change in try await connection.diff().reconfigurations where change.id == root {
                if isRight(change.light.thread) { return }
            }
        }
    }

    private func ending(_ connection: Connection) async throws -> (ListName, ServerFrame.Ending) {
        while true { if case .ended(let list, let ending) = try await connection.frame() { return (list, ending) } }
    }

    @Test func aReplyIsARowOfTheThreadAndTheRootSaysSo() async throws {
        let server = try server()
        let owner = try await owner(on: server)
        let (ann, bob) = (try await server.follow(as: "ann"), try await server.join(as: "bob"))
        guard case .snapshot(_, _, let empty as ServerFrame.Snapshot<Message>) = try await subscribe(bob) else {
            throw Unexpected()
        }
        #expect(empty.snapshot.rows.isEmpty && empty.snapshot.revision == 0)

        #expect(try await owner.answer(to: reply("first")).revision == 1)

        #expect(try await bob.diff().insertions.map(\.text) == ["first"])
        try await summary(ann) { $0?.count == 1 && $0?.people == [UserName("owner")!] }
        let second = MessageID.random()
        _ = try await bob.answer(to: reply("second", id: second))
        try await summary(ann) { $0?.count == 2 && $0?.people == [Self.bob, UserName("owner")!] }
        _ = try await bob.answer(to: .react(room: thread, command: .random(), id: second, emoji: "👍", .on))
        _ = try await bob.answer(to: .delete(room: thread, command: .random(), id: second))
        try await summary(ann) { $0?.count == 1 && $0?.people == [UserName("owner")!] }
    }

    @Test func aReaderWhoWasAwayGetsOneDiff() async throws {
        let server = try server()
        let owner = try await owner(on: server)
        _ = try await owner.answer(to: reply("before"))
        let epoch = try await server.follow(as: "ann").epoch()
        for number in 2...30 { _ = try await owner.answer(to: reply("\(number)")) }
        let bob = try await server.join(as: "bob")

        let answer = try await subscribe(bob, resume: Resume(epoch: epoch, revision: 1, joined: 0))

        guard case .diff(_, _, _, let diff as ListDiff<Message>) = answer else { throw Unexpected() }
        #expect(diff.from == 1 && diff.to == 30 && diff.insertions.map(\.text) == (2...30).map(String.init))
    }

    /// Whoever loses the right to read the room is put out of its threads, and hears nothing that is said after that.
    @Test(arguments: [Moderation.kick(bob), .ban(bob)])
    func whoIsPutOutOfTheRoomIsPutOutOfItsThreads(moderation: Moderation) async throws {
        let server = try server()
        let owner = try await owner(on: server)
        let bob = try await server.join(as: "bob")
        _ = try await subscribe(bob)

        _ = try await owner.answer(to: ChatServerTests.moderation(moderation))
        _ = try await owner.answer(to: reply("secret"))

        let (list, ending) = try await ending(bob)
        #expect(list == .messages(thread) && ending.why == (moderation == .ban(Self.bob) ? .banned : .kicked))
        let again = try await subscribe(bob)
        if moderation == .ban(Self.bob) { #expect(refusal(again)?.reason == .banned) }
        let page = try await bob.answer(to: .page(.messages(thread), .before(100), limit: 50))
        #expect((refusal(page) == nil) == (moderation != .ban(Self.bob)), "\(page)")
    }

    @Test func aMuteAndAReadOnlyRoomHoldInTheThread() async throws {
        let server = try server()
        let owner = try await owner(on: server)
        let bob = try await server.join(as: "bob")
        _ = try await subscribe(bob)

        _ = try await owner.answer(to: moderation(.mute(Self.bob, for: 60_000)))
        #expect(refusal(try await bob.answer(to: reply("?")))?.reason == .muted)
        _ = try await owner.answer(to: moderation(.unmute(Self.bob)))
        _ = try await owner.answer(to: moderation(.readOnly(.on)))
        #expect(refusal(try await bob.answer(to: reply("?")))?.reason == .readOnly)
        let typing = ClientFrame.Request.typing(thread, .on)
        #expect(refusal(try await bob.answer(to: typing))?.reason == .readOnly)
        #expect(refusal(try await owner.answer(to: reply("yes"))) == nil)
    }

    @Test func whatIsAboutRulesIsRefused() async throws {
        let server = try server()
        let owner = try await owner(on: server)

        for request: ClientFrame.Request in [
            .moderate(room: thread, command: .random(), .ban(Self.bob)), .create(.random(), .open(thread, title: nil)),
        ] {
            #expect(refusal(try await owner.answer(to: request))?.reason == .thread, "\(request)")
        }
        let lost = try await owner.answer(to: .send(room: room.thread(of: .random()), id: .random(), "?"))
        #expect(refusal(lost)?.reason == .noMessage)
    }

    @Test func aThreadOfAPrivateRoomDoesNotExistForStrangers() async throws {
        let server = try server()
        let (owner, bob) = (try await server.join(as: "owner"), try await server.join(as: "bob"))
        let command = CommandID.random()
        let room = RoomName(privateRoomOf: command)
        _ = try await owner.answer(to: .create(command, .private(people: [])))
        _ = try await owner.answer(to: .send(room: room, id: root, "root"))
        let thread = room.thread(of: root)
        _ = try await owner.answer(to: .send(room: thread, id: .random(), "reply"))

        let read = try await bob.answer(to: .subscribe(.messages(thread), limit: 50, resume: nil))
        let write = try await bob.answer(to: .send(room: thread, id: .random(), "?"))
        let nowhere = try await bob.answer(
            to: .subscribe(.messages(room.thread(of: .random())), limit: 50, resume: nil))

        for answer in [read, write, nowhere] { #expect(refusal(answer)?.reason == .role, "\(answer)") }
    }

    @Test func repliesAreFoundAndReadByHTTP() async throws {
        let server = try server()
        let owner = try await owner(on: server)
        _ = try await owner.answer(to: reply("a needle"))
        let search = try SearchRequest("needle", room: room)

        guard case .found(_, let page) = try await owner.answer(to: .search(search)) else { throw Unexpected() }
        let answer = try HTTPAnswer(getting: "/api/rooms/\(thread)/messages", from: server.server.port)

        #expect(page.results.map(\.room) == [thread])
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self).contains("a needle"))
    }

    // MARK: - Several servers

    private static let hasDatabases = StoreOfTheRun.current == .sqlite

    @Test(.enabled(if: hasDatabases, "has databases of its own"))
    func threadsAreTheSameOnAllServers() async throws {
        let address = try PostgresAddress.unused()
        let (first, second) = (try server(PostgresStore(address)), try server(PostgresStore(address)))
        let owner = try await owner(on: first)
        let (ann, bob) = (try await second.follow(as: "ann"), try await second.join(as: "bob"))
        _ = try await subscribe(bob)

        _ = try await owner.answer(to: reply("from the first"))

        #expect(try await bob.diff().insertions.map(\.text) == ["from the first"])
        try await summary(ann) { $0?.count == 1 }
        _ = try await bob.answer(to: reply("from the second"))
        try await summary(ann) { $0?.count == 2 }
        _ = try await owner.answer(to: moderation(.ban(Self.bob)))
        let (list, ending) = try await ending(bob)
        #expect(list == .messages(thread) && ending.why == .banned)
    }

    /// The server on which a reply is sent may not have heard that another server has put a reader out.
    @Test(.enabled(if: hasDatabases, "has databases of its own"))
    func whoIsPutOutOnOneServerGetsNoLaterReplyFromTheOther() async throws {
        let address = try PostgresAddress.unused()
        let (first, second) = (try server(PostgresStore(address)), try server(PostgresStore(address)))
        let owner = try await owner(on: first)
        let (ann, bob) = (try await second.join(as: "ann"), try await second.join(as: "bob"))

        for round in 0..<20 {
            _ = try await subscribe(bob)
            _ = try await owner.answer(to: moderation(.kick(Self.bob)))
            _ = try await ann.answer(to: reply("secret \(round)"))
            var frame = try await bob.frame()
            while case .diff(_, _, _, let diff as ListDiff<Message>) = frame {
                #expect(!diff.insertions.contains { $0.text == "secret \(round)" })
                frame = try await bob.frame()
            }
            guard case .ended(.messages(thread), let ending) = frame else { throw Unexpected() }
            #expect(ending.why == .kicked)
        }
    }
}

/// A moderation of the room.
func moderation(_ moderation: Moderation) -> ClientFrame.Request {
    .moderate(room: room, command: .random(), moderation)
}

func refusal(_ answer: ServerFrame) -> WireError? {
    if case .error(_, let error) = answer { error } else { nil }
}

extension ServerUnderTest {
    /// Returns the owner of the room, who has sent the root of a thread.
    func ownerOfRoom(saying root: MessageID) async throws -> Connection {
        let owner = try await join(as: "owner")
        _ = try await owner.answer(to: .create(.random(), .open(room, title: nil)))
        _ = try await owner.answer(to: .say("root", id: root))
        return owner
    }
}
