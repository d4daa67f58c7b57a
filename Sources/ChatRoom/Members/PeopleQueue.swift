import ChatWire

/// A queue of people in the order of their turns. Turns only grow, so a new person comes last.
struct PeopleQueue: Sendable {
    private var places: ArraySlice<(turn: UInt64, name: UserName)> = []

    var count: Int { places.count }
    /// The turn of the first person.
    var first: UInt64? { places.first?.turn }
    var names: some Sequence<UserName> { places.lazy.map(\.name) }

    /// - Precondition: no entry of the queue has a higher turn.
    mutating func append(_ name: UserName, _ turn: UInt64) {
        precondition(places.last.map { $0.turn < turn } ?? true, "turn \(turn) is not the last")
        places.append((turn, name))
    }

    /// - Complexity: O(log *n*), and the move of those behind.
    mutating func remove(_ turn: UInt64) {
        let place = places.partitioningIndex { $0.turn >= turn }
        if place < places.endIndex, places[place].turn == turn { places.remove(at: place) }
    }

    mutating func popFirst() -> UserName? {
        places.popFirst()?.name
    }
}
