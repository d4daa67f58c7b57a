import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import ChatServer

/// The store goes on with another history during a request: answers from before do not count as a part of it.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ForkedHistoryTests {
    private func said(_ text: String) -> RoomOperation {
        RoomOperation(
            room: room,
            operation: Operation(
                command: .random(), author: UserName("bob")!, role: .write, time: 1,
                action: .send(MessageContent(text))))
    }

    /// The answer has revision 2, the room's next, where the new history has another operation or none.
    @Test func whatWasCommittedBeforeIsNoPartOfTheNewHistory() async throws {
        let store = ForkedStore()
        let server = try ServerUnderTest(store: store)
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .say("one"))
        try store.fork(at: .commit, into: said("another one"))
        let id = MessageID.random()

        let answer = try await ann.answer(to: .say("two", id: id))

        #expect(answer.errorCode == .unavailable)
        #expect(try await ann.answer(to: .say("two", id: id)).revision == 2)
        let carl = try await server.join(as: "carl")
        let joined = try await carl.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        #expect(joined.rows?.map(\.text) == ["another one", "two"])
    }

    /// Revision 3 of the old history is above all that the new one has.
    @Test func whatWasReadBeforeIsNotReadInTheNewHistory() async throws {
        let store = ForkedStore()
        let server = try ServerUnderTest(store: store)
        let ann = try await server.follow(as: "ann")
        let eve = try await MembersWatcher(server.join(as: "eve"))
        for text in ["one", "two", "three"] { _ = try await ann.answer(to: .say(text)) }
        _ = try await ann.answer(to: .read(room, 3))
        try await eve.until { $0["ann"]?.light.read == 3 }
        try store.fork(at: .commit, into: said("another one"))

        #expect(try await ann.answer(to: .say("four")).errorCode == .unavailable)
        #expect(try await ann.answer(to: .read(room, 1)).errorCode == nil)

        try await eve.until { $0["ann"]?.light.read == 1 }
    }

    @Test func aPageThatWasReadBeforeIsReadAgain() async throws {
        let store = ForkedStore()
        let server = try ServerUnderTest(store: store)
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .say("one"))
        try store.fork(at: .page, into: said("another one"))

        let answer = try await ann.answer(to: .page(lobby, .before(100), limit: 50))

        guard case .page(_, _, let epoch, let page as ListPage<Message>) = answer else { throw Unexpected() }
        #expect(epoch == store.epoch && page.rows.map(\.text) == ["another one"])
    }

    @Test func aPageByHTTPIsOfOneHistory() async throws {
        let store = ForkedStore()
        let server = try ServerUnderTest(store: store)
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .say("one"))
        try store.fork(at: .page, into: said("another one"))
        let path = "/api/rooms/\(room)/messages"

        let first = try HTTPAnswer(getting: path, from: server.server.port)
        let second = try HTTPAnswer(getting: path, from: server.server.port)

        #expect(first.status == 503)
        #expect(second.status == 200)
        let text = String(decoding: second.body, as: UTF8.self)
        #expect(text.contains("another one") && text.contains("\(store.epoch)"))
    }
}

extension ServerFrame {
    fileprivate var rows: [Message]? {
        if case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = self {
            snapshot.snapshot.rows
        } else {
            nil
        }
    }
}
