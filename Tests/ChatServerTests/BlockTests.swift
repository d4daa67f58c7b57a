import ChatRoom
import ChatServer
import ChatWire
import PostgresStore
import Replicas
import RoomStore
import StoreEngine
import TestSupport
import Testing

/// Blocked users over real sockets. ann blocks, bob is blocked.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct BlockTests {
    private let folder = TemporaryFolder()
    private static let ann = UserName("ann")!
    private static let bob = UserName("bob")!
    private static let block = ClientFrame.Request.block(bob, .on)
    private static let unblock = ClientFrame.Request.block(bob, .off)

    private func server() throws -> ServerUnderTest {
        try ServerUnderTest(store: StoreOfTheRun.current.open(in: folder)) { $0.members.tick = .milliseconds(20) }
    }

    private func naming(_ user: UserName = ann, everyone: Bool = false, in place: RoomName = room)
        -> ClientFrame.Request
    {
        .send(room: place, id: .random(), MessageContent("hi", mentions: Mentioned([user], everyone: everyone)))
    }

    private func create(_ new: NewRoom, by connection: Connection) async throws -> RoomName {
        let answer = try await connection.answer(to: .create(.random(), new))
        return try #require(answer.effect?.list.room, "\(answer)")
    }

    // MARK: - The list

    @Test func theListIsTheSameOnAllDevicesAndAfterARestart() async throws {
        do {
            let server = try server()
            let ann = try await BlockedWatcher(server.join(as: "ann"))
            let other = try await BlockedWatcher(server.join(as: "ann"))
            let bob = try await BlockedWatcher(server.join(as: "bob"))

            #expect(refusal(try await ann.answer(to: Self.block)) == nil)
            #expect(refusal(try await ann.answer(to: .block(UserName("cid")!, .on))) == nil)
            #expect(refusal(try await ann.answer(to: Self.block)) == nil)
            for watcher in [ann, other] {
                try await watcher.until { $0.list.rows.map(\.id.description) == ["bob", "cid"] }
            }

            #expect(refusal(try await other.answer(to: Self.unblock)) == nil)
            for watcher in [ann, other] { try await watcher.until { $0.list.rows.map(\.id.description) == ["cid"] } }
            #expect(refusal(try await bob.answer(to: .ping)) == nil)
            #expect(bob.list.rows.isEmpty && bob.diffs == 0)
            withExtendedLifetime(server) {}
        }

        let server = try server()
        let again = try await BlockedWatcher(server.join(as: "ann"))
        #expect(again.list.rows.map(\.id.description) == ["cid"])
        withExtendedLifetime(server) {}
    }

    @Test func theOwnNameAndTooManyAreRefused() async throws {
        let server = try ServerUnderTest { $0.limits.blocked = 2 }
        let ann = try await server.join(as: "ann")

        let own = try #require(refusal(try await ann.answer(to: .block(Self.ann, .on))))
        #expect(own.reason == .invalid && own.field == "user" && own.message == "user: you cannot block yourself")

        for name in ["x", "y"] { #expect(refusal(try await ann.answer(to: .block(UserName(name)!, .on))) == nil) }
        let third = try #require(refusal(try await ann.answer(to: .block(UserName("z")!, .on))))
        #expect(third.reason == .blocked && third.code == .tooLarge)
        #expect(refusal(try await ann.answer(to: .block(UserName("x")!, .off))) == nil)
        #expect(refusal(try await ann.answer(to: .block(UserName("z")!, .on))) == nil)
    }

    // MARK: - What it hides

    @Test func theirDirectRoomAndInvitationsAreHiddenWhileItLasts() async throws {
        let server = try server()
        let (ann, bob) = (try await RoomsWatcher(server.join(as: "ann")), try await server.join(as: "bob"))
        let direct = try await create(.direct(people: [Self.ann]), by: bob)
        _ = try await bob.answer(to: .send(room: direct, id: .random(), "one"))
        try await ann.until { $0[direct.description]?.light.unread == 1 }

        _ = try await ann.answer(to: Self.block)
        try await ann.until(\.names.isEmpty)
        _ = try await bob.answer(to: .send(room: direct, id: .random(), "two"))
        let invited = try await create(.private(people: [Self.ann], title: nil), by: bob)
        // The next of ann's rooms is her own: nothing of bob's came before.
        _ = try await ann.answer(to: .join(room))
        try await ann.until { !$0.names.isEmpty }
        #expect(ann.names == [room.description])

        _ = try await ann.answer(to: Self.unblock)
        try await ann.until { $0[direct.description]?.light.unread == 2 && $0[invited.description] != nil }
        #expect(ann[invited.description]?.section == .invited)
    }

    /// A direct room with a third name is no way around a block, nor is a thread in a room that is hidden.
    @Test func noRoomOfTheirsComesThroughAnotherDoor() async throws {
        let server = try server()
        let (ann, bob) = (try await RoomsWatcher(server.join(as: "ann")), try await server.join(as: "bob"))
        let threads = try await RoomsWatcher(server.join(as: "ann"), of: .myThreads)
        _ = try await ann.answer(to: Self.block)
        let three = try await create(.direct(people: [Self.ann, UserName("nobody")!]), by: bob)
        _ = try await bob.answer(to: naming(in: three))
        let invited = try await create(.private(people: [Self.ann], title: nil), by: bob)
        let root = MessageID.random()
        _ = try await bob.answer(to: .send(room: invited, id: root, "root"))
        _ = try await bob.answer(to: naming(in: invited.thread(of: root)))

        _ = try await ann.answer(to: .join(room))
        try await ann.until { !$0.names.isEmpty }
        #expect(ann.names == [room.description])
        let again = try await RoomsWatcher(server.join(as: "ann"), of: .myThreads)
        #expect(again.names.isEmpty)

        _ = try await ann.answer(to: Self.unblock)
        try await ann.until { $0[three.description] != nil && $0[invited.description] != nil }
        try await threads.until { $0.names.count == 1 }
    }

    /// A room that both are in stays, also one to which the blocked user has once invited.
    @Test func roomsOfMoreThanTheTwoStay() async throws {
        let server = try server()
        let (ann, bob) = (try await RoomsWatcher(server.join(as: "ann")), try await server.join(as: "bob"))
        let plans = try await create(.private(people: [Self.ann], title: nil), by: bob)
        try await ann.until { $0[plans.description] != nil }
        _ = try await ann.answer(to: .join(plans))
        let three = try await create(.direct(people: [Self.ann, UserName("cid")!]), by: bob)
        _ = try await ann.answer(to: .send(room: three, id: .random(), "hello"))
        try await ann.until { $0[three.description]?.light.last != nil && $0[plans.description]?.section == .rooms }

        _ = try await ann.answer(to: Self.block)
        _ = try await ann.answer(to: .join(room))

        try await ann.until { $0[room.description] != nil }
        #expect(Set(ann.names) == [plans.description, three.description, room.description])
    }

    /// By name, to everybody, and in a thread; also those from before the block.
    @Test func theirMentionsNeitherCountNorAreListed() async throws {
        let server = try server()
        let (ann, mentions) = (
            try await RoomsWatcher(server.join(as: "ann")), try await MentionsWatcher(server.join(as: "ann"))
        )
        let (bob, cid) = (try await server.join(as: "bob"), try await server.join(as: "cid"))
        let (root, new) = (MessageID.random(), NewRoom.private(people: [Self.bob, UserName("cid")!], title: nil))
        // In a private room all who write may mention everybody.
        let room = try await create(new, by: ann.connection)
        for one in [bob, cid] { _ = try await one.answer(to: .join(room)) }
        _ = try await ann.answer(to: .send(room: room, id: root, "root"))
        let thread = room.thread(of: root)
        let threads = try await RoomsWatcher(server.join(as: "ann"), of: .myThreads)
        for place in [room, thread] { _ = try await bob.answer(to: naming(in: place)) }
        _ = try await bob.answer(to: naming(everyone: true, in: room))
        _ = try await cid.answer(to: naming(in: room))
        try await mentions.until { $0.list.rows.count == 4 }
        try await ann.until { $0[room.description]?.light.mentions == 3 }
        try await threads.until { $0[thread.description]?.light.mentions == 1 }

        _ = try await ann.answer(to: Self.block)
        try await mentions.until { $0.list.rows.map(\.author.description) == ["cid"] }
        try await ann.until { $0[room.description]?.light.mentions == 1 && $0[room.description]?.light.unread == 3 }
        try await threads.until { $0[thread.description]?.light.mentions == 0 }
        for place in [room, thread] { _ = try await bob.answer(to: naming(in: place)) }
        _ = try await bob.answer(to: naming(everyone: true, in: room))
        _ = try await cid.answer(to: naming(everyone: true, in: room))
        try await ann.until { $0[room.description]?.light.mentions == 2 && $0[room.description]?.light.unread == 6 }
        try await threads.until { $0[thread.description]?.light.unread == 2 }
        #expect(threads[thread.description]?.light.mentions == 0)
        try await mentions.until { $0.list.rows.map(\.author.description) == ["cid", "cid"] }

        _ = try await ann.answer(to: Self.unblock)
        try await mentions.until { $0.list.rows.count == 8 }
        try await ann.until { $0[room.description]?.light.mentions == 6 }
        try await threads.until { $0[thread.description]?.light.mentions == 2 }
    }

    @Test func aSearchInAllRoomsLeavesTheirDirectRoomOut() async throws {
        let server = try server()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        let direct = try await create(.direct(people: [Self.ann]), by: bob)
        _ = try await bob.answer(to: .send(room: direct, id: .random(), "needle"))
        func found() async throws -> Int {
            guard case .found(_, let page) = try await ann.answer(to: .search(SearchRequest("needle"))) else {
                throw Unexpected()
            }
            return page.results.count
        }
        #expect(try await found() == 1)

        _ = try await ann.answer(to: Self.block)
        #expect(try await found() == 0)
        _ = try await ann.answer(to: Self.unblock)
        #expect(try await found() == 1)
    }

    // MARK: - What the blocked user learns

    private func members(in frame: ServerFrame) -> [String] {
        switch frame {
        case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Member>):
            snapshot.snapshot.rows.map { row in
                "\(row.id) \(row.section) \(row.light.role) \(row.light.read) \(row.light.isTyping)"
            }.sorted()
        case .page(_, _, _, let page as MembersPage): page.rows.map { "\($0.id) \($0.section)" }
        default: []
        }
    }

    /// Everything that bob is sent, without names that chance has made.
    private func experience(of bob: Connection, on server: ServerUnderTest) async throws -> [String] {
        var seen: [String] = []
        func ask(_ request: ClientFrame.Request) async throws {
            let answer = try await bob.answer(to: request)
            seen.append("\(answer.errorCode.map { "\($0)" } ?? "done") \(answer.revision ?? 0) \(members(in: answer))")
        }
        let command = CommandID(high: 7, low: 7)
        let direct = try await create(.direct(people: [Self.ann]), by: bob)
        for place in [direct, room] {
            try await ask(naming(in: place))
            try await ask(.subscribe(.members(place), limit: 50, resume: nil))
            try await ask(.subscribe(.messages(place), limit: 50, resume: nil))
            try await ask(.membersPage(place, MembersSearch("ann", limit: 9)))
        }
        try await ask(.create(command, .private(people: [Self.ann], title: nil)))
        let plans = RoomName(privateRoomOf: command)
        try await ask(.moderate(room: plans, command: .random(), .invite(Self.ann)))
        try await ask(.subscribe(.members(plans), limit: 50, resume: nil))
        try await ask(.create(.random(), .direct(people: [Self.ann])))
        try await ask(.people([Self.ann]))
        try await ask(.subscribe(.myPeople, limit: 50, resume: nil))
        return seen
    }

    @Test func whoIsBlockedCannotTell() async throws {
        var seen: [[String]] = []
        for isBlocked in [false, true] {
            let server = try ServerUnderTest { $0.members.tick = .milliseconds(20) }
            let ann = try await server.join(as: "ann")
            _ = try await ann.answer(to: .join(room))
            if isBlocked { _ = try await ann.answer(to: Self.block) }
            seen.append(try await experience(of: server.join(as: "bob"), on: server))
        }

        #expect(seen[0] == seen[1])
        #expect(seen[0].count == 14)
    }

    // MARK: - Several servers

    @Test(.enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"), arguments: [1, 2])
    func aBlockHoldsOnAllServersAndInAllDatabases(databases: Int) async throws {
        let addresses = try (0..<databases).map { _ in try PostgresAddress.unused() }
        let servers = try (0..<2).map { _ in
            try ServerUnderTest(store: ShardedStore(PostgresStore.open(addresses)))
        }
        let here = try await servers[0].join(as: "ann")
        let there = try await RoomsWatcher(servers[1].join(as: "ann"))
        let blocked = try await BlockedWatcher(servers[1].join(as: "ann"))
        let bob = try await servers[1].join(as: "bob")
        let direct = try await create(.direct(people: [Self.ann]), by: bob)
        let rooms = (0..<8).map { RoomName("room-\($0)")! }
        for room in rooms {
            _ = try await here.answer(to: .join(room))
            _ = try await bob.answer(to: naming(in: room))
        }
        try await there.until { list in
            list[direct.description] != nil && rooms.allSatisfy { list[$0.description]?.light.mentions == 1 }
        }

        #expect(refusal(try await here.answer(to: Self.block)) == nil)
        try await blocked.until { $0.list.rows.map(\.id) == [Self.bob] }
        try await there.until { list in
            list[direct.description] == nil && rooms.allSatisfy { list[$0.description]?.light.mentions == 0 }
        }

        #expect(refusal(try await here.answer(to: Self.unblock)) == nil)
        try await there.until { list in
            list[direct.description] != nil && rooms.allSatisfy { list[$0.description]?.light.mentions == 1 }
        }
    }
}
