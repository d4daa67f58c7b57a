import ChatServer
import ChatWire
import TestSupport
import Testing

/// A command whose answer was lost is sent again, and gets the answer that it would have got.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct CommandIdentityTests {
    /// A command, and the one by which another device undoes it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lost: @Sendable (CommandID) -> ClientFrame.Request
        let other: ClientFrame.Request
    }

    static let cases = [
        Case(testDescription: "join", lost: { .join(room, command: $0) }, other: .leave(room, command: .random())),
        Case(testDescription: "leave", lost: { .leave(room, command: $0) }, other: .join(room, command: .random())),
        Case(
            testDescription: "settings", lost: { .settings(room, SettingsChange(isMuted: true), command: $0) },
            other: .settings(room, SettingsChange(isMuted: false), command: .random())),
        Case(
            testDescription: "moderate",
            lost: { .moderate(room: room, command: $0, .ban(UserName("cid")!)) },
            other: .moderate(room: room, command: .random(), .unban(UserName("cid")!))),
    ]

    /// The command changes something, or nothing because it was done before.
    @Test(arguments: cases, [false, true])
    func aCommandThatIsSentAgainAfterACutGetsItsFirstAnswer(example: Case, isDoneBefore: Bool) async throws {
        let server = try ServerUnderTest()
        let other = try await server.join(as: "bob")
        #expect(try await other.answer(to: .create(.random(), .open(room))).errorCode == nil)
        if example.testDescription == "join" { _ = try await other.answer(to: .leave(room, command: .random())) }
        if isDoneBefore { _ = try await other.answer(to: example.lost(.random())) }
        let watcher = try await server.follow(as: "ann")
        let (device, command) = (try await server.join(as: "bob"), CommandID.random())
        device.send(example.lost(command))
        let committed = try await watcher.diff().to
        device.close()
        let undone = try #require(try await other.answer(to: example.other).revision)

        let again = try await server.join(as: "bob").answer(to: example.lost(command))

        #expect(again.revision == committed)
        #expect(undone == committed + 1)
        #expect(try await other.answer(to: example.other.again).revision == undone + 1, "the repeat took no revision")
    }

    @Test func oneMessageIsFetchedByItsId() async throws {
        try #expect(ProtocolDocuments.has("With a `limit` of 1 it comes alone"))
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        let ids = (1...5).map { _ in MessageID.random() }
        for id in ids { _ = try await ann.answer(to: .say("hello", id: id)) }

        for id in ids {
            guard
                case .page(_, lobby, _, let page as ListPage<Message>) = try await ann.answer(
                    to: .page(lobby, .around(.id(id)), limit: 1))
            else { throw Unexpected() }
            #expect(page.rows.map(\.id) == [id])
        }
    }
}

extension ClientFrame.Request {
    /// The same request as another command.
    fileprivate var again: Self {
        switch self {
        case .join(let room, _): .join(room, command: .random())
        case .leave(let room, _): .leave(room, command: .random())
        case .settings(let room, let change, _): .settings(room, change, command: .random())
        case .moderate(let room, _, let moderation): .moderate(room: room, command: .random(), moderation)
        default: self
        }
    }
}
