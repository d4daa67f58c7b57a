import ChatRoom
import ChatServer
import ChatWire
import Replicas
import TestSupport
import Testing

/// One request that marks all as read in several rooms.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ReadRoomsTests {
    private static let rooms = ["lobby", "quiet", "tea"].map { RoomName($0)! }

    private func server(shards: Int = 1, _ configure: (inout ChatServerConfiguration) -> Void = { _ in }) throws
        -> ServerUnderTest
    {
        try ServerUnderTest {
            $0.shards = shards
            $0.members.tick = .milliseconds(20)
            configure(&$0)
        }
    }

    /// Ann is a member of all rooms, and bob has said something in each.
    private func ann(at server: ServerUnderTest) async throws -> RoomsWatcher {
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await server.join(as: "bob")
        for room in Self.rooms {
            _ = try await ann.answer(to: .join(room, command: .random()))
            _ = try await bob.answer(to: .send(room: room, id: .random(), "hello"))
        }
        try await ann.until { $0.list.rows.map(\.light.unread) == [1, 1, 1] }
        return ann
    }

    @Test(arguments: [1, 4])
    func eachRoomIsReadUpToItsEndWithOneAnswer(shards: Int) async throws {
        try #expect(ProtocolDocuments.has("One room's error changes nothing for the others."))
        let server = try server(shards: shards)
        let ann = try await ann(at: server)
        let (gone, secret) = (RoomName("gone")!, RoomName(privateRoomOf: .random()))
        let asked = [Self.rooms[2], gone, Self.rooms[0], secret, Self.rooms[1]]

        let answer = try await ann.answer(to: .readRooms(asked))

        guard case .roomsRead(_, let results) = answer else { throw Unexpected() }
        #expect(results.map(\.room) == asked)
        #expect(results.map { try? $0.result.get() } == [2, nil, 2, nil, 2])
        for case .failure(let error) in results.map(\.result) { #expect(error.reason == .notMember) }
        try await ann.until { $0.list.rows.map(\.light.unread) == [0, 0, 0] }
    }

    @Test func itCountsAsOneFrameForEachRoom() async throws {
        try #expect(ProtocolDocuments.has("For `rates.frames` it counts as one frame for each room."))
        let server = try server { $0.allowances.commands = Rate(1, in: 3_600_000, burst: 3) }
        let ann = try await server.join(as: "ann")
        let rooms = (0..<20).map { RoomName("room-\($0)")! }

        guard case .roomsRead = try await ann.answer(to: .readRooms(rooms)) else { throw Unexpected() }
        let next = try await ann.answer(to: .read(Self.rooms[0], nil))

        guard case .error(_, let error) = next else { throw Unexpected() }
        #expect(error.reason == .frames && error.retryAfter ?? 0 > 15 * 3_600_000)
    }

    @Test func aConnectionThatIsGoneBeforeTheAnswerIsForgotten() async throws {
        let server = try server(shards: 4)
        let ann = try await ann(at: server)
        for _ in 0..<8 {
            let gone = try await server.join(as: "ann")
            gone.send(.readRooms(Self.rooms))
            gone.close()
        }

        guard case .roomsRead(_, let results) = try await ann.answer(to: .readRooms(Self.rooms)) else {
            throw Unexpected()
        }
        #expect(results.map { try? $0.result.get() } == [2, 2, 2])
    }
}
