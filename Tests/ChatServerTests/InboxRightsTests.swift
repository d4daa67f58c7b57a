import ChatRoom
import ChatServer
import ChatWire
import Replicas
import RoomStore
import TestSupport
import Testing
import WebSocketTransport

/// People's lists of rooms over real sockets: what rights let them show, and readers who fall behind.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct InboxRightsTests {
    private static let team = RoomName("team-a")!
    private let folder = TemporaryFolder()
    private let mint = Mint()

    private func server(
        shards: Int = 4, on store: (any RoomStore)? = nil,
        _ configure: (inout ChatServerConfiguration) -> Void = { _ in }
    ) throws -> ServerUnderTest {
        try ServerUnderTest(store: store) {
            $0.shards = shards
            $0.members.tick = .milliseconds(20)
            configure(&$0)
        }
    }

    private func say(_ text: String, in room: RoomName) -> ClientFrame.Request {
        .send(room: room, id: .random(), MessageContent(text))
    }

    // MARK: - A ban

    @Test(arguments: [1, 4])
    func aBanTakesTheRowAwayAndNothingOfTheRoomComesBack(shards: Int) async throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        let appointment = Operation(
            command: .random(), author: UserName("root")!, role: .own, time: 0,
            action: .moderate(.appoint(UserName("owner")!, .own)))
        _ = try store.commit([RoomOperation(room: room, operation: appointment)])
        let server = try server(shards: shards, on: store)
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        for room in [room, Self.team] { _ = try await bob.answer(to: .join(room)) }
        let owner = try await server.follow(as: "owner")
        _ = try await owner.answer(to: say("the last", in: room))
        try await bob.until { $0["lobby"]?.light.last?.text == "the last" }

        for moderation in [Moderation.ban(UserName("bob")!), .unban(UserName("bob")!)] {
            _ = try await owner.answer(to: .moderate(room: room, command: .random(), moderation))
            try await bob.until { $0.names == ["team-a"] }
            let unread = bob["team-a"]?.light.unread ?? 0
            _ = try await owner.answer(to: .typing(room, .on))
            _ = try await owner.answer(to: say("more", in: room))
            _ = try await owner.answer(to: say("else", in: Self.team))
            try await bob.until {
                #expect($0["lobby"] == nil)
                return $0["team-a"]?.light.unread == unread + 1
            }
            #expect(try await RoomsWatcher(server.join(as: "bob")).names == ["team-a"])
        }
    }

    // MARK: - Grants

    private func enter(_ server: ServerUnderTest, _ user: String, _ grants: [String: Role]) async throws -> Connection {
        let connection = try server.connect()
        guard case .welcome = try await connection.answer(to: .hello(.token(mint.token(user, grants)))) else {
            throw Unexpected()
        }
        return connection
    }

    @Test func devicesWithOtherGrantsHaveOtherLists() async throws {
        let keyring = try mint.keyring(leeway: 60_000)
        let server = try server { $0.keyring = keyring }
        let wide = try await RoomsWatcher(enter(server, "ann", ["*": .write]))
        let narrow = try await RoomsWatcher(enter(server, "ann", ["*": .write, "lobby": .none]))
        for room in [room, Self.team] { _ = try await wide.answer(to: .join(room)) }
        let bob = try await enter(server, "bob", ["*": .write])

        for room in [Self.team, room, Self.team] { _ = try await bob.answer(to: say("hello", in: room)) }

        try await wide.until { $0["lobby"]?.light.unread == 1 && $0["team-a"]?.light.unread == 2 }
        #expect(wide.names == ["lobby", "team-a"])
        try await narrow.until {
            #expect($0["lobby"] == nil)
            return $0["team-a"]?.light.unread == 2
        }
        #expect(narrow.names == ["team-a"])
    }

    @Test func aFreshTokenWithOtherGrantsBringsASnapshotOfAnotherList() async throws {
        let keyring = try mint.keyring(leeway: 60_000)
        let server = try server { $0.keyring = keyring }
        let ann = try await RoomsWatcher(enter(server, "ann", ["*": .write]))
        for room in [room, Self.team] { _ = try await ann.answer(to: .join(room)) }
        try await ann.until { $0.names.count == 2 }

        for (grants, names) in [(["team-*": Role.read], ["team-a"]), (["*": .write], ["lobby", "team-a"])] {
            let held = ann.rooms
            #expect(try await ann.answer(to: .token(mint.token("ann", grants))).errorCode == nil)
            try await ann.until { $0.rooms.epoch != held.epoch }
            #expect(Set(ann.names) == Set(names))
        }
    }

    // MARK: - Slow readers

    /// The messages of another room fill the reader's socket, and later changes of the list do not fit its log.
    @Test(.enabled(if: !isSanitized, "takes what a sanitizer makes slow, and no other way"))
    func aReaderThatStallsIsBroughtBackByOneDiff() async throws {
        let server = try server {
            $0.transport.logBytesPerTopic = 2 << 10
            $0.members.tick = .milliseconds(5)
        }
        let slow = try await RoomsWatcher(server.join(as: "ann"))
        _ = try await slow.answer(to: .join(room))
        try await slow.until { $0.names == ["lobby"] }
        let noise = RoomName("noise")!
        _ = try await slow.answer(to: .subscribe(.messages(noise), limit: 50, resume: nil))
        let eager = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await server.join(as: "bob")
        slow.connection.pauseReading()
        let text = String(repeating: "x", count: 8_000)
        for _ in 0..<40 {
            for _ in 1..<50 { bob.send(say(text, in: noise)) }
            _ = try await bob.answer(to: say(text, in: noise))
        }
        for number in 1...60 as ClosedRange<UInt64> {
            _ = try await bob.answer(to: say("\(number)", in: room))
            try await eager.until { $0["lobby"]?.light.unread == number }
        }
        slow.connection.resumeReading()

        try await slow.until { $0.rooms.revision == eager.rooms.revision }

        #expect(slow.rooms.rows == eager.rooms.rows)
        #expect(slow.diffs < eager.diffs)
    }
}
