import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import ChatServer

/// A room with damaged data reports it, and affects nothing else.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct DamagedRoomTests {
    private let cellar = RoomName("cellar")!

    private func say(_ text: String, in room: RoomName) -> ClientFrame.Request {
        .send(room: room, id: .random(), MessageContent(text))
    }

    @Test(arguments: [Damage.refusing, .unnamed])
    func whatCameTogetherWithItIsCommittedAllTheSame(damage: Damage) async throws {
        let server = try ServerUnderTest(store: StoreWithDamage(of: cellar, damage))
        let ann = try await server.join(as: "ann")

        for number in 1...20 {
            ann.send(say("\(number)", in: cellar))
            ann.send(say("\(number)", in: room))
        }

        var answers: [ServerFrame] = []
        while answers.count < 40 { answers.append(try await ann.frame()) }
        #expect(answers.compactMap(\.revision) == Array(1...20))
        #expect(answers.compactMap(\.errorCode) == Array(repeating: .unavailable, count: 20))
    }

    @Test(arguments: Damage.allCases.filter { $0 != .message })
    func whoeverAsksForItIsToldThatItIsUnavailable(damage: Damage) async throws {
        let server = try ServerUnderTest(store: StoreWithDamage(of: cellar, damage))
        let ann = try await server.follow(as: "ann")

        let subscribed = try await ann.answer(to: .subscribe(.messages(cellar), limit: 50, resume: nil))
        let joined = try await ann.answer(to: .subscribe(.members(cellar), limit: 50, resume: nil))
        let paged = try await ann.answer(to: .page(.messages(cellar), .before(100), limit: 50))

        #expect([subscribed, joined, paged].map(\.errorCode) == [.unavailable, .unavailable, .unavailable])
        #expect(try await ann.answer(to: .say("still here")).revision == 1)
    }

    @Test func aDamagedMessageIsSentWithoutItsTextAmongTheOthers() async throws {
        let server = try ServerUnderTest(store: StoreWithDamage(of: cellar, .message))
        let ann = try await server.join(as: "ann")

        let subscribed = try await ann.answer(to: .subscribe(.messages(cellar), limit: 50, resume: nil))
        let page = try HTTPAnswer(getting: "/api/rooms/cellar/messages", from: server.server.port)

        guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = subscribed else {
            Issue.record("\(subscribed)")
            return
        }
        #expect(snapshot.snapshot.rows.map(\.isDamaged) == [false, true, false])
        #expect(snapshot.snapshot.rows.map(\.text) == ["hi", "", "hi"])
        #expect(page.text.contains(#""sort":2,"rev":2,"damaged":true}"#), "\(page.text)")
        let joined = try await ann.answer(to: .subscribe(.members(cellar), limit: 50, resume: nil))
        #expect(joined.errorCode == nil)
    }

    @Test func aClientWithoutTheRightToReadItIsNotToldOfTheDamage() throws {
        let secret = RoomName(privateRoomOf: .random())
        let server = try ServerUnderTest(store: StoreWithDamage(of: secret, .refusing))

        let answer = try HTTPAnswer(getting: "/api/rooms/\(secret)/messages", from: server.server.port)

        #expect(answer.status == 403, "\(answer.text)")
    }

    @Test func whatIsLetGoOfInOtherRoomsDoesNotDependOnIt() async throws {
        let store = StoreWithDamage(of: RoomName("a-cellar")!, .refusing)
        let retention = RetentionJob(
            store, rest: .seconds(300), metrics: Metrics(),
            errors: StoreErrors(counter: Metrics.Counter(), log: ServerLog(format: .text, level: .error)))
        retention.keep(Retention(.init(messages: 1)))
        for name in [room, RoomName("a-cellar")!, RoomName("0")!] {
            _ = try store.fill(name, with: 3)
        }

        let shortened = AsyncStream<RoomName> { told in
            retention.start { room, _ in told.yield(room) }
        }

        var rooms: Set<RoomName> = []
        for await room in shortened {
            rooms.insert(room)
            if rooms.count == 2 { break }
        }
        #expect(rooms == [room, RoomName("0")!])
        withExtendedLifetime(retention) {}
    }
}
