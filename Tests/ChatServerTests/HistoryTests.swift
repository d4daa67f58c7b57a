import ChatServer
import ChatWire
import TestSupport
import Testing

/// A room's past by plain HTTP.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct HistoryTests {
    private let server: ServerUnderTest

    init() throws {
        server = try ServerUnderTest()
    }

    private func get(_ path: String, known: String? = nil) throws -> HTTPAnswer {
        try HTTPAnswer(
            getting: path, from: server.server.port, headers: known.map { ["If-None-Match": $0] } ?? [:])
    }

    private func page(_ query: String) throws -> ListPage<Message> {
        let answer = try get("/api/rooms/lobby/messages\(query)")
        #expect(answer.status == 200)
        let frame = Array(#"{"ref":1,"#.utf8) + answer.body.dropFirst()
        guard case .page(_, lobby, _, let page as ListPage<Message>) = try ServerFrame(json: frame) else {
            throw Unexpected()
        }
        return page
    }

    private func say(_ count: Int) async throws -> Connection {
        let ann = try await server.join(as: "ann")
        for number in 1...count { _ = try await ann.answer(to: .say("\(number)")) }
        return ann
    }

    @Test
    func pagesLeadBackToTheBeginning() async throws {
        _ = try await say(70)

        let last = try page("?limit=30")
        let before = try page("?limit=30&before=\(last.rows[0].sort)")
        let first = try page("?limit=30&before=\(before.rows[0].sort)")

        #expect((first.rows + before.rows + last.rows).map(\.text) == (1...70).map(String.init))
        #expect(last.more && before.more && !first.more)
        #expect(try page("").rows.count == 50)
    }

    @Test
    func whoHasThePageAlreadyIsToldSoUntilOneOfItsMessagesChanges() async throws {
        let ann = try await say(60)
        let path = "/api/rooms/lobby/messages?before=21&limit=20"
        let tag = try #require(try get(path).headers["etag"])

        _ = try await ann.answer(to: .say("later"))
        let same = try get(path, known: tag)
        let id = try page("?before=21&limit=20").rows[7].id
        _ = try await ann.answer(to: .react(room: room, command: .random(), id: id, emoji: "👍", .on))
        let reacted = try get(path, known: tag)
        _ = try await ann.answer(to: .delete(room: room, command: .random(), id: id))
        let deleted = try get(path, known: reacted.headers["etag"])

        #expect(same.status == 304 && same.body.isEmpty)
        #expect(reacted.status == 200 && deleted.status == 200)
    }

    @Test(arguments: [
        ("lobby/messages?limit=0", 400, "1 to 500"), ("lobby/messages?limit=501", 400, "1 to 500"),
        ("lobby/messages?before=-1", 400, "before"), ("lobby/messages?before", 400, "before"),
        ("lobby/messages?before=9007199254740992", 400, "2^53"), ("lobby/messages?before=+1", 400, "2^53"),
        ("lobby/messages?limit=1&limit=2", 400, "twice"),
        ("lobby/messages?behind=3", 400, "before and after"), ("lob~by/messages", 404, "NAME"),
        ("lobby", 404, "messages"), ("lobby/messages?after=3&before=3", 400, "not below"),
        ("lobby/messages?time=3&before=3", 400, "one of them"), ("lobby/messages?id=3", 400, "UUID"),
        ("lobby/messages?id=5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2", 404, "not in this room"),
    ])
    func whatIsWrongIsNamed(path: String, status: Int, hint: String) throws {
        let answer = try get("/api/rooms/\(path)")

        #expect(answer.status == status)
        guard case .error(nil, let error) = try ServerFrame(json: answer.body) else { throw Unexpected() }
        #expect(error.message.contains(hint), "\(error.message)")
    }
}
