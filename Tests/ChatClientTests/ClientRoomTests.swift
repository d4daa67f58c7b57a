import ChatClient
import ChatWire
import Publishing
import Replicas
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Deadline.minutes))) struct ClientRoomTests {
    private let name = RoomName("lobby")!

    @Test func aSendReturnsOnceTheMessageIsDurable() async throws {
        let store = InMemoryStore()
        let server = try TestServer(store: store)
        let ann = try ChatClient(url: "ws://127.0.0.1:\(server.port)", user: UserName("ann")!)
        defer { ann.close() }

        let id = try await ann.room(name).send("hello")

        #expect(try store.sort(of: .id(id), in: name) != nil)
    }

    @Test func aRefusalIsThrown() async throws {
        let server = try TestServer()
        let ann = try ChatClient(url: "ws://127.0.0.1:\(server.port)", user: UserName("ann")!)
        defer { ann.close() }

        await #expect {
            try await ann.room(name).delete(.random())
        } throws: {
            ($0 as? WireError)?.code == .notFound
        }
    }

    /// A loop that begins late, and is slow, sees the same as one that has seen each change.
    @Test func aSlowLoopSeesNetChanges() async throws {
        let server = try TestServer()
        let ann = try ChatClient(url: "ws://127.0.0.1:\(server.port)", user: UserName("ann")!)
        defer { ann.close() }
        let room = ann.room(name)
        var changes = room.changes.makeAsyncIterator()
        var (drawn, steps) = (Set<MessageID>(), 0)
        var last: RoomView?

        var ids: [MessageID] = []
        for number in 0..<20 { ids.append(try await room.send("\(number)")) }
        for id in ids.prefix(10) { try await room.delete(id) }
        while last?.messages.map(\.id) != Array(ids.suffix(10)), let change = await changes.next() {
            #expect(drawn.isSuperset(of: change.changes.deleted) && drawn.isDisjoint(with: change.changes.inserted))
            drawn = drawn.subtracting(change.changes.deleted).union(change.changes.inserted)
            (last, steps) = (change.view, steps + 1)
        }

        #expect(drawn == Set(ids.suffix(10)))
        #expect(steps < 30)
    }

    @Test func aSearchReturnsItsResultsOrThrowsTheRefusal() async throws {
        let server = try TestServer()
        let ann = try ChatClient(url: "ws://127.0.0.1:\(server.port)", user: UserName("ann")!)
        defer { ann.close() }
        try await ann.room(name).send("needle in hay")

        let page = try await ann.search(SearchRequest("needle", room: name))

        #expect(page.results.map(\.row.text) == ["needle in hay"])
        await #expect {
            _ = try await ann.search(SearchRequest("needle", room: RoomName(privateRoomOf: .random())))
        } throws: {
            ($0 as? WireError)?.code == .forbidden
        }
    }

    @Test func aServerWithoutFilesRefusesAnUpload() async throws {
        let server = try TestServer()
        let ann = try ChatClient(url: "ws://127.0.0.1:\(server.port)", user: UserName("ann")!)
        defer { ann.close() }
        let file = try #require(
            FileDescription(name: "a", media: "text/plain", size: 1, sha256: String(repeating: "0", count: 64)))

        await #expect {
            _ = try await ann.room(name).permit(file, for: .random())
        } throws: {
            ($0 as? WireError)?.reason == .noFiles
        }
    }

    @Test func aCancelledTaskWaitsNoMore() async throws {
        let server = try TestServer()
        let ann = try ChatClient(url: "ws://127.0.0.1:\(server.port)", user: UserName("ann")!)
        defer { ann.close() }
        server.stop()
        let task = Task { [name] in try await ann.room(name).send("kept until there is a server") }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
