import ChatRoom
import ChatServer
import ChatWire
import TestSupport
import Testing

/// Open rooms that somebody creates, over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct OpenRoomTests {
    private static let tea = RoomName("tea")!
    private let new = NewRoom.open(tea, title: RoomTitle("Tea"))

    private func server(_ configure: (inout ChatServerConfiguration) -> Void = { _ in }) throws -> ServerUnderTest {
        try ServerUnderTest {
            $0.members.tick = .milliseconds(20)
            configure(&$0)
        }
    }

    @Test func itsMakerOwnsItAtOnceAndWhoeverFollowedItsNameSeesIt() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await server.join(as: "bob")
        _ = try await bob.answer(to: .subscribe(.messages(Self.tea), limit: 50, resume: nil))

        let answer = try await ann.answer(to: .create(.random(), new))
        #expect(answer.effect == .init(list: .messages(Self.tea), revision: 1))
        try await ann.until { $0.names == ["tea"] }
        #expect(ann["tea"]?.section == .rooms && ann["tea"]?.light.title == RoomTitle("Tea"))
        let told = ServerFrame.standing(Self.tea, RoomStanding(role: .write, title: RoomTitle("Tea")))
        while try await bob.frame() != told {}

        func slower() -> ClientFrame.Request { .moderate(room: Self.tea, command: .random(), .slowMode(1_000)) }
        #expect(try await bob.answer(to: slower()).errorCode == .forbidden)
        #expect(try await ann.answer(to: slower()).effect?.revision == 2)
    }

    @Test func aNameThatIsTakenIsAConflictAndARepeatIsNot() async throws {
        let server = try server()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        let command = CommandID.random()
        _ = try await bob.answer(to: .join(RoomName("lobby")!))

        #expect(try await ann.answer(to: .create(command, new)).effect?.revision == 1)
        #expect(try await bob.answer(to: .create(.random(), new)).errorCode == .conflict)
        #expect(try await ann.answer(to: .create(command, new)).effect?.revision == 1)
        #expect(try await ann.answer(to: .create(.random(), .open(RoomName("lobby")!))).errorCode == .conflict)
    }

    @Test func itCountsAgainstTheRateOfNewRooms() async throws {
        let server = try server { $0.allowances.rooms = Rate(1, in: 3_600_000, burst: 1) }
        let ann = try await server.join(as: "ann")

        #expect(try await ann.answer(to: .create(.random(), new)).errorCode == nil)
        #expect(try await ann.answer(to: .create(.random(), .open(RoomName("juice")!))).errorCode == .rateLimited)
    }

    @Test func itNeedsAGrantToWriteUnderItsName() async throws {
        let mint = Mint()
        let keyring = try mint.keyring(leeway: 60_000)
        let server = try server { $0.keyring = keyring }
        let ann = try server.connect()
        _ = try await ann.answer(to: .hello(.token(mint.token("ann", ["*": .read, "tea*": .write]))))

        #expect(try await ann.answer(to: .create(.random(), .open(RoomName("support")!))).errorCode == .forbidden)
        #expect(try await ann.answer(to: .create(.random(), new)).errorCode == nil)
    }
}
