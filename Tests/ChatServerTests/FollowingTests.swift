import ChatRoom
import ChatServer
import ChatWire
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing

/// The threads that people follow, over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct FollowingTests {
    private let root = MessageID.random()
    private var thread: RoomName { room.thread(of: root) }

    private func reply(_ text: String, naming names: [UserName] = []) -> ClientFrame.Request {
        .send(room: thread, id: .random(), MessageContent(text, mentions: Mentioned(names)))
    }

    private func owner(on server: ServerUnderTest) async throws -> Connection {
        try await server.ownerOfRoom(saying: root)
    }

    @Test func aReplyIsInTheListsOfThoseWhoFollowTheThread() async throws {
        let server = try ServerUnderTest()
        let owner = try await owner(on: server)
        let names = ["owner", "bob", "cid"]
        var lists: [RoomsWatcher] = []
        for name in names { lists.append(try await RoomsWatcher(server.join(as: name), of: .myThreads)) }

        _ = try await lists[1].answer(to: reply("first", naming: [UserName("cid")!]))

        let counts: [(unread: UInt64, mentions: UInt64)] = [(1, 0), (0, 0), (1, 1)]
        for (list, count) in zip(lists, counts) {
            try await list.until { $0.rows.first?.light.last?.text == "first" }
            let row = try #require(list.rows.first)
            #expect(list.rows.count == 1 && row.id == thread && row.section == .rooms && row.light.root?.text == "root")
            #expect((row.light.unread, row.light.mentions) == count)
        }
        _ = try await lists[2].answer(to: .read(thread, nil))
        try await lists[2].until { $0.rows.first?.light.unread == 0 }
        _ = try await owner.answer(to: .edit(room: room, command: .random(), id: root, ContentEdit("changed")))
        _ = try await owner.answer(to: moderation(.title(RoomTitle("Title"))))
        for list in lists {
            try await list.until { $0.rows.first?.light.root?.text == "changed" && $0.rows.first?.light.title != nil }
        }
        _ = try await owner.answer(to: .delete(room: room, command: .random(), id: root))
        for list in lists { try await list.until { $0.rows.first?.light.root == nil } }
    }

    @Test func followingIsByChoiceToo() async throws {
        let server = try ServerUnderTest()
        let owner = try await owner(on: server)
        let list = try await RoomsWatcher(server.join(as: "dan"), of: .myThreads)
        let rooms = try await RoomsWatcher(server.join(as: "dan"))

        #expect(refusal(try await list.answer(to: .join(thread, command: .random()))) == nil)
        try await list.until { $0.rows.map(\.id) == [thread] }
        _ = try await owner.answer(to: reply("news"))
        try await list.until { $0.rows.first?.light.unread == 1 }
        let settings = SettingsChange(isMuted: true, isArchived: true)
        #expect(refusal(try await list.answer(to: .settings(thread, settings, command: .random()))) == nil)
        try await list.until { $0.rows.first?.section == .archived && $0.rows.first?.light.isMuted == true }
        #expect(refusal(try await list.answer(to: .leave(thread, command: .random()))) == nil)
        try await list.until(\.rows.isEmpty)

        let unfollowed = try await list.answer(to: .settings(thread, settings, command: .random()))
        #expect(refusal(unfollowed)?.reason == .notMember)
        let lost = try await list.answer(to: .join(room.thread(of: .random()), command: .random()))
        #expect(refusal(lost)?.reason == .noMessage)
        _ = try await rooms.answer(to: .join(room, command: .random()))
        try await rooms.until { $0.list.rows.map(\.id) == [room] }
        #expect(rooms.diffs == 1, "threads are in no list of rooms")
    }

    /// A person who is put out of the room has no row of its threads by the time that the moderator has the answer, and hears
    /// nothing of later replies; who may come back finds the thread followed.
    @Test func whoMayNotReadTheRoomHasNoneOfItsThreadsInTheList() async throws {
        let server = try ServerUnderTest()
        let owner = try await owner(on: server)
        let list = try await RoomsWatcher(server.join(as: "bob"), of: .myThreads)
        _ = try await list.answer(to: reply("mine"))
        try await list.until { !$0.rows.isEmpty }

        _ = try await owner.answer(to: moderation(.ban(UserName("bob")!)))
        _ = try await owner.answer(to: reply("secret", naming: [UserName("bob")!]))

        try await list.until { list in
            #expect(list.rows.first?.light.last?.text != "secret")
            return list.rows.isEmpty
        }
        #expect(refusal(try await list.answer(to: .join(thread, command: .random())))?.reason == .banned)
        _ = try await owner.answer(to: moderation(.unban(UserName("bob")!)))
        try await list.until { $0.rows.first?.light.last?.text == "secret" && $0.rows.first?.light.unread == 1 }
    }

    @Test func aMentionInAReplyIsInTheListOfMentions() async throws {
        let server = try ServerUnderTest()
        let owner = try await owner(on: server)
        let mentions = try await MentionsWatcher(server.join(as: "bob"))

        _ = try await owner.answer(to: reply("@bob!", naming: [UserName("bob")!]))

        try await mentions.until { $0.list.rows.map(\.id.room) == [thread] }
        _ = try await mentions.answer(to: .read(thread, nil))
        try await mentions.until { $0.list.rows.first?.light.isRead == true }
    }

    @Test func aListThatWasAwayGetsOneDiff() async throws {
        let server = try ServerUnderTest()
        let owner = try await owner(on: server)
        let bob = try await RoomsWatcher(server.join(as: "bob"), of: .myThreads)
        _ = try await bob.answer(to: reply("mine"))
        try await bob.until { !$0.rows.isEmpty }
        bob.connection.close()
        for number in 1...20 { _ = try await owner.answer(to: reply("\(number)")) }

        let back = try await RoomsWatcher(server.join(as: "bob"), of: .myThreads, holding: bob.list)

        guard case .diff = back.answer else { throw Unexpected() }
        try await back.until { $0.rows.first?.light.unread == 20 }
    }

    // MARK: - Several servers

    private static let hasDatabases = StoreOfTheRun.current == .sqlite

    private static func twoServers() throws -> (ServerUnderTest, ServerUnderTest) {
        let address = try PostgresAddress.unused()
        return (
            try ServerUnderTest(store: PostgresStore(address)), try ServerUnderTest(store: PostgresStore(address))
        )
    }

    @Test(.enabled(if: hasDatabases, "has databases of its own"))
    func theListIsTheSameOnAllServers() async throws {
        let (first, second) = try Self.twoServers()
        let owner = try await owner(on: first)
        let bob = try await RoomsWatcher(second.join(as: "bob"), of: .myThreads)

        _ = try await owner.answer(to: reply("one", naming: [UserName("bob")!]))
        try await bob.until { $0.rows.first?.light.mentions == 1 && $0.rows.first?.light.root?.text == "root" }
        _ = try await owner.answer(to: reply("two"))
        try await bob.until { $0.rows.first?.light.unread == 2 }
        _ = try await owner.answer(to: .edit(room: room, command: .random(), id: root, ContentEdit("changed")))
        try await bob.until { $0.rows.first?.light.root?.text == "changed" }
        _ = try await owner.answer(to: moderation(.ban(UserName("bob")!)))
        try await bob.until(\.rows.isEmpty)
        _ = try await owner.answer(to: moderation(.unban(UserName("bob")!)))
        try await bob.until { $0.rows.first?.light.unread == 2 }
    }

    /// The server of a reader may not have heard of a ban when it hears of a later reply.
    @Test(.enabled(if: hasDatabases, "has databases of its own"))
    func whoIsPutOutOnOneServerHearsOfNoLaterReplyOnTheOther() async throws {
        let (first, second) = try Self.twoServers()
        let owner = try await owner(on: first)

        for number in 0..<8 {
            let user = UserName("user-\(number)")!
            let threads = try await RoomsWatcher(second.join(as: user.description), of: .myThreads)
            let mentions = try await MentionsWatcher(second.join(as: user.description))
            _ = try await owner.answer(to: reply("hello", naming: [user]))
            try await threads.until { !$0.rows.isEmpty }
            try await mentions.until { !$0.list.rows.isEmpty }
            _ = try await owner.answer(to: moderation(.ban(user)))
            _ = try await owner.answer(to: reply("secret", naming: [user]))

            try await threads.until { list in
                #expect(list.rows.first?.light.last?.text != "secret")
                return list.rows.isEmpty
            }
            try await mentions.until { mentions in
                #expect(!mentions.list.rows.contains { $0.light.text == "secret" })
                return mentions.list.rows.isEmpty
            }
        }
    }

    /// Also where the message was read before.
    @Test(.enabled(if: hasDatabases, "has databases of its own"), arguments: [false, true])
    func anEditThatNamesAPersonReachesTheirMentionsOnAnotherServer(isInThread: Bool) async throws {
        let (first, second) = try Self.twoServers()
        let owner = try await owner(on: first)
        let (place, id) = (isInThread ? thread : room, MessageID.random())
        _ = try await owner.answer(to: .send(room: place, id: id, "hello"))
        let mentions = try await MentionsWatcher(second.join(as: "bob"))
        let bob = try await RoomsWatcher(second.join(as: "bob"))
        _ = try await bob.answer(to: .join(place, command: .random()))

        let edit = ContentEdit("hello @bob", mentions: [UserName("bob")!])
        _ = try await owner.answer(to: .edit(room: place, command: .random(), id: id, edit))

        try await mentions.until { $0.list.rows.map(\.light.text) == ["hello @bob"] }
    }
}

extension RoomsWatcher {
    fileprivate var rows: [MyRoom] { list.rows.map(\.self) }
}
