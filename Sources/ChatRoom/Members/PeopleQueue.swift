import ChatWire

/// A queue of people in the order of their sort keys. Sort keys only grow, so a new person comes last.
struct PeopleQueue: Sendable {
    private var places: ArraySlice<(sort: UInt64, name: UserName)> = []

    var count: Int { places.count }
    /// The sort key of the first person.
    var first: UInt64? { places.first?.sort }

    /// - Precondition: no entry of the queue has a higher `sort`.
    mutating func append(_ name: UserName, _ sort: UInt64) {
        precondition(places.last.map { $0.sort < sort } ?? true, "sort \(sort) is not the last")
        places.append((sort, name))
    }

    /// - Complexity: O(log *n*), and the move of those behind.
    mutating func remove(_ sort: UInt64) {
        let place = places.partitioningIndex { $0.sort >= sort }
        if place < places.endIndex, places[place].sort == sort { places.remove(at: place) }
    }

    mutating func popFirst() -> UserName? {
        places.popFirst()?.name
    }
}
