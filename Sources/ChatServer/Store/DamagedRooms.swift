import ChatWire

/// Rooms whose data was found damaged. Nothing is tried with them for a while, because each try repeats the operations
/// that came together with theirs.
struct DamagedRooms {
    private var found: [RoomName: ContinuousClock.Instant] = [:]

    private static let pause = Duration.seconds(10)

    mutating func note(_ room: RoomName, at now: ContinuousClock.Instant) {
        found[room] = now
    }

    /// - Complexity: O(1) while there are none.
    mutating func forget(at now: ContinuousClock.Instant) {
        if !found.isEmpty { found = found.filter { now - $0.value < Self.pause } }
    }

    var isEmpty: Bool { found.isEmpty }

    func contains(_ room: RoomName) -> Bool { found[room] != nil }
}
