import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import TestSupport
import Testing
import Tokens

/// The answers to operators over HTTP, and the check of their token.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct AdminTests {
    private let folder = TemporaryFolder()
    private let desk: AdminDesk

    init() throws {
        desk = try AdminDesk()
    }

    // MARK: - Who may

    @Test(arguments: ["rooms", "rooms/lobby", "rooms/lobby/people", "rooms/lobby/audit", "stats", "nothing"])
    func withoutTheTokenNothingIsToBeHad(path: String) throws {
        for token in [nil, "", String(AdminDesk.token.dropLast()), AdminDesk.token + "x"] {
            let answer = try desk.get(path, token: token)
            #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
        }
    }

    @Test
    func aServerWithoutATokenHasNoAdminAPI() throws {
        let other = try ServerUnderTest()

        #expect(try desk.get("stats", from: other).status == 404)
    }

    @Test
    func noChatTokenIsOneAndItIsNoChatToken() async throws {
        let mint = Mint()
        let keyring = try mint.keyring(leeway: 0)
        let desk = try AdminDesk { $0.keyring = keyring }
        let ann = try mint.token("ann", ["*": .own])

        #expect(try desk.get("stats", token: ann).status == 401)
        let socket = try desk.server.connect()
        #expect(try await socket.answer(to: .hello(.token(AdminDesk.token))).errorCode == .unauthorized)
        let history = try HTTPAnswer(
            getting: "/api/rooms/lobby/messages", from: desk.server.server.port,
            headers: ["Authorization": "Bearer \(AdminDesk.token)"])
        #expect(history.status == 401)
        #expect(try desk.get("stats").status == 200)
    }

    // MARK: - What there is

    @Test
    func roomsAreListedInPages() async throws {
        let ann = try await desk.server.join(as: "ann")
        for name in ["lobby", "attic", "kitchen"] {
            _ = try await ann.answer(to: .send(room: RoomName(name)!, id: .random(), "hello"))
        }

        #expect(
            try desk.get("rooms?limit=2").text
                == #"{"rooms":[{"room":"attic","revision":1,"count":1},{"room":"kitchen","revision":1,"count":1}],"more":true}"#
        )
        #expect(
            try desk.get("rooms?after=kitchen").text
                == #"{"rooms":[{"room":"lobby","revision":1,"count":1}],"more":false}"#)
    }

    @Test
    func aRoomsStateIsShownWithItsRules() async throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        let bob = UserName("bob")!
        _ = try store.commit([
            .moderation(.readOnly(.on)), .moderation(.slowMode(5_000)), .moderation(.ban(bob)),
        ])
        let desk = try AdminDesk(store: store)

        #expect(
            try desk.get("rooms/lobby").text
                == #"{"room":"lobby","revision":3,"count":0,"slow":5000,"readOnly":true,"#
                + #""standings":[{"user":"bob","role":"none","mutedUntil":0,"banned":true}]}"#)
        #expect(
            try desk.get("rooms/attic").text
                == #"{"room":"attic","revision":0,"count":0,"slow":0,"readOnly":false,"standings":[]}"#)
    }

    @Test
    func theAuditLogIsReadInPagesFromItsEnd() async throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        _ = try store.commit([.moderation(.readOnly(.on)), .moderation(.readOnly(.off)), .moderation(.slowMode(1))])
        let desk = try AdminDesk(store: store)

        let last = try desk.get("rooms/lobby/audit?limit=1").text
        #expect(last.contains(#""revision":3"#) && last.contains(#""action":"slow""#), "\(last)")
        #expect(last.contains(#""more":true"#))
        let first = try desk.get("rooms/lobby/audit?before=3").text
        #expect(first.contains(#""revision":1"#) && first.contains(#""revision":2"#), "\(first)")
        #expect(first.contains(#""more":false"#))
    }

    @Test
    func peopleAreListedWhileTheyAreThere() async throws {
        #expect(try desk.get("rooms/lobby/people").text == #"{"room":"lobby","online":0,"people":[]}"#)

        let watcher = try await desk.server.join(as: "bob")
        _ = try await watcher.answer(to: .subscribe(.members(room), limit: 50, resume: nil))
        let ann = try await desk.server.follow(as: "ann")
        _ = try await watcher.frame()

        #expect(
            try desk.get("rooms/lobby/people").text
                == #"{"room":"lobby","online":1,"people":[{"user":"ann","online":true,"typing":false,"read":0}]}"#)
        withExtendedLifetime(ann) {}
    }

    @Test
    func statsSayHowItIs() async throws {
        let ann = try await desk.server.follow(as: "ann")
        _ = try await ann.answer(to: .say("hello"))

        let text = try desk.get("stats").text

        #expect(text.contains(#""connections":1,"#) && text.contains(#""committed":1,"#), "\(text)")
        #expect(text.contains(#""draining":false"#), "\(text)")
    }

    // MARK: - What is wrong

    @Test(arguments: [
        ("rooms?limit=0", 400, "1 to 1000"), ("rooms?limit=1001", 400, "1 to 1000"), ("rooms?limit=+5", 400, "limit"),
        ("rooms?limit", 400, "limit"), ("rooms?after=a%20b", 400, "after"), ("rooms?before=1", 400, "after and limit"),
        ("rooms?limit=5&limit=6", 400, "twice"), ("rooms/lobby/audit?before=x", 400, "before"),
        ("rooms/lobby/audit?before=9007199254740992", 400, "2^53"), ("connections?after=-1", 400, "2^64"),
        ("stats?limit=5", 400, "none here"), ("rooms/a~b", 404, "NAME"), ("rooms/", 404, "rooms/NAME"),
        ("rooms/lobby/", 404, "rooms/NAME"), ("rooms/lobby/messages", 404, "people"), ("", 404, "stats"),
    ])
    func whatIsWrongIsNamed(path: String, status: Int, hint: String) throws {
        let answer = try desk.get(path)

        #expect(answer.status == status)
        guard case .error(nil, let error) = try ServerFrame(json: answer.body) else { throw Unexpected() }
        #expect(error.message.contains(hint), "\(error.message)")
    }

    @Test(arguments: ["rooms", "rooms/lobby", "stats"])
    func whatIsOnlyReadTakesNothing(path: String) throws {
        let answer = try desk.post(path, "{}")

        #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD", "\(answer.text)")
    }
}
