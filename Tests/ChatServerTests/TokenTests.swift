import ChatRoom
import ChatServer
import ChatWire
import Foundation
import TestSupport
import Testing
import Tokens

/// The rights of tokens, on real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct TokenTests {
    private let mint = Mint()
    private let team = RoomName("team-a")!

    private func server(leeway: Milliseconds = 60_000) throws -> ServerUnderTest {
        let keyring = try mint.keyring(leeway: leeway)
        return try ServerUnderTest { $0.keyring = keyring }
    }

    private func enter(
        _ server: ServerUnderTest, _ user: String, _ grants: [String: Role], ttl: Double = 3_600
    ) async throws -> Connection {
        let connection = try server.connect()
        let answer = try await connection.answer(to: .hello(.token(mint.token(user, grants, ttl: ttl))))
        guard case .welcome(_, let welcome) = answer, welcome.user.description == user else { throw Unexpected() }
        return connection
    }

    // MARK: - Coming in

    @Test func aNameAloneIsNotEnoughWhereThereAreKeys() async throws {
        let server = try server()
        let ann = try server.connect()

        #expect(try await ann.answer(to: .hello(.user(UserName("ann")!))).errorCode == .unauthorized)
        #expect(try await ann.answer(to: .hello(.token("a.b.c"))).errorCode == .unauthorized)
        #expect(try await ann.answer(to: .hello(.handshake)).errorCode == .unauthorized)
        #expect(try await ann.answer(to: .subscribe(lobby, limit: 50, resume: nil)).errorCode == .unauthorized)
        #expect(try await ann.answer(to: .hello(.token(mint.token("ann", [:])))).errorCode == nil)
    }

    @Test func aTokenIsOfNoUseWhereThereAreNoKeys() async throws {
        let server = try ServerUnderTest()
        let ann = try server.connect()

        #expect(try await ann.answer(to: .hello(.token(mint.token("ann", [:])))).errorCode == .unauthorized)
        #expect(try await ann.answer(to: .hello(.handshake)).errorCode == .badRequest)
        #expect(try await ann.answer(to: .hello(.user(UserName("ann")!))).errorCode == nil)
    }

    @Test func whoShowsManyTokensThatAreNotTakenGoes() async throws {
        let server = try server()
        let ann = try server.connect()
        for _ in 0..<8 { #expect(try await ann.answer(to: .hello(.token("a.b.c"))).errorCode == .unauthorized) }

        ann.send(.hello(.token("a.b.c")))

        guard case .bye(CloseCode.flooding, _, _) = try await ann.frame() else { throw Unexpected() }
    }

    // MARK: - What a role may do

    struct Cell: Sendable, CustomTestStringConvertible {
        let role: Role
        let act: Act
        var testDescription: String { "\(role) \(act)" }
    }

    enum Act: CaseIterable {
        case subscribe, follow, page, read, send, edit, delete, react, type, audit

        var least: Role {
            switch self {
            case .subscribe, .follow, .page, .read: .read
            case .send, .edit, .delete, .react, .type: .write
            case .audit: .moderate
            }
        }

        /// Requests for subscribers only; for others the target does not exist.
        var takesSubscription: Bool { self == .read || self == .type }

        func refusal(of role: Role) -> WireError.Code {
            takesSubscription && role < .read ? .notFound : .forbidden
        }

        var request: ClientFrame.Request {
            switch self {
            case .subscribe: .subscribe(lobby, limit: 50, resume: nil)
            case .follow: .subscribe(.members(room), limit: 50, resume: nil)
            case .page: .page(lobby, .before(9), limit: 50)
            case .read: .read(room, 0)
            case .send: .say("hello")
            case .edit: .edit(room: room, command: .random(), id: .random(), "bye")
            case .delete: .delete(room: room, command: .random(), id: .random())
            case .react: .react(room: room, command: .random(), id: .random(), emoji: "👍", .on)
            case .type: .typing(room, .on)
            case .audit: .audit(room, before: 9, limit: 50)
            }
        }
    }

    @Test(arguments: Role.allCases.flatMap { role in Act.allCases.map { Cell(role: role, act: $0) } })
    func whatIsForbiddenIsWhatTheRoleDoesNotReach(cell: Cell) async throws {
        let server = try server()
        let ann = try await enter(server, "ann", ["lobby": cell.role])

        if cell.act.takesSubscription { _ = try await ann.answer(to: .subscribe(lobby, limit: 50, resume: nil)) }

        let answer = try await ann.answer(to: cell.act.request)

        #expect((answer.errorCode == cell.act.refusal(of: cell.role)) == (cell.role < cell.act.least), "\(answer)")
    }

    @Test(arguments: Act.allCases)
    func whatIsAnsweredOfARoomThatOneMayNotReadIsTheSameWhetherThereIsSuchARoom(act: Act) async throws {
        let server = try server()
        let bob = try await enter(server, "bob", ["lobby": .write])
        let ann = try await enter(server, "ann", ["other": .write])

        let before = try await ann.answer(to: act.request)
        _ = try await bob.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        _ = try await bob.answer(to: .say("hello"))
        let after = try await ann.answer(to: act.request)

        guard case .error(_, let first) = before, case .error(_, let second) = after else { throw Unexpected() }
        #expect(first == second && first.code == act.refusal(of: .none))
    }

    // MARK: - A fresh token

    @Test func afterAFreshTokenThatGrantsLessNotOneFrameOfTheRoomComes() async throws {
        let server = try server()
        let bob = try await enter(server, "bob", ["*": .write])
        let ann = try await enter(server, "ann", ["*": .write])
        for list in [lobby, .members(room), .messages(team)] {
            _ = try await ann.answer(to: .subscribe(list, limit: 50, resume: nil))
        }
        for number in 0..<100 { bob.send(.say("\(number)")) }

        let ref = try ann.send(.token(mint.token("ann", ["team-*": .write])))
        var ended: [ListName] = []
        while true {
            let frame = try await ann.frame()
            if case .ended(let list, _) = frame { ended.append(list) }
            if frame.ref == ref { break }
        }
        for number in 100..<200 { bob.send(.say("\(number)")) }
        _ = try await bob.answer(to: .send(room: team, id: .random(), "the last"))
        let rest = try await ann.frames(upToDiffOf: .messages(team))

        #expect(Set(ended) == [lobby, .members(room)])
        #expect(rest.count == 1, "\(rest)")
        #expect(try await ann.answer(to: .say("hello")).errorCode == .forbidden)
        #expect(try await ann.answer(to: .unsubscribe(lobby)).errorCode == .notFound)
    }

    @Test func whoMayNoLongerReadIsNoLongerThere() async throws {
        let server = try server()
        let bob = try await enter(server, "bob", ["*": .write])
        _ = try await bob.answer(to: .subscribe(.members(room), limit: 50, resume: nil))
        let ann = try await enter(server, "ann", ["*": .write])
        _ = try await ann.answer(to: .subscribe(lobby, limit: 50, resume: nil))

        #expect(try await ann.answer(to: .token(mint.token("ann", [:]))).errorCode == nil)

        while true {
            guard case .diff(_, _, _, let diff as ListDiff<Member>) = try await bob.frame() else { continue }
            if diff.counts == [.online: 0, .offline: 1, .invited: 0] { return }
        }
    }

    @Test func aFreshTokenThatGrantsMoreLetsMoreBeDone() async throws {
        let server = try server()
        let ann = try await enter(server, "ann", ["lobby": .read])
        _ = try await ann.answer(to: .subscribe(lobby, limit: 50, resume: nil))

        #expect(try await ann.answer(to: .say("hello")).errorCode == .forbidden)
        #expect(try await ann.answer(to: .token(mint.token("ann", ["lobby": .write]))).errorCode == nil)
        let id = MessageID.random()
        #expect(try await ann.answer(to: .say("hello", id: id)).errorCode == nil)
    }

    @Test func aFreshTokenThatIsNoGoodChangesNothing() async throws {
        let server = try server()
        let ann = try await enter(server, "ann", ["lobby": .write])

        let others = try await ann.answer(to: .token(mint.token("bob", ["*": .own])))
        let expired = try await ann.answer(to: .token(mint.token("ann", ["*": .own], ttl: -100)))

        #expect(others.errorCode == .forbidden)
        #expect(expired.errorCode == .unauthorized)
        #expect(try await ann.answer(to: .say("hello")).errorCode == nil)
        let elsewhere = ClientFrame.Request.send(room: team, id: .random(), "a")
        #expect(try await ann.answer(to: elsewhere).errorCode == .forbidden)
    }

    // MARK: - The list of one's rooms

    @Test func aRoomIsListedOnlyWhileTokenAndRoomLetItsMemberRead() async throws {
        let server = try server()
        let desk = try await RoomsWatcher(enter(server, "ann", ["lobby": .write, "team-*": .write]))
        for room in [room, team] { _ = try await desk.answer(to: .join(room)) }
        try await desk.until { $0.names.count == 2 }

        let phone = try await RoomsWatcher(enter(server, "ann", ["lobby": .read, "team-*": .none]))
        #expect(phone.names == ["lobby"])
        #expect(try await desk.answer(to: .token(mint.token("ann", ["team-a": .read]))).errorCode == nil)
        try await desk.until { $0.names == ["team-a"] }

        let mod = try await enter(server, "mod", ["*": .moderate])
        let ban = ClientFrame.Request.moderate(room: team, command: .random(), .ban(UserName("ann")!))
        #expect(try await mod.answer(to: ban).errorCode == nil)
        try await desk.until { $0.names.isEmpty }
    }

    // MARK: - The end of a token

    @Test func aTokenThatEndsIsWarnedOfAndThenEndsTheConnectionAndNothingComesAfterThat() async throws {
        let server = try server(leeway: 0)
        let bob = try await enter(server, "bob", ["*": .write])
        let ttl: Double = isSanitized ? 40 : 15
        let ann = try await enter(server, "ann", ["*": .write])
        _ = try await ann.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        // The time runs from here on, however long it took to come in.
        #expect(try await ann.answer(to: .token(mint.token("ann", ["*": .write], ttl: ttl))).errorCode == nil)
        bob.send(.say("first"))

        var warnings: [Milliseconds] = []
        while true {
            let frame = try await ann.frame()
            if case .expiring(let time) = frame { warnings.append(time) }
            // Something is always under way when the token ends.
            if !warnings.isEmpty { bob.send(.say("and more")) }
            if case .bye(CloseCode.tokenExpired, _, _) = frame { break }
        }

        #expect(warnings.count == 1 && warnings[0] > 0 && warnings[0] <= Milliseconds(250 * ttl), "\(warnings)")
        #expect(try await ann.next() == .closed(CloseCode.tokenExpired))
        #expect(CloseCode.allowsReturn(CloseCode.tokenExpired))
    }

    @Test func aFreshTokenInTimeKeepsTheConnection() async throws {
        let server = try server(leeway: 0)
        let ttl: Double = isSanitized ? 40 : 20
        let ann = try await enter(server, "ann", ["*": .write], ttl: ttl)
        let answer = try await ann.answer(to: .token(mint.token("ann", ["*": .write])))

        // When a later token has ended, the first one would have ended too.
        let bob = try await enter(server, "bob", ["*": .write], ttl: ttl + 1)
        while try await bob.next() != .closed(CloseCode.tokenExpired) {}

        #expect(answer.errorCode == nil)
        #expect(try await ann.answer(to: .say("still here")).errorCode == nil)
    }

    // MARK: - HTTP

    @Test func aRoomsPastIsForThoseWhoMayReadIt() async throws {
        let server = try server()
        let bob = try await enter(server, "bob", ["lobby": .write])
        _ = try await bob.answer(to: .say("hello"))
        func get(_ room: String, _ authorization: String?) throws -> HTTPAnswer {
            let headers = authorization.map { ["Authorization": $0] } ?? [:]
            return try HTTPAnswer(
                getting: "/api/rooms/\(room)/messages", from: server.server.port, headers: headers)
        }
        let mine = "Bearer \(try mint.token("ann", ["lobby": .read]))"

        #expect(try get("lobby", nil).status == 401)
        #expect(try get("lobby", nil).headers["www-authenticate"] == "Bearer")
        #expect(try get("lobby", "Bearer x").status == 401)
        #expect(try get("lobby", "Basic YTpi").status == 401)
        #expect(try get("lobby", mine).status == 200)
        #expect(try get("lobby", mine.replacing("Bearer", with: "bEARER")).status == 200)
        #expect(try get("elsewhere", mine).status == 403)
        let others = "Bearer \(try mint.token("ann", ["other": .own]))"
        #expect(try get("lobby", others).status == 403)
    }
}

extension Connection {
    /// All frames up to the first diff of a list.
    fileprivate func frames(upToDiffOf list: ListName) async throws -> [ServerFrame] {
        var frames: [ServerFrame] = []
        while true {
            frames.append(try await frame())
            if case .diff(_, list, _, _) = frames.last { return frames }
        }
    }
}
