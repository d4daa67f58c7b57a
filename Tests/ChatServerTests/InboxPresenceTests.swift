import ChatRoom
import ChatWire
import Replicas
import RoomStore
import TestSupport
import Testing
import Tokens

@testable import ChatServer

/// Who is there and who is writing, in people's lists of rooms, over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct InboxPresenceTests {
    /// What ends somebody's writing.
    enum Ending: CaseIterable {
        case backspace, message, time, leaving, closing, cut
    }

    private func server(
        shards: Int, _ configure: (inout ChatServerConfiguration) -> Void = { _ in }
    ) throws -> ServerUnderTest {
        try ServerUnderTest {
            $0.shards = shards
            $0.members.tick = .milliseconds(20)
            $0.members.grace = .milliseconds(40)
            $0.members.typing = .seconds(600)
            configure(&$0)
        }
    }

    private func member(_ user: String, of room: RoomName, on server: ServerUnderTest) async throws -> RoomsWatcher {
        let watcher = try await RoomsWatcher(server.join(as: user))
        _ = try await watcher.answer(to: .join(room))
        try await watcher.until { $0[room.description] != nil }
        return watcher
    }

    @Test(arguments: Ending.allCases, [1, 4])
    func whoWritesInARoomThatOneDoesNotHaveOpenShowsInItsRowUntilItEnds(_ ending: Ending, shards: Int) async throws {
        let server = try server(shards: shards) {
            if ending == .time { $0.members.typing = .milliseconds(500) }
        }
        let ann = try await member("ann", of: room, on: server)
        let elsewhere = try Connections()
        let bob = try elsewhere.connect(to: server.server.port)
        _ = try await bob.answer(to: .hello(.user(UserName("bob")!)))
        _ = try await bob.answer(to: .subscribe(lobby, limit: 50, resume: nil))

        _ = try await bob.answer(to: .typing(room, .on))
        try await ann.until { $0["lobby"]?.light.isTyping == true }
        #expect(ann["lobby"]?.light.isHere == false)

        switch ending {
        case .backspace: _ = try await bob.answer(to: .typing(room, .off))
        case .message: _ = try await bob.answer(to: .say("done"))
        case .time: break
        case .leaving: _ = try await bob.answer(to: .unsubscribe(lobby))
        case .closing: bob.close()
        case .cut: elsewhere.stop()
        }
        try await ann.until { $0["lobby"]?.light.isTyping == false }
        try await ann.until { $0["lobby"]?.light.unread == (ending == .message ? 1 : 0) }
    }

    @Test(arguments: [1, 4])
    func onesOwnConnectionsDoNotCount(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await member("ann", of: room, on: server)
        let eve = try await member("eve", of: room, on: server)
        let desk = try await server.follow(as: "ann")
        let bob = try await server.follow(as: "bob")

        _ = try await desk.answer(to: .typing(room, .on))
        try await eve.until { $0["lobby"]?.light.isTyping == true }
        _ = try await bob.answer(to: .say("one"))
        try await ann.until { $0["lobby"]?.light.unread == 1 }
        #expect(ann["lobby"]?.light.isTyping == false)

        _ = try await bob.answer(to: .typing(room, .on))
        try await ann.until { $0["lobby"]?.light.isTyping == true }
        _ = try await desk.answer(to: .say("two"))
        try await eve.until { $0["lobby"]?.light.unread == 2 }
        #expect(eve["lobby"]?.light.isTyping == true)
    }

    @Test(arguments: [1, 4])
    func whoeverHasADirectRoomOpenIsThereInTheOthersRow(shards: Int) async throws {
        let server = try server(shards: shards)
        let (ann, bob) = try await (RoomsWatcher(server.join(as: "ann")), server.join(as: "bob"))
        let pair = RoomName(directRoomOf: [UserName("ann")!, UserName("bob")!])
        _ = try await bob.answer(to: .create(.random(), .direct(people: [UserName("ann")!])))
        try await ann.until { $0[pair.description] != nil }

        _ = try await bob.answer(to: .subscribe(.messages(pair), limit: 50, resume: nil))
        try await ann.until { $0[pair.description]?.light.isHere == true }
        // Whoever comes later is told what is so.
        let desk = try await RoomsWatcher(server.join(as: "ann"))
        #expect(desk[pair.description]?.light.isHere == true)
        _ = try await bob.answer(to: .unsubscribe(.messages(pair)))

        try await ann.until { $0[pair.description]?.light.isHere == false }
        try await desk.until { $0[pair.description]?.light.isHere == false }
    }

    @Test func whoComesWhileSomebodyWritesIsToldSo() async throws {
        let server = try server(shards: 4)
        let bob = try await server.follow(as: "bob")
        _ = try await bob.answer(to: .typing(room, .on))

        let ann = try await member("ann", of: room, on: server)
        try await ann.until { $0["lobby"]?.light.isTyping == true }
    }

    /// Without waiting for a tick; and a key press that changes nothing is told nobody.
    @Test func theEndOfWritingComesWithTheMessage() throws {
        let store = InMemoryStore()
        let (ann, bob) = (UserName("ann")!, UserName("bob")!)
        let join = Operation(command: .random(), author: ann, role: .write, time: 1, action: .join)
        _ = try store.commit([RoomOperation(room: room, operation: join)])
        let shard = ShardUnderTest(loops: 1, on: store)
        let list = InboxDevice(1, of: ann, .open, following: .rooms, limit: 50)
        let desk = Reader(2)
        func settle(_ input: ShardInput) throws -> [ShardDecision] {
            shard.pass(.seconds(2))
            let decisions = try shard.settle([input])
            for command in decisions.flatMap({ $0.loops[0].commands }) where command.isFor(list) {
                try list.take(command)
            }
            return decisions
        }
        let typing = ShardInput.request(.typing(ref: 2, .on), desk, room)
        _ = try settle(list.subscribe())
        let visitor = Visitor(user: bob, grant: .write)
        _ = try settle(.request(.subscribe(.messages, visitor, ref: 1, limit: 50, nil), desk, room))

        _ = try settle(typing)
        let written = try #require(list.rooms)
        #expect(written[room]?.light.isTyping == true)
        #expect(try settle(typing).allSatisfy { $0.messages.isEmpty })

        let message = Operation(
            command: .random(), author: bob, role: .write, time: 2, action: .send("hi"))
        _ = try settle(.request(.operate(ref: 3, message), desk, room))
        let said = try #require(list.rooms)
        #expect(said[room]?.light.isTyping == false && said[room]?.light.unread == 1)
        #expect(said.revision == written.revision + 1)
    }

    /// The shard does not ask to be woken at a time that has come, over and over, while the store does not answer.
    @Test func theEndOfWritingWaitsForTheStore() throws {
        let store = InMemoryStore()
        let (ann, bob) = (UserName("ann")!, UserName("bob")!)
        let join = Operation(command: .random(), author: ann, role: .write, time: 1, action: .join)
        _ = try store.commit([RoomOperation(room: room, operation: join)])
        let shard = ShardUnderTest(loops: 1, on: store)
        let desk = Reader(2)
        let visitor = Visitor(user: bob, grant: .write)
        _ = try shard.settle([.request(.subscribe(.messages, visitor, ref: 1, limit: 50, nil), desk, room)])
        _ = try shard.settle([InboxDevice(1, of: ann, .open, following: .rooms, limit: 50).subscribe()])
        func turn(_ input: ShardInput, at time: Duration) -> ShardDecision {
            let decision = shard.take([input], at: time).decision
            for (_, letter) in decision.messages { _ = shard.take([.message(letter)], at: time) }
            return decision
        }
        let outage = Duration.seconds(60)

        _ = turn(.request(.typing(ref: 2, .on), desk, room), at: outage)
        let queries = turn(.message(.announced(room, 9)), at: outage + .seconds(1)).inboxQueries
        guard case .room(_, let users, let number, let epoch)? = queries.first else { throw Unexpected() }
        let failure = WireError(.storeDown, "try again", retryAfter: 300)
        _ = turn(
            .foundMemberships(.room(room, users, number: number, of: epoch, .failure(failure))),
            at: outage + .seconds(1))
        _ = turn(.request(.typing(ref: 3, .off), desk, room), at: outage + .seconds(1))
        let decision = turn(.woken(.inboxes), at: outage + .milliseconds(1_500))

        #expect(decision.alarms.filter { $0.alarm == .inboxes }.map(\.time) == [outage + .seconds(2)])
    }
}
