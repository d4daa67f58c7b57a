import ChatServer
import ChatWire
import PostgresStore
import TestSupport
import Testing

/// Slow pages, while the room goes on.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct OvertakenPageTests {
    /// During each read, one message of the page is deleted, one is edited, and another one comes.
    @Test
    func aPageIsReadOnceHoweverMuchHappensMeanwhile() async throws {
        let store = OvertakenStore(try PostgresStore(.unused()))
        let server = try ServerUnderTest(store: store)
        let bob = try await server.follow(as: "bob")
        let ids = (0..<60).map { _ in MessageID.random() }
        let connections = try Connections()
        let (port, reads) = (server.server.port, store.reads)
        let ann = try connections.connect(to: port)
        _ = try await ann.answer(to: .hello(.user(UserName("ann")!)))
        for id in ids { _ = try await ann.answer(to: .say("old", id: id)) }
        let chatter = Task {
            let ann = try connections.connect(to: port)
            _ = try await ann.answer(to: .hello(.user(UserName("ann")!)))
            for await number in reads {
                _ = try await ann.answer(to: .delete(room: room, command: .random(), id: ids[number]))
                _ = try await ann.answer(to: .edit(room: room, command: .random(), id: ids[number + 30], "new"))
                _ = try await ann.answer(to: .say("news"))
                store.goOn()
            }
        }

        let answer = try await bob.answer(to: .page(lobby, .before(1_000), limit: 500))

        guard case .page(_, _, _, let page as ListPage<Message>) = answer else { throw Unexpected() }
        #expect(store.pages == 1)
        #expect(page.revision == 63, "as of what bob has been told by then")
        #expect(!page.rows.contains { $0.id == ids[1] }, "what was deleted does not come back")
        #expect(page.rows.first { $0.id == ids[31] }?.text == "new")
        #expect(page.rows.count == 59 && !page.more)
        chatter.cancel()
        connections.stop()
    }
}
