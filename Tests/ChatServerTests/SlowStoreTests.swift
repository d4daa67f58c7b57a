import ChatWire
import Dispatch
import RoomStore
import TestSupport
import Testing
import WebSocketTransport

@testable import ChatServer

/// While the store is slow, requests that do not need it wait for nothing.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct SlowStoreTests {
    @Test
    func whileAPageIsReadItsRoomAndItsShardGoOn() async throws {
        let store = OvertakenStore(InMemoryStore())
        let server = try ServerUnderTest(store: store) { $0.shards = 1 }
        let ann = try await server.follow(as: "ann")
        let asked = ann.send(.page(lobby, .before(1_000), limit: 50))
        var reads = store.reads.makeAsyncIterator()
        #expect(await reads.next() == 1)

        let bob = try await server.follow(as: "bob")
        #expect(try await bob.answer(to: .say("meanwhile")).revision == 1)
        #expect(try await ann.diff().insertions.map(\.text) == ["meanwhile"])
        let elsewhere = ClientFrame.Request.send(room: RoomName("other")!, id: .random(), "too")
        #expect(try await bob.answer(to: elsewhere).revision == 1)
        let metrics = try HTTPAnswer(getting: "/metrics", from: server.server.port)
        #expect(String(decoding: metrics.body, as: UTF8.self).contains("diffroom_rooms 1\n"))

        store.goOn()
        guard case .page(asked, _, _, let page as ListPage<Message>) = try await ann.frame() else { throw Unexpected() }
        #expect(page.revision == 1, "not older than what ann holds by then")
    }

    /// What waits for the disk has an eighth of the memory budget, and whoever sends more is told so at once.
    @Test
    func longMessagesThatWaitForTheDiskAreRefusedBeyondTheirShareOfTheBudget() async throws {
        let store = OvertakenStore(InMemoryStore())
        let (budget, count, text) = (16 << 20, 300, String(repeating: "x", count: 8_000))
        let server = try ServerUnderTest(store: store) {
            $0.transport.memoryBudget = budget
            $0.limits.pending = count
        }
        let ann = try await server.join(as: "ann")
        store.holdUp.enter()
        for _ in 0..<count { _ = ann.send(.say(text)) }

        let waiting = budget / 8 / text.utf8.count
        for _ in waiting..<count { #expect(try await ann.frame().errorCode == .unavailable) }
        #expect(server.server.transport.statistics.heldNow >= waiting * text.utf8.count)

        store.holdUp.leave()
        for _ in 0..<waiting { #expect(try await ann.frame().revision != nil) }
        #expect(server.server.transport.statistics.heldNow == 0)
    }

    /// The same by plain HTTP: an event loop's thread answers it, and its other connections go on.
    @Test
    func whileAPageIsReadByHTTPItsEventLoopGoesOn() async throws {
        let store = OvertakenStore(InMemoryStore())
        let server = try ServerUnderTest(store: store) { ($0.shards, $0.transport.loops) = (1, 1) }
        let ann = try await server.follow(as: "ann")
        let port = server.server.port
        let page = Task { try HTTPAnswer(getting: "/api/rooms/lobby/messages", from: port) }
        var reads = store.reads.makeAsyncIterator()
        #expect(await reads.next() == 1)

        #expect(try await ann.answer(to: .say("meanwhile")).revision == 1)

        store.goOn()
        #expect(try await page.value.status == 200)
    }
}
