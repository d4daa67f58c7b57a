import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Rooms by plain HTTP: the rights to read and to post.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct RoomEndpointTests {
    private let mint = Mint()
    private let folder = TemporaryFolder()
    private static let path = "/api/rooms/lobby/messages"
    private static let id = "5c89a49e-2e09-471f-9f0a-1507e7b2de64"

    private func server(_ moderations: Moderation...) throws -> ServerUnderTest {
        let store = try StoreOfTheRun.current.open(in: folder)
        let operations = moderations.map { moderation in
            let author = UserName("root")!
            return Operation(command: .random(), author: author, role: .own, time: 0, action: .moderate(moderation))
        }
        _ = try store.commit(operations.map { RoomOperation(room: room, operation: $0) })
        let keyring = try mint.keyring(leeway: 60_000)
        return try ServerUnderTest(store: store) { $0.keyring = keyring }
    }

    private func get(
        _ path: String, _ server: ServerUnderTest, as user: String, _ grants: [String: Role]
    ) throws -> HTTPAnswer {
        let headers = ["Authorization": "Bearer \(try mint.token(user, grants))"]
        return try HTTPAnswer(getting: path, from: server.server.port, headers: headers)
    }

    private func post(
        _ json: String, _ server: ServerUnderTest, token: String? = nil, _ headers: [String: String] = [:]
    ) throws -> HTTPAnswer {
        let own = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return try HTTPAnswer(
            posting: json, to: Self.path, of: server.server.port, headers: own.merging(headers) { $1 })
    }

    private func texts(_ answer: HTTPAnswer) throws -> [String] {
        guard
            case .page(_, _, _, let page as ListPage<Message>) = try ServerFrame(
                json: Array(#"{"ref":1,"#.utf8) + answer.body.dropFirst())
        else { throw Unexpected() }
        return page.rows.map(\.text)
    }

    // MARK: - Reading

    @Test func whoIsBannedSeesNothingOfTheRoom() throws {
        let server = try server(.ban(UserName("bob")!), .appoint(UserName("ann")!, .own), .ban(UserName("ann")!))

        let banned = try get(Self.path, server, as: "bob", ["lobby": .moderate])

        #expect(banned.status == 403)
        let stranger = try get(Self.path, server, as: "bob", [:])
        #expect(banned.body == stranger.body, "the same as for who was never let in")
        #expect(try get(Self.path, server, as: "cid", ["lobby": .read]).status == 200)
        #expect(try get(Self.path, server, as: "ann", ["lobby": .read]).status == 200, "owners cannot be banned")
    }

    @Test func aBanHoldsFromTheAnswerOn() async throws {
        let server = try server(.appoint(UserName("ann")!, .own))
        let ann = try server.connect()
        _ = try await ann.answer(to: .hello(.token(mint.token("ann", [:]))))
        #expect(try get(Self.path, server, as: "bob", ["lobby": .read]).status == 200)

        let ban = Moderation.ban(UserName("bob")!)
        _ = try await ann.answer(to: .moderate(room: room, command: .random(), ban))

        #expect(try get(Self.path, server, as: "bob", ["lobby": .read]).status == 403)
    }

    @Test func anAppointmentOpensARoom() throws {
        let server = try server(.appoint(UserName("bob")!, .read))

        #expect(try get(Self.path, server, as: "bob", [:]).status == 200)
    }

    @Test func nothingTellsWhetherThereIsARoom() throws {
        let server = try server(.appoint(UserName("ann")!, .own))

        for query in ["messages", "messages?before=7&limit=3", "audit"] {
            let there = try get("/api/rooms/lobby/\(query)", server, as: "eve", [:])
            let nowhere = try get("/api/rooms/ybbol/\(query)", server, as: "eve", [:])

            #expect(there.status == 403 && nowhere.status == 403)
            #expect(there.headers == nowhere.headers)
            #expect(
                String(decoding: there.body, as: UTF8.self)
                    == String(decoding: nowhere.body, as: UTF8.self).replacing("ybbol", with: "lobby"))
        }
    }

    @Test func moderatorsReadTheAuditLog() throws {
        let server = try server(.appoint(UserName("ann")!, .moderate), .ban(UserName("bob")!), .kick(UserName("cid")!))

        let answer = try get("/api/rooms/lobby/audit?limit=2", server, as: "ann", [:])

        let frame = Array(#"{"ref":1,"#.utf8) + answer.body.dropFirst()
        guard case .audit(_, room, let page) = try ServerFrame(json: frame) else { throw Unexpected() }
        #expect(page.entries.map(\.revision) == [2, 3] && page.more)
        #expect(try get("/api/rooms/lobby/audit", server, as: "eve", ["lobby": .write]).status == 403)
    }

    // MARK: - Saying something

    @Test func whatIsPostedIsAMessageLikeAnyOther() async throws {
        let server = try server()
        let reader = try server.connect()
        _ = try await reader.answer(to: .hello(.token(mint.token("bob", ["lobby": .read]))))
        _ = try await reader.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        let token = try mint.token("ann", ["lobby": .write])

        let answer = try post(#"{"id":"\#(Self.id)","text":"by HTTP"}"#, server, token: token)

        #expect(answer.status == 200)
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"type":"ok","list":"room/lobby/messages","revision":1}"#)
        let row = try #require(try await reader.diff().insertions.first)
        #expect(row.author.description == "ann" && row.text == "by HTTP" && row.id.description == Self.id)
    }

    @Test func whatIsPostedAgainIsNotSaidAgain() throws {
        let server = try server()
        let token = try mint.token("ann", ["lobby": .write])
        let json = #"{"id":"\#(Self.id)","text":"once"}"#

        let first = try post(json, server, token: token)
        let second = try post(json, server, token: token)
        let other = try post(json.replacing("once", with: "twice"), server, token: token)

        #expect(first.status == 200 && second.body == first.body)
        #expect(other.status == 409)
        #expect(try texts(get(Self.path, server, as: "ann", ["lobby": .read])) == ["once"])
    }

    /// Reading a body takes a while, and anybody can send one.
    @Test func whoHasNoTokenHasNothingRead() throws {
        let server = try server()
        let escaped = String(repeating: #""\u0061\u0061":0,"#, count: 3_000)

        for json in ["{", "{\(escaped)\"a\":0}"] {
            #expect(try post(json, server).status == 401)
            #expect(try post(json, server, token: "a.b.c").status == 401)
            #expect(try post(json, server, token: mint.token("ann", ["lobby": .write])).status == 400)
        }
    }

    @Test func whoMayNotWriteIsRefused() throws {
        let server = try server(.ban(UserName("bob")!), .mute(UserName("cid")!, for: 1 << 50))
        let json = #"{"id":"\#(Self.id)","text":"let me in"}"#

        #expect(try post(json, server).status == 401)
        #expect(try post(json, server, token: "a.b.c").status == 401)
        #expect(try post(json, server, token: mint.token("ann", ["lobby": .read])).status == 403)
        #expect(try post(json, server, token: mint.token("ann", [:])).status == 403)
        #expect(try post(json, server, token: mint.token("bob", ["lobby": .write])).status == 403)
        let muted = try post(json, server, token: mint.token("cid", ["lobby": .write]))
        #expect(muted.status == 403 && muted.headers["retry-after"] != nil)
        #expect(try texts(get(Self.path, server, as: "ann", ["lobby": .read])).isEmpty)
    }

    @Test func whereNobodyProvesAnythingANameIsSaid() throws {
        let server = try ServerUnderTest { $0.allowances.sends = Rate(1, in: 3_600_000, burst: 1) }
        func say(_ user: String) throws -> HTTPAnswer {
            try post(#"{"user":"\#(user)","id":"\#(MessageID.random())","text":"hello"}"#, server)
        }

        #expect(try say("ann").status == 200)
        let tooMuch = try say("ann")
        #expect(tooMuch.status == 429 && tooMuch.headers["retry-after"] == "3600")
        #expect(try say("bob").status == 200)
        #expect(try post(#"{"id":"\#(Self.id)","text":"who am I?"}"#, server).status == 400)
    }

    @Test(arguments: [
        ("", "JSON"), ("[]", "object"), (#"{"text":"a"}"#, "id"), (#"{"id":"\#(Self.id)"}"#, "text"),
        (#"{"id":"\#(Self.id)","text":""}"#, "text"), (#"{"id":"\#(Self.id)","text":"a","user":7}"#, "user"),
    ])
    func whatIsWrongIsNamed(json: String, hint: String) throws {
        let answer = try post(json, server(), token: mint.token("ann", ["lobby": .write]))

        #expect(answer.status == 400)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(hint))
    }

    /// A browser lets a page of another site post any type but JSON without a preflight.
    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    func whatAForeignPageCouldPostIsRefused(type: String) throws {
        let server = try ServerUnderTest()
        let json = #"{"user":"ann","id":"\#(Self.id)","text":"forged"}"#

        #expect(try post(json, server, ["Content-Type": type]).status == 400)
        #expect(try post(json, server, ["Content-Type": "application/json; charset=utf-8"]).status == 200)
    }

    @Test func theAuditLogIsNotPostedTo() throws {
        let server = try server()

        let answer = try HTTPAnswer(posting: "{}", to: "/api/rooms/lobby/audit", of: server.server.port)

        #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD, OPTIONS")
        #expect(answer.headers["content-type"] == "application/json")
    }
}
