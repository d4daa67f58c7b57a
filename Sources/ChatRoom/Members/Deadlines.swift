import ChatWire

/// A deadline for each of several people.
struct Deadlines: Sendable {
    private var times: [UserName: Duration] = [:]

    /// - Complexity: O(people).
    var earliest: Duration? { times.values.min() }

    var isEmpty: Bool { times.isEmpty }

    subscript(name: UserName) -> Duration? { times[name] }

    func contains(_ name: UserName) -> Bool { times[name] != nil }

    mutating func set(_ name: UserName, at time: Duration) {
        times[name] = time
    }

    mutating func cancel(_ name: UserName) {
        times[name] = nil
    }

    /// Removes the people whose deadline has passed, and returns them in the order of their deadlines.
    ///
    /// - Complexity: O(people).
    mutating func removeExpired(upTo now: Duration) -> [UserName] {
        let due = times.filter { $0.value <= now }
        for name in due.keys { times[name] = nil }
        return due.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }
}
