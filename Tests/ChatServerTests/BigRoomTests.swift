import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct BigRoomTests {
    private let folder = TemporaryFolder()

    /// A week of edits costs a reader that was away only the net changes, also after a restart of the server.
    @Test
    func aRoomOf100000MessagesAnswersAResumeWithTheThreeThatChanged() async throws {
        let ids = try fill(100_000)
        let server = try ServerUnderTest(store: StoreOfTheRun.current.open(in: folder))
        let ann = try await server.join(as: "ann")
        let epoch = try await ann.epoch()
        for id in [ids[5], ids[50_000], ids[99_999]] {
            _ = try await ann.answer(to: .edit(room: room, command: .random(), id: id, "edited"))
        }

        let resume = Resume(epoch: epoch, revision: 100_000, joined: 0)
        let answer = try await ann.answer(to: .subscribe(lobby, limit: 50, resume: resume))

        guard case .diff(_, _, _, let diff as ListDiff<Message>) = answer else { throw Unexpected() }
        #expect(diff.changeCount == 3 && diff.reloads.count == 3 && diff.proof.count == 100_000)
    }

    private func fill(_ count: Int) throws -> [MessageID] {
        let store = try StoreOfTheRun.current.open(in: folder)
        let ids = (0..<count).map { _ in MessageID.random() }
        for start in stride(from: 0, to: count, by: 5_000) {
            let batch = ids[start..<min(start + 5_000, count)].map { id in
                Operation(
                    command: id, author: UserName("ann")!, role: .write, time: 0,
                    action: .send("message"))
            }
            _ = try store.commit(batch.map { RoomOperation(room: room, operation: $0) })
        }
        return ids
    }
}
