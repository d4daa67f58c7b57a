import ChatWire
import Dispatch
import RoomStore

/// Asks the store. A store that is another program's may take its time, and while it does, the rooms go on with what
/// they hold: the question waits on a lane of its own, and the answer comes back on the room's queue.
struct Readings: Sendable {
    typealias Question<Answer> = @Sendable (any RoomStore) throws(RoomStoreError) -> Answer

    let store: any RoomStore
    private let errors: StoreErrors
    /// None for a store in this process, which is asked at once.
    private let lanes: [DispatchQueue]

    /// Each holds a thread and a connection while it waits.
    private static let laneCount = 4

    init(_ store: any RoomStore, errors: StoreErrors) {
        self.store = store
        self.errors = errors
        let count = store.others == nil ? 0 : Self.laneCount
        lanes = (0..<count).map { DispatchQueue(label: "diffroom.read.\($0)", qos: .userInitiated) }
    }

    /// What is asked of one room is answered in its order.
    func ask<Answer: Sendable>(
        for room: Room, _ question: @escaping Question<Answer>,
        then take: @escaping @Sendable (Room, Result<Answer, RoomStoreError>) -> Void
    ) {
        guard !lanes.isEmpty else { return take(room, answer(question)) }
        let (name, shard) = (room.name, room.shard)
        ask(about: name, question) { answer in shard.answered(name) { take($0, answer) } }
    }

    /// - Parameter take: called on a thread where it may take its time, or at once.
    func ask<Answer: Sendable>(
        about room: RoomName, _ question: @escaping Question<Answer>,
        then take: @escaping @Sendable (Result<Answer, RoomStoreError>) -> Void
    ) {
        guard !lanes.isEmpty else { return take(answer(question)) }
        lanes[Int(UInt(bitPattern: room.hashValue) % UInt(lanes.count))].async { take(answer(question)) }
    }

    private func answer<Answer>(_ question: Question<Answer>) -> Result<Answer, RoomStoreError> {
        do throws(RoomStoreError) {
            return .success(try question(store))
        } catch {
            errors.note(error)
            return .failure(error)
        }
    }
}
