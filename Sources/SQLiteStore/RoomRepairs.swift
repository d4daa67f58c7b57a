import ChatWire
import Locking

/// The repairs of damaged rooms while they are served.
final class RoomRepairs: Sendable {
    /// The outcome of a repair. The room is read again if it has changed.
    enum Result {
        case changed, unchanged
    }

    private struct State: Sendable {
        var results: [RoomName: (time: ContinuousClock.Instant, result: Result)] = [:]
        /// The messages that a repair has left damaged, by their sort keys.
        var irreparable: [RoomName: Set<UInt64>] = [:]
        var faults = 0
    }

    private let state = Guarded(State())

    /// The least time between two repairs of one room, each of which reads all of the room.
    private static let pause = Duration.seconds(60)
    /// The most rooms that are remembered, and the most messages of each.
    private static let most = 1_000

    /// The number of faults that were found.
    var faults: Int { state.withLock(\.faults) }

    /// Returns the result of the last repair of a room; `nil` if it is time for another one.
    func recent(_ room: RoomName) -> Result? {
        state.withLock { state in
            guard let (time, result) = state.results[room], .now - time < Self.pause else { return nil }
            return result
        }
    }

    /// Returns whether damaged messages of a room may be repaired: none was tried with this room of late, and one of
    /// them is not known to be irreparable.
    func isDue(_ room: RoomName, for sorts: Set<UInt64>) -> Bool {
        recent(room) == nil && state.withLock { !sorts.isSubset(of: $0.irreparable[room] ?? []) }
    }

    func noteIrreparable(_ sorts: Set<UInt64>, of room: RoomName) {
        state.withLock { state in
            if state.irreparable.count >= Self.most { state.irreparable = [:] }
            let known = state.irreparable[room] ?? []
            state.irreparable[room] = known.count < Self.most ? known.union(sorts) : sorts
        }
    }

    func note(_ outcome: LiveRepair.Outcome, of room: RoomName) -> Result {
        let result: Result = outcome.repaired.isEmpty ? .unchanged : .changed
        state.withLock { state in
            if state.results.count >= Self.most { state.results = [:] }
            if state.results[room] == nil { state.faults += outcome.repaired.count + outcome.remaining.count }
            state.results[room] = (.now, result)
        }
        return result
    }
}

extension LiveRepair.Outcome {
    private static let most = 20

    /// The lines for the operator.
    func notices(of room: RoomName) -> [String] {
        let lines =
            repaired.map { "room \(room) is damaged, and was repaired from its operations: \($0)" }
            + remaining.map {
                "room \(room) is damaged, and its operations do not say what is right: \($0): "
                    + "end the server and run diffroomd check --repair, or put a backup in its place"
            }
        return lines.prefix(Self.most) + (lines.count > Self.most ? ["room \(room): \(lines.count) faults in all"] : [])
    }
}
