package import ChatWire

/// Which rooms have something to be told, and when each is to be tried: one post of a room at a time, rooms in turn, and
/// one that fails waits for itself alone. Decides; does nothing.
///
/// - Shape: at most ``most`` rooms. Which others there are the store knows.
/// - Complexity: O(1) amortised, but O(rooms) for ``wake(at:)`` and ``earliest``.
package struct DeliveryQueue: Sendable {
    private enum Phase {
        /// → `underWay`
        case waiting
        /// → gone, `waiting`, `resting`. `isStale`: something was committed meanwhile.
        case underWay(isStale: Bool)
        /// It has failed. → `waiting`
        case resting(until: Duration)
    }

    private struct Entry {
        var phase = Phase.waiting
        /// In a row.
        var failures = 0
        /// When its first operation was there that is not told.
        var since: Duration
    }

    package enum Outcome: Equatable, Sendable {
        /// - Parameter more: there is more of it.
        case told(more: Bool)
        /// - Parameter jitter: 0 to 1.
        case failed(jitter: Double)
    }

    package static let most = 10_000

    private var entries: [RoomName: Entry] = [:]
    private var waiting: [RoomName] = []
    private var head = 0
    /// Since when rooms wait, oldest first, of which the first one still does.
    private var arrivals: [(room: RoomName, since: Duration)] = []
    private var firstArrival = 0

    package init() {}

    /// There were more rooms than it may hold.
    package private(set) var hasOverflowed = false

    package var count: Int { entries.count }

    /// Whether it has room for those that it could not hold; they are forgotten with that.
    package mutating func takesMore() -> Bool {
        guard hasOverflowed, entries.count <= Self.most / 2 else { return false }
        hasOverflowed = false
        return true
    }

    /// There is something to be told of a room.
    package mutating func note(_ room: RoomName, at now: Duration) {
        switch entries[room]?.phase {
        case .underWay?: entries[room]?.phase = .underWay(isStale: true)
        case .waiting?, .resting?: break
        case nil where entries.count >= Self.most: hasOverflowed = true
        case nil:
            enter(room, at: now)
        }
    }

    private mutating func enter(_ room: RoomName, at now: Duration) {
        entries[room] = Entry(since: now)
        arrivals.append((room, now))
        waiting.append(room)
    }

    /// The next room whose turn it is.
    package mutating func next() -> RoomName? {
        guard head < waiting.count else { return nil }
        let room = waiting[head]
        head += 1
        if head * 2 > waiting.count {
            waiting.removeFirst(head)
            head = 0
        }
        entries[room]?.phase = .underWay(isStale: false)
        return room
    }

    package mutating func finished(_ room: RoomName, _ outcome: Outcome, at now: Duration) {
        guard var entry = entries[room], case .underWay(let isStale) = entry.phase else {
            preconditionFailure("\(room) is not under way")
        }
        switch outcome {
        case .told(let more) where more || isStale:
            enter(room, at: now)
            dropArrivals()
            return
        case .told:
            entries[room] = nil
            dropArrivals()
            return
        case .failed(let jitter):
            entry.failures += 1
            entry.phase = .resting(until: now + Self.rest(after: entry.failures, jitter))
        }
        entries[room] = entry
    }

    /// Lets go of those at the front that wait no longer.
    private mutating func dropArrivals() {
        while firstArrival < arrivals.count,
            entries[arrivals[firstArrival].room]?.since != arrivals[firstArrival].since
        {
            firstArrival += 1
        }
        if firstArrival * 2 > arrivals.count {
            arrivals.removeFirst(firstArrival)
            firstArrival = 0
        }
    }

    /// Those that have rested enough wait for their turn again.
    package mutating func wake(at now: Duration) {
        for (room, entry) in entries {
            guard case .resting(let until) = entry.phase, until <= now else { continue }
            entries[room]?.phase = .waiting
            waiting.append(room)
        }
    }

    /// When the first of those that rest is to be woken.
    package var earliest: Duration? {
        entries.values.compactMap { if case .resting(let until) = $0.phase { until } else { nil } }.min()
    }

    /// Since when the room waits that has waited longest.
    package var oldest: Duration? { firstArrival < arrivals.count ? arrivals[firstArrival].since : nil }

    /// A second, twice as long each time, a minute at most; of that, half and a part by chance, so that rooms that failed
    /// together are not all tried together.
    private static func rest(after failures: Int, _ jitter: Double) -> Duration {
        let whole = min(Duration.seconds(60), .seconds(1) * (1 << min(failures - 1, 6)))
        return whole * (0.5 + 0.5 * jitter)
    }
}
