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
    /// Rooms with nobody in them, kept for whom they remember; numbered in the order in which they became that.
    private var resting: [RoomName: UInt64] = [:]
    private var lastRest: UInt64 = 0

    init(index: Int, environment: RoomEnvironment) {
        queue = DispatchQueue(label: "diffroom.rooms.\(index)", qos: .userInitiated)
        self.environment = environment
    }

    /// Any thread. Requests of one thread arrive in its order, and are answered in the order of what the room publishes:
    /// a page never comes after news that it does not know.
    func receive(_ request: SessionRequest, from reader: Reader, for name: RoomName) {
        queue.async { self.visit(name) { $0.receive(request, from: reader) } }
    }

    /// Any thread.
    func fellBehind(_ reader: Reader, of list: ListName, at revision: Revision) {
        let start = ContinuousClock.now
        queue.async { self.visit(list.room) { $0.fellBehind(reader, of: list, at: revision, since: start) } }
    }

    /// Any thread.
    func receive(_ input: RoomState.Input, for name: RoomName) {
        queue.async { self.visit(name) { $0.receive(input) } }
    }

    /// Any thread.
    func committed(_ outcomes: [RoomName: Outcomes], of batch: CommittedBatch) {
        queue.async {
            for (name, outcomes) in outcomes {
                self.visit(name) { $0.receive(outcomes, of: batch) }
            }
            if batch.isPublishedWithThisPart() { self.environment.outlet.release() }
        }
    }

    /// Any thread. What the store answered to the room.
    func answered(_ name: RoomName, _ take: @escaping @Sendable (Room) -> Void) {
        queue.async { self.visit(name, take) }
    }

    /// Any thread. What another server did is nothing to a room that is not here.
    func announced(_ revision: Revision, for name: RoomName) {
        queue.async {
            if self.rooms[name] != nil { self.visit(name) { $0.receive(.announced(revision)) } }
        }
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

    /// A timer that wakes the room; to be activated.
    func alarm(for name: RoomName) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.wake(name) }
        return timer
    }

    private func wake(_ name: RoomName) {
        if rooms[name] != nil { visit(name) { $0.wake() } }
    }

    private func visit(_ name: RoomName, _ body: (Room) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        let room = rooms[name] ?? Room(name, shard: self, environment: environment)
        room.follow()
        body(room)
        if room.isResting { room.stopFollowing() }
        rooms[name] = room.isEmpty ? nil : room
        if room.isResting, !room.isEmpty { rest(name) } else { resting[name] = nil }
    }

    /// Keeps the room, but not too many: then half are forgotten, those that have rested longest.
    private func rest(_ name: RoomName) {
        guard resting[name] == nil else { return }
        lastRest += 1
        resting[name] = lastRest
        guard resting.count > environment.restingRooms else { return }
        for (name, _) in resting.sorted(by: { $0.value < $1.value }).prefix((resting.count + 1) / 2) {
            resting[name] = nil
            rooms[name] = nil
        }
    }
}
