import ChatRoom
import ChatServer
import ChatWire
import Replicas
import RoomStore
import TestSupport
import Testing

/// A person with more rooms than a `resume` can name.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct ManyRoomsTests {
    private static let ann = UserName("ann")!
    private static let names = (0..<2_000).map { RoomName("room-\($0)")! }

    private func act(_ action: RoomAction, by user: UserName, in room: RoomName, at time: Milliseconds) -> RoomOperation
    {
        RoomOperation(
            room: room, operation: Operation(command: .random(), author: user, role: .write, time: time, action: action)
        )
    }

    /// The answer to a subscribe, and the bytes of both frames.
    private func answer(
        at server: ServerUnderTest, resuming resume: Resume?
    ) async throws -> (frame: ServerFrame, asked: Int, answered: Int) {
        let request = ClientFrame.Request.subscribe(.myRooms, limit: 5_000, resume: resume)
        let frame = try await server.join(as: "ann").answer(to: request)
        return (frame, ClientFrame(ref: 2, request: request).json.count, frame.json.count)
    }

    /// After a restart 3 of 2,000 rooms have changed.
    @Test func afterARestartOnlyTheGroupsThatDifferCome() async throws {
        try #expect(
            ProtocolDocuments.has(
                "A row that you hold in one of these groups, and that the diff does not name, is gone."))
        let folder = TemporaryFolder()
        let store = try StoreOfTheRun.current.open(in: folder)
        for (number, name) in Self.names.enumerated() where number % 500 == 0 {
            _ = try store.commit(
                Self.names[number..<number + 500].enumerated().map { place, room in
                    act(.join, by: Self.ann, in: room, at: Milliseconds(1_000 * (number + place)))
                })
            _ = name
        }
        let first = try ServerUnderTest(store: store)
        let (before, _, whole) = try await answer(at: first, resuming: nil)
        guard case .snapshot(_, .myRooms, let snapshot as ServerFrame.Snapshot<MyRoom>) = before else {
            throw Unexpected()
        }
        var held = try Replica(snapshot)
        #expect(held.rows.count == 2_000)
        first.server.drain()
        let changed = [Self.names[3], Self.names[700], Self.names[1_999]]
        for (number, room) in changed.enumerated() {
            let said = RoomAction.send("hello")
            _ = try store.commit([act(said, by: UserName("bob")!, in: room, at: 9_000_000 + Milliseconds(number))])
        }

        let second = try ServerUnderTest(store: store)
        let (after, asked, answered) = try await answer(at: second, resuming: held.resume())

        guard case .diff(_, .myRooms, let epoch, let diff as ListDiff<MyRoom>) = after else { throw Unexpected() }
        try held.apply(diff, epoch: epoch)
        #expect(diff.groups?.count == 3 && diff.insertions.count < 60)
        #expect(held.rows.suffix(3).map(\.id) == changed && held.rows.count == 2_000)
        #expect(held.rows.suffix(3).allSatisfy { $0.light.unread == 1 })
        #expect(asked + answered < whole / 10, "\(asked) + \(answered) of \(whole)")
    }
}
