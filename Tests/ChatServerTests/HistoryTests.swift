import ChatServer
import ChatWire
import Foundation
import FoundationNetworking
import TestSupport
import Testing

/// A room's past by plain HTTP.
@Suite(.timeLimit(.minutes(2)))
struct HistoryTests {
    private let server: ServerUnderTest

    init() throws {
        server = try ServerUnderTest()
    }

    private func get(_ path: String, known: String? = nil) async throws -> (HTTPURLResponse, Data) {
        var request = URLRequest(url: URL(string: "http://127.0.0.1:\(server.server.port)\(path)")!)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        if let known { request.setValue(known, forHTTPHeaderField: "If-None-Match") }
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse), data)
    }

    private func page(_ query: String) async throws -> ListPage<Message> {
        let (response, data) = try await get("/api/rooms/lobby/messages\(query)")
        #expect(response.statusCode == 200)
        let frame = Data(#"{"ref":1,"#.utf8) + data.dropFirst()
        guard case .page(_, lobby, _, let page) = try ServerFrame(json: Array(frame)) else { throw Unexpected() }
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

        let last = try await page("?limit=30")
        let before = try await page("?limit=30&before=\(last.rows[0].sort)")
        let first = try await page("?limit=30&before=\(before.rows[0].sort)")

        #expect((first.rows + before.rows + last.rows).map(\.text) == (1...70).map(String.init))
        #expect(last.more && before.more && !first.more)
        #expect(try await page("").rows.count == 50)
    }

    @Test
    func whoHasThePageAlreadyIsToldSoUntilOneOfItsMessagesChanges() async throws {
        let ann = try await say(60)
        let path = "/api/rooms/lobby/messages?before=21&limit=20"
        let (first, _) = try await get(path)
        let tag = try #require(first.value(forHTTPHeaderField: "ETag"))

        _ = try await ann.answer(to: .say("later"))
        let (same, body) = try await get(path, known: tag)
        let id = try await page("?before=21&limit=20").rows[7].id
        _ = try await ann.answer(to: .react(room: room, command: .random(), id: id, emoji: "👍", .on))
        let (reacted, _) = try await get(path, known: tag)
        _ = try await ann.answer(to: .delete(room: room, command: .random(), id: id))
        let (deleted, _) = try await get(path, known: reacted.value(forHTTPHeaderField: "ETag"))

        #expect(same.statusCode == 304 && body.isEmpty)
        #expect(reacted.statusCode == 200 && deleted.statusCode == 200)
    }

    @Test(arguments: [
        ("lobby/messages?limit=0", 400, "1 to 500"), ("lobby/messages?limit=501", 400, "1 to 500"),
        ("lobby/messages?before=-1", 400, "before"), ("lobby/messages?before", 400, "before"),
        ("lobby/messages?after=3", 400, "before and limit"), ("lob%20by/messages", 404, "NAME"),
        ("lobby", 404, "messages"),
    ])
    func whatIsWrongIsNamed(path: String, status: Int, hint: String) async throws {
        let (response, data) = try await get("/api/rooms/\(path)")

        #expect(response.statusCode == status)
        guard case .error(nil, let error) = try ServerFrame(json: Array(data)) else { throw Unexpected() }
        #expect(error.message.contains(hint), "\(error.message)")
    }
}
