import ChatRoom
import ChatWire
import Dispatch

/// The rooms of one serial queue. Each room belongs to one shard for good, so room code needs no locks.
final class RoomShard: @unchecked Sendable {
    // @unchecked: `rooms` is only touched on `queue`, which every method that touches it requires.
    typealias Outcomes = [(ticket: Ticket, outcome: CommitOutcome)]

    private let queue: DispatchQueue
    private let environment: RoomEnvironment
    private var rooms: [RoomName: Room] = [:]

    init(index: Int, environment: RoomEnvironment) {
        queue = DispatchQueue(label: "diffroom.rooms.\(index)", qos: .userInitiated)
        self.environment = environment
    }

    /// Any thread. Inputs of one thread arrive in its order.
    func receive(_ input: RoomState.Input, for name: RoomName) {
        queue.async { self.visit(name) { $0.receive(input) } }
    }

    /// Any thread.
    func committed(_ outcomes: [RoomName: Outcomes]) {
        queue.async {
            for (name, outcomes) in outcomes { self.visit(name) { $0.receive(.committed(outcomes)) } }
        }
    }

    /// Any thread. The answer is sent in the order of what the room publishes: never after news that it does not know.
    func page(_ name: RoomName, for reader: Reader, ref: UInt64, before: UInt64, limit: Int) {
        queue.async { self.visit(name) { $0.page(for: reader, ref: ref, before: before, limit: limit) } }
    }

    /// Any thread. Work for the store that is no room's, one after the other as the rooms' own.
    func async(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Returns when everything that was received before has been done.
    func flush() {
        queue.sync {}
    }

    /// Rooms in memory. Not on `queue`.
    var roomCount: Int {
        queue.sync { rooms.count }
    }

    private func visit(_ name: RoomName, _ body: (Room) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        let room = rooms[name] ?? Room(name, shard: self, environment: environment)
        body(room)
        rooms[name] = room.isIdle ? nil : room
    }
}
