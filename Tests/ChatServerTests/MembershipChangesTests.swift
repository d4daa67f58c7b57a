import ChatRoom
import ChatWire
import PostgresStore
import RoomStore
import TestSupport
import Testing

@testable import ChatServer

/// What the other servers are told of one shard's people.
@Suite(.enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct MembershipChangesTests {
    private let shard = ShardUnderTest {
        $0.isShared = true
        $0.members.tick = .seconds(1)
    }

    private static func operate(_ action: RoomAction, by user: UserName) -> ShardInput {
        let operation = Operation(command: .random(), author: user, role: .write, time: 1, action: action)
        return .request(.operate(ref: 1, operation), ShardUnderTest.reader(1, onLoop: 0), room)
    }

    private func moves(after inputs: [ShardInput]) throws -> [[UserName]] {
        try shard.settle(inputs).flatMap(\.moves)
    }

    @Test func aMessageMovesNobodyInAnyRoom() throws {
        let people = (0..<50).map { UserName("u\($0)")! }
        _ = try moves(after: people.map { Self.operate(.join, by: $0) })
        shard.pass(.seconds(2))
        _ = shard.take([.woken(.membershipChanges)])

        let text = RoomAction.send(MessageContent("hi", mentions: Mentioned(Array(people.prefix(3)))))

        #expect(try moves(after: [Self.operate(text, by: people[0])]) == [])
    }

    @Test func whatComesWithinATickIsOneMessageAndNamesEachOnce() throws {
        let (ann, bob) = (UserName("ann")!, UserName("bob")!)
        func mark(_ user: UserName, _ revision: Revision) throws -> [[UserName]] {
            let mark = ReadMark(room: room, user: user, revision: revision)
            return try moves(after: [.message(.marked([mark], of: InMemoryStore().epoch))])
        }

        #expect(try mark(ann, 1) == [[ann]])
        #expect(try mark(ann, 2) == [] && mark(bob, 2) == [] && mark(ann, 3) == [])
        shard.pass(.seconds(1))
        #expect(shard.take([.woken(.membershipChanges)]).decision.moves == [[ann, bob]])
        shard.pass(.seconds(1))
        #expect(shard.take([.woken(.membershipChanges)]).decision.moves == [])
    }

    @Test func noMessageIsLongAndNobodyIsLeftOut() throws {
        let people = (0..<300).map { UserName("somebody with a rather long name \($0)")! }

        var told = try moves(after: people.map { Self.operate(.join, by: $0) })
        while told.joined().count < people.count {
            shard.pass(.seconds(1))
            let next = shard.take([.woken(.membershipChanges)]).decision.moves
            try #require(next.count == 1)
            told += next
        }

        #expect(Set(told.joined()) == Set(people) && told.count > 2)
        #expect(told.allSatisfy { $0.reduce(0) { $0 + $1.description.utf8.count } <= MembershipChanges.longest })
    }
}

extension ShardDecision {
    fileprivate var moves: [[UserName]] {
        peers.compactMap { note in
            if case .membershipsChanged(let users) = note { users } else { nil }
        }
    }
}

/// The lists of a person who is on two servers, where nothing but the servers' news can tell in time.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct MovesOfSeveralServersTests {
    private let first, second: ServerUnderTest

    init() throws {
        let address = try PostgresAddress.unused()
        func server() throws -> ServerUnderTest {
            try ServerUnderTest(store: PostgresStore(address)) {
                $0.refreshInterval = .seconds(3_600)
                $0.members.tick = .milliseconds(20)
            }
        }
        (first, second) = (try server(), try server())
    }

    /// Waits until the first server listens to the second, where bob is.
    private func follow() async throws -> (phone: RoomsWatcher, desk: Connection, bob: Connection) {
        let bob = try await second.follow(as: "bob")
        let members = try await MembersWatcher(first.follow(as: "cid"))
        try await members.until { $0["bob"] != nil }
        return (try await RoomsWatcher(first.join(as: "ann")), try await second.follow(as: "ann"), bob)
    }

    @Test func aJoinAMarkAndALeaveOnOneServerShowOnTheOther() async throws {
        let (phone, desk, bob) = try await follow()

        _ = try await desk.answer(to: .join(room))
        try await phone.until { $0.names == ["lobby"] }
        for text in ["one", "two"] { _ = try await bob.answer(to: .say(text)) }
        try await phone.until { $0["lobby"]?.light.unread == 2 }
        _ = try await desk.answer(to: .read(room, 3))
        try await phone.until { $0["lobby"]?.light.unread == 0 }
        _ = try await desk.answer(to: .settings(room, SettingsChange(pinned: .at(5))))
        try await phone.until { $0["lobby"]?.section == .pinned }
        _ = try await desk.answer(to: .leave(room))
        try await phone.until { $0.names.isEmpty }
    }

    /// Nobody reads the list meanwhile, and its server keeps it.
    @Test func whoComesBackSoonGetsWhatTheyDidElsewhere() async throws {
        let (phone, desk, _) = try await follow()
        phone.connection.close()
        _ = try await desk.answer(to: .join(room))

        let again = try await RoomsWatcher(first.join(as: "ann"), holding: phone.rooms)

        try await again.until { $0.names == ["lobby"] }
    }
}
