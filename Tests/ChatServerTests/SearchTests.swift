import ChatRoom
import RoomStore
import TestSupport
import Testing
import Tokens

@testable import ChatServer
@testable import ChatWire

/// A search over the socket and over HTTP: what is found, and for whom.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct SearchTests {
    private let mint = Mint()

    /// A person's place in the searched room.
    enum Place: String, CaseIterable, Sendable {
        case member, left, banned, invited, stranger, shut, kicked
    }

    private func server() throws -> ServerUnderTest {
        let keyring = try mint.keyring(leeway: 60_000)
        return try ServerUnderTest {
            $0.keyring = keyring
            $0.refusalTimer = RefusalTimer(every: .milliseconds(10))
            $0.allowances.pages = nil
        }
    }

    private func person(_ name: String, _ server: ServerUnderTest, _ grants: [String: Role]) async throws -> Connection
    {
        let connection = try server.connect()
        _ = try await connection.answer(to: .hello(.token(mint.token(name, grants))))
        return connection
    }

    private func found(_ search: SearchRequest, by connection: Connection) async throws -> [String] {
        guard case .found(_, let page) = try await connection.answer(to: .search(search)) else { throw Unexpected() }
        return page.results.map { "\($0.room): \($0.row.text)" }
    }

    /// Gives a person the place in a room that ann owns.
    private func admit(
        _ place: Place, to room: RoomName, _ person: Connection, by ann: Connection
    ) async throws {
        let user = UserName(place.rawValue)!
        func perform(_ request: ClientFrame.Request, _ connection: Connection) async throws {
            #expect(try await connection.answer(to: request).errorCode == nil, "\(place): \(request)")
        }
        guard place != .stranger else { return }
        if room.kind == .private {
            try await perform(.moderate(room: room, command: .random(), .invite(user)), ann)
        }
        if place != .invited { try await perform(.join(room), person) }
        switch place {
        case .left: try await perform(.leave(room), person)
        case .banned: try await perform(.moderate(room: room, command: .random(), .ban(user)), ann)
        case .kicked: try await perform(.moderate(room: room, command: .random(), .kick(user)), ann)
        case .shut:
            let token = try mint.token(place.rawValue, ["*": .none, "~*": .none])
            try await perform(.token(token), person)
        case .member, .invited, .stranger: break
        }
    }

    @Test(arguments: Place.allCases, [RoomName.Kind.open, .private])
    func resultsAreThoseThatThePersonMayRead(place: Place, kind: RoomName.Kind) async throws {
        let server = try server()
        let ann = try await person("ann", server, ["*": .own])
        let command = CommandID.random()
        let room = kind == .open ? RoomName("lobby")! : RoomName(privateRoomOf: command)
        let new: NewRoom = kind == .open ? .open(room, title: nil) : .private(people: [], title: nil)
        _ = try await ann.answer(to: .create(command, new))
        _ = try await ann.answer(to: .send(room: room, id: .random(), "needle in hay"))
        let person = try await person(place.rawValue, server, ["*": .write])
        try await admit(place, to: room, person, by: ann)

        let everywhere = try await found(SearchRequest("needle"), by: person)
        let there = try await person.answer(to: .search(SearchRequest("needle", room: room)))
        let page = try await person.answer(to: .page(.messages(room), .before(99), limit: 32))

        let isMember = place == .member || place == .kicked
        #expect(everywhere == (isMember ? ["\(room): needle in hay"] : []))
        #expect(there.errorCode == page.errorCode, "the same rule as for a page: \(there) \(page)")
        if case .found(_, let page) = there { #expect(page.results.map(\.matches) == [[0..<6]]) }
    }

    @Test func aRoomThatIsFollowedIsSearchedToo() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let bob = try await server.join(as: "bob")
        _ = try await bob.answer(to: .send(room: room, id: .random(), "needle in hay"))
        let needle = try SearchRequest("needle")
        #expect(try await found(needle, by: ann) == ["lobby: needle in hay"], "no member, but a reader")
        #expect(try await found(needle, by: bob) == [], "no reader")

        _ = try await ann.answer(to: .unsubscribe(.messages(room)))

        #expect(try await found(needle, by: ann) == [])
    }

    @Test func whatIsEditedAwayOrDeletedIsNotFound() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        let (first, second) = (MessageID.random(), MessageID.random())
        _ = try await ann.answer(to: .send(room: room, id: first, "needle one"))
        _ = try await ann.answer(to: .send(room: room, id: second, "needle two"))
        let search = try SearchRequest("needle", room: room)
        #expect(try await found(search, by: ann).count == 2)

        _ = try await ann.answer(to: .edit(room: room, command: .random(), id: first, "pin"))
        _ = try await ann.answer(to: .delete(room: room, command: .random(), id: second))

        #expect(try await found(search, by: ann) == [])
        #expect(try await found(SearchRequest("pin", room: room), by: ann) == ["lobby: pin"])
    }

    @Test func aSearchIsChargedLikeAPage() async throws {
        let server = try ServerUnderTest { $0.allowances.pages = Rate(1, in: 3_600_000, burst: 2) }
        let ann = try await server.join(as: "ann")
        let search = ClientFrame.Request.search(try SearchRequest("x", room: room))

        var answers: [WireError.Code?] = []
        for _ in 1...4 { answers.append(try await ann.answer(to: search).errorCode) }

        #expect(answers.last == .rateLimited && answers.contains(nil))
    }

    @Test func aFaultyQueryIsExplained() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")

        ann.send(#"{"type":"search","ref":9,"query":"\"open"}"#)
        guard case .text(let text) = try await ann.next(),
            case .error(9, let error) = try ServerFrame(json: Array(text.utf8))
        else { throw Unexpected() }

        #expect(error.code == .badRequest && error.field == "query")
        #expect(error.message.contains("\"two words\""))
    }

    @Test func overHTTPItIsTheSame() async throws {
        let server = try server()
        let ann = try await person("ann", server, ["*": .own])
        for number in 1...3 { _ = try await ann.answer(to: .send(room: room, id: .random(), "needle \(number)")) }
        _ = try await ann.answer(to: .join(room))
        func get(_ query: String, as user: String, _ grants: [String: Role]) throws -> HTTPAnswer {
            let headers = ["Authorization": "Bearer \(try mint.token(user, grants))"]
            return try HTTPAnswer(getting: "/api/search?\(query)", from: server.server.port, headers: headers)
        }
        func page(_ answer: HTTPAnswer) throws -> SearchPage {
            let frame = Array(#"{"ref":1,"#.utf8) + answer.body.dropFirst()
            guard case .found(_, let page) = try ServerFrame(json: frame) else { throw Unexpected() }
            return page
        }

        let first = try page(get("query=needle+from%3Aann&limit=2", as: "ann", ["*": .own]))
        let place = try #require(first.before)
        let rest = try page(
            get("query=needle&before=\(place.time)/\(place.room)/\(place.sort)", as: "ann", ["*": .own]))

        #expect((first.results + rest.results).map(\.row.text) == ["needle 3", "needle 2", "needle 1"])
        #expect(rest.before == nil)
        #expect(try page(get("query=needle&room=lobby", as: "bob", ["*": .read])).results.count == 3)
        #expect(try page(get("query=needle", as: "bob", ["*": .read])).results.isEmpty, "no room of theirs")
        #expect(try get("query=needle&room=lobby", as: "bob", [:]).status == 403)
        #expect(try get("query=%22open", as: "ann", ["*": .own]).status == 400)
        #expect(try get("", as: "ann", ["*": .own]).status == 400)
    }
}
