import ChatRoom
import ChatServer
import ChatWire
import Replicas
import RoomStore
import TestSupport
import Testing
import WebSocketTransport

/// People's lists of rooms over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct InboxTests {
    private static let quiet = RoomName("quiet")!

    private func server(
        shards: Int = 1, on store: (any RoomStore)? = nil,
        _ configure: (inout ChatServerConfiguration) -> Void = { _ in }
    ) throws -> ServerUnderTest {
        try ServerUnderTest(store: store) {
            $0.shards = shards
            $0.members.tick = .milliseconds(20)
            configure(&$0)
        }
    }

    private func say(_ text: String, in room: RoomName, id: MessageID = .random()) -> ClientFrame.Request {
        .send(room: room, id: id, MessageContent(text))
    }

    @Test(arguments: [1, 4])
    func whoJoinsARoomHasItInTheirListAndWhoLeavesHasNot(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        #expect(ann.rooms.rows.isEmpty)

        let answer = try await ann.answer(to: .join(room))
        #expect(answer.effect == .init(list: lobby, revision: 1))
        try await ann.until { $0.names == ["lobby"] }
        #expect(ann["lobby"]?.light == .init(unread: 0, read: 1, last: nil))

        #expect(try await ann.answer(to: .join(room)).effect?.revision == 2)
        _ = try await ann.answer(to: .leave(room))
        try await ann.until { $0.names.isEmpty }
    }

    @Test(arguments: [1, 4])
    func aMessageIsUnreadUntilItIsReadOnAnyDevice(shards: Int) async throws {
        let server = try server(shards: shards)
        let phone = try await RoomsWatcher(server.join(as: "ann"))
        _ = try await phone.answer(to: .join(Self.quiet))
        _ = try await phone.answer(to: .join(room))
        let bob = try await server.follow(as: "bob")

        for text in ["one", "two", "three"] { _ = try await bob.answer(to: .say(text)) }
        try await phone.until { $0["lobby"]?.light.unread == 3 }
        #expect(phone["lobby"]?.light.last?.text == "three")
        #expect(phone.names == ["quiet", "lobby"])

        let desk = try await server.follow(as: "ann")
        _ = try await desk.answer(to: .read(room, 3))
        try await phone.until { $0["lobby"]?.light.unread == 1 }
        #expect(phone["lobby"]?.light.read == 3)
        _ = try await desk.answer(to: .read(room, 4))
        try await phone.until { $0["lobby"]?.light.unread == 0 }
    }

    @Test(arguments: [1, 4])
    func aDeletedMessageCountsNoMoreAndTheOneBeforeIsTheLast(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        _ = try await ann.answer(to: .join(room))
        let bob = try await server.follow(as: "bob")
        let id = MessageID.random()
        _ = try await bob.answer(to: .say("stays"))
        _ = try await bob.answer(to: .say("goes", id: id))
        try await ann.until { $0["lobby"]?.light.unread == 2 }

        _ = try await bob.answer(to: .delete(room: room, command: .random(), id: id))

        try await ann.until { $0["lobby"]?.light.unread == 1 }
        #expect(ann["lobby"]?.light.last?.text == "stays")
    }

    @Test func theRoomInWhichSomethingWasSaidLastIsTheLast() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let names = ["a", "b", "c", "d"]
        for name in names { _ = try await ann.answer(to: .join(RoomName(name)!)) }
        try await ann.until { $0.names.count == 4 }
        let bob = try await server.join(as: "bob")

        for name in ["b", "d", "a", "b"] {
            // Rooms of one millisecond stand in the order of their names.
            let before = Milliseconds.now
            while Milliseconds.now == before { await Task.yield() }
            let message = ClientFrame.Request.send(room: RoomName(name)!, id: .random(), MessageContent(name))
            _ = try await bob.answer(to: message)
        }

        try await ann.until { $0.names == ["c", "d", "a", "b"] }
        #expect(ann["b"]?.light.unread == 2)
    }

    /// No client need say that its user has read what they wrote, nor stay in the room until it is there.
    @Test func whoeverSaysSomethingHasReadTheRoomOnAllDevices() async throws {
        let server = try server()
        let phone = try await RoomsWatcher(server.join(as: "ann"))
        _ = try await phone.answer(to: .join(room))
        _ = try await server.join(as: "bob").answer(to: .say("one"))
        try await phone.until { $0["lobby"]?.light.unread == 1 }

        _ = try await server.join(as: "ann").answer(to: .say("two"))

        try await phone.until { $0["lobby"]?.light.last?.text == "two" }
        #expect(phone["lobby"]?.light.unread == 0 && phone["lobby"]?.light.read == 3)
    }

    @Test func listsReadsOfMembershipsAndMarksAreCounted() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.follow(as: "ann"))
        _ = try await ann.answer(to: .join(room))
        try await ann.until { $0.names == ["lobby"] }
        _ = try await server.join(as: "bob").answer(to: .say("hello"))
        try await ann.until { $0["lobby"]?.light.unread == 1 }
        _ = try await ann.answer(to: .read(room, 2))
        try await ann.until { $0["lobby"]?.light.unread == 0 }

        let answer = try HTTPAnswer(getting: "/metrics", from: server.server.port)
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")

        #expect(lines.contains("diffroom_inboxes 1"))
        #expect(lines.contains("diffroom_inbox_diffs_total \(ann.diffs)"))
        #expect(lines.contains("diffroom_read_marks_total 1"))
        // One for the list and one for the room that was joined, at least.
        let reads = lines.first { $0.hasPrefix("diffroom_membership_reads_total ") }
        #expect(reads.flatMap { Int($0.split(separator: " ")[1]) }.map { $0 >= 2 } == true)
    }

    @Test func whoComesBackSoonGetsADiff() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        _ = try await ann.answer(to: .join(room))
        _ = try await ann.answer(to: .join(Self.quiet))
        try await ann.until { $0.names.count == 2 }
        ann.connection.close()
        #expect(try await ann.connection.next() == .closed(1000))
        let bob = try await server.join(as: "bob")
        _ = try await bob.answer(to: .say("hello"))

        let back = try await RoomsWatcher(server.join(as: "ann"), holding: ann.rooms)

        guard case .diff(_, .myRooms, _, let diff as ListDiff<MyRoom>) = back.answer else {
            throw RoomsWatcher.OtherAnswer(answer: back.answer)
        }
        #expect(diff.moves.map(\.id) == [room] && diff.reconfigurations.map(\.id) == [room])
        #expect(back["lobby"]?.light.unread == 1)
    }

    @Test func marksAndMembershipsSurviveTheServer() async throws {
        let folder = TemporaryFolder()
        let store = try StoreOfTheRun.current.open(in: folder)
        let first = try server(on: store)
        let ann = try await RoomsWatcher(first.follow(as: "ann"))
        _ = try await ann.answer(to: .join(room))
        let bob = try await first.join(as: "bob")
        for text in ["one", "two"] { _ = try await bob.answer(to: .say(text)) }
        _ = try await ann.answer(to: .read(room, 2))
        try await ann.until { $0["lobby"]?.light.read == 2 }
        first.server.drain()

        // A file stays locked as long as the first server is there, and the store of a database listens for one server.
        let second = try server(on: StoreOfTheRun.current == .sqlite ? store : StoreOfTheRun.current.open(in: folder))
        let back = try await RoomsWatcher(second.join(as: "ann"), holding: ann.rooms)

        guard case .diff(_, .myRooms, let epoch, let diff as ListDiff<MyRoom>) = back.answer else {
            throw RoomsWatcher.OtherAnswer(answer: back.answer)
        }
        #expect(epoch != ann.rooms.epoch && diff.kept == diff.to)
        #expect(
            diff.insertions.isEmpty && diff.deletions.isEmpty && diff.moves.isEmpty && diff.reconfigurations.isEmpty)
        #expect(back["lobby"]?.light.read == 2 && back["lobby"]?.light.unread == 1)
    }

    @Test func whoComesBackToAnotherServerGetsTheRoomsThatHaveChanged() async throws {
        let folder = TemporaryFolder()
        let store = try StoreOfTheRun.current.open(in: folder)
        let first = try server(on: store)
        let ann = try await RoomsWatcher(first.join(as: "ann"))
        let names = (0..<40).map { RoomName("room-\($0)")! }
        for name in names { _ = try await ann.answer(to: .join(name)) }
        let bob = try await first.join(as: "bob")
        for name in names { _ = try await bob.answer(to: say("hello", in: name)) }
        try await ann.until { $0.rooms.rows.count == 40 && $0.rooms.rows.allSatisfy { $0.light.unread == 1 } }
        let held = ann.rooms
        ann.connection.close()
        #expect(try await ann.connection.next() == .closed(1000))
        let id = MessageID.random()
        for name in names[10..<13] { _ = try await bob.answer(to: say("and?", in: name)) }
        _ = try await bob.answer(to: say("gone", in: names[20], id: id))
        _ = try await bob.answer(to: .delete(room: names[20], command: .random(), id: id))
        first.server.drain()

        let second = try server(on: StoreOfTheRun.current == .sqlite ? store : StoreOfTheRun.current.open(in: folder))
        let back = try await RoomsWatcher(second.join(as: "ann"), holding: held)

        guard case .diff(_, .myRooms, _, let diff as ListDiff<MyRoom>) = back.answer else {
            throw RoomsWatcher.OtherAnswer(answer: back.answer)
        }
        // A deletion does not take back that something was said.
        let raised = names[10..<13] + [names[20]]
        // Of rooms with messages of one instant, one takes the place of another that has left it. An instant is a millisecond
        // of the store's time, with 512 stamps and 4 sort keys for each.
        let moments = Dictionary(grouping: held.rows) { $0.sort / 2_048 }.values
        let tied = Set(moments.filter { $0.count > 1 }.joined().map(\.id))
        let came = Set(diff.insertions.map(\.id))
        #expect(came.isSuperset(of: raised) && came.subtracting(tied).isSubset(of: raised))
        #expect(diff.deletions.isEmpty && diff.moves.isEmpty && diff.reconfigurations.isEmpty)
        #expect(Set(back.rooms.rows.filter { $0.light.unread == 2 }.map(\.id)) == Set(names[10..<13]))
        #expect(back.rooms.rows.suffix(4).map(\.id) == Array(raised))
    }

    @Test func theLastTextIsAsItWasSaidInSeveralLinesToo() async throws {
        let server = try server()
        let (ann, bob) = (try await RoomsWatcher(server.join(as: "ann")), try await server.join(as: "bob"))
        let text = "first\n\tsecond\r\n\nfourth\n"

        _ = try await ann.answer(to: .join(room))
        _ = try await bob.answer(to: .say(text))

        try await ann.until { $0["lobby"]?.light.unread == 1 }
        let stored = "first\n\tsecond\n\nfourth\n"
        #expect(ann["lobby"]?.light.last.map { Array($0.text.utf8) } == Array(stored.utf8))
    }

    @Test func theListHasNoPages() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")

        #expect(try await ann.answer(to: .page(.myRooms, .before(1), limit: 50)).errorCode == .badRequest)
    }
}
