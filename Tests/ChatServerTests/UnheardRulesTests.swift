import ChatRoom
import ChatServer
import ChatWire
import Dispatch
import RoomStore
import TestSupport
import Testing

/// What is read of the store obeys the rules that are there, though the room has not heard of them: on several servers it
/// hears of them later.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has a store of its own"))
struct UnheardRulesTests {
    private let store = OvertakenStore(InMemoryStore(limits: WireLimits()))
    private let server: ServerUnderTest
    private static let bob = UserName("bob")!

    init() throws {
        let appointments = [("owner", Role.own), ("bob", .moderate)].map { user, role in
            Operation(
                command: .random(), author: UserName("root")!, role: .own, time: 0,
                action: .moderate(.appoint(UserName(user)!, role)))
        }
        _ = try store.commit(appointments.map { RoomOperation(room: room, operation: $0) })
        server = try ServerUnderTest(store: store)
    }

    private static let questions: [ClientFrame.Request] = [
        .page(lobby, .before(1_000), limit: 32), .audit(room, before: 1_000, limit: 32),
    ]

    @Test(arguments: questions)
    func whoeverWasBannedReadsNothing(question: ClientFrame.Request) async throws {
        let owner = try await server.follow(as: "owner")
        let bob = try await server.join(as: "bob")
        var commits = store.commits.makeAsyncIterator()
        await commits.next()
        store.goOn()
        store.goOn()
        #expect(try await bob.answer(to: question).errorCode == nil)

        store.holdBack.enter()
        owner.send(.moderate(room: room, command: .random(), .ban(Self.bob)))
        await commits.next()
        let answer = try await bob.answer(to: question)
        store.holdBack.leave()

        #expect(answer.errorCode == .forbidden)
    }

    /// Though nobody follows the room any more, and it could forget its rules.
    @Test(arguments: questions)
    func whoeverIsPutOutBeforeTheAnswerReadsNothing(question: ClientFrame.Request) async throws {
        let owner = try await server.join(as: "owner")
        let bob = try await server.follow(as: "bob")
        var standings = store.standings.makeAsyncIterator()
        store.goOn()
        store.holdStandings.enter()
        let ref = bob.send(question)
        await standings.next()
        _ = try await owner.answer(to: .moderate(room: room, command: .random(), .ban(Self.bob)))
        store.holdStandings.leave()

        var answer = try await bob.frame()
        while answer.ref != ref { answer = try await bob.frame() }
        #expect(answer.errorCode == .forbidden)
    }
}
