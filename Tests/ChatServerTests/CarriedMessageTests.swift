import ChatRoom
import ChatWire
import Locking
import PostgresStore
import RoomStore
import TestSupport
import Testing

@testable import ChatServer

/// Messages that come with another server's news.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct CarriedMessageTests {
    /// A store that counts the readings of rooms and of memberships.
    private final class CountingStore: ForwardingStore {
        let store: any RoomStore
        private let count = Guarded(0)

        init(_ store: any RoomStore) { self.store = store }

        var readings: Int { count.withLock { $0 } }

        func read(
            _ room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
        ) throws(RoomStoreError) -> RoomReading {
            count.withLock { $0 += 1 }
            return try store.read(room, tail: tail, since: since, atMost: atMost, standings: standings)
        }

        func memberships(
            of users: [UserName], in room: RoomName
        ) throws(RoomStoreError) -> [UserName: MembershipReading] {
            count.withLock { $0 += 1 }
            return try store.memberships(of: users, in: room)
        }
    }

    private static let messages = 60

    /// The readers' server reads nothing for them: the news has the messages.
    @Test func messagesOfAnotherServerAreNotRead() async throws {
        let address = try PostgresAddress.unused()
        let counting = CountingStore(try PostgresStore(address))
        let first = try ServerUnderTest(store: counting) { $0.members.tick = .milliseconds(20) }
        let second = try ServerUnderTest(store: PostgresStore(address)) { $0.members.tick = .milliseconds(20) }
        let ann = try await first.follow(as: "ann")
        _ = try await ann.answer(to: .join(room))
        let list = try await RoomsWatcher(first.join(as: "ann"))
        try await list.until { $0.names == ["lobby"] }
        // The second server has heard of the first.
        let members = try await MembersWatcher(second.follow(as: "bob"))
        try await members.until { $0["ann"] != nil }
        let bob = try await second.follow(as: "bob")
        _ = try await bob.answer(to: .say("first"))
        try await list.until { $0["lobby"]?.light.unread == 1 }
        let before = counting.readings

        for number in 1...Self.messages { _ = try await bob.answer(to: .say("\(number)")) }

        try await list.until { $0["lobby"]?.light.unread == UInt64(Self.messages + 1) }
        var texts: [String] = []
        while texts.last != "\(Self.messages)" {
            guard case .diff(_, lobby, _, let diff as ListDiff<Message>) = try await ann.frame() else { continue }
            texts += diff.insertions.map(\.text)
        }
        #expect(texts == ["first"] + (1...Self.messages).map { "\($0)" })
        // Now and then the server looks whether it missed something.
        #expect(counting.readings - before < 10)
    }
}
