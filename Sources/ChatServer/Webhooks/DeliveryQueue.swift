package import ChatWire

/// The rooms with operations to deliver, and the time at which each is tried. It is a pure state and performs nothing.
///
/// Each room has at most one post under way, and the rooms take turns. A room that fails delays no other one.
///
/// - Shape: at most ``most`` rooms. The store knows the others.
/// - Complexity: O(1) amortised, but O(rooms) for ``wake(at:)`` and ``earliest``.
package struct DeliveryQueue: Sendable {
    private enum Phase {
        /// Next: `underWay`.
        case waiting
        /// Next: gone, `waiting`, `resting`. `isStale`: more was committed meanwhile.
        case underWay(isStale: Bool)
        /// The last attempt failed. Next: `waiting`.
        case resting(until: Duration)
    }

    private struct Entry {
        var phase = Phase.waiting
        /// The number of consecutive failures.
        var failures = 0
        /// The arrival of the first operation that is not delivered.
        var since: Duration
    }

    package enum Outcome: Equatable, Sendable {
        /// - Parameter more: whether the room has more to deliver.
        case delivered(more: Bool)
        /// - Parameter jitter: 0 to 1.
        case failed(jitter: Double)
    }

    package static let most = 10_000

    private var entries: [RoomName: Entry] = [:]
    private var waiting: [RoomName] = []
    private var head = 0
    /// The arrivals of rooms, oldest first. The first entry still waits.
    private var arrivals: [(room: RoomName, since: Duration)] = []
    private var firstArrival = 0

    package init() {}

    /// True when there were more rooms than the queue holds.
    package private(set) var hasOverflowed = false

    package var count: Int { entries.count }

    /// Returns whether the queue has room again after an overflow, and clears ``hasOverflowed`` if so.
    package mutating func endOverflow() -> Bool {
        guard hasOverflowed, entries.count <= Self.most / 2 else { return false }
        hasOverflowed = false
        return true
    }

    /// Enqueues a room that has operations to deliver.
    package mutating func enqueue(_ room: RoomName, at now: Duration) {
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

    /// Removes the next room.
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
        case .delivered(let more) where more || isStale:
            enter(room, at: now)
            dropArrivals()
            return
        case .delivered:
            entries[room] = nil
            dropArrivals()
            return
        case .failed(let jitter):
            entry.failures += 1
            entry.phase = .resting(until: now + Self.rest(after: entry.failures, jitter))
        }
        entries[room] = entry
    }

    /// Drops the entries at the front whose rooms no longer wait.
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

    /// Queues the rooms again whose rest is over.
    package mutating func wake(at now: Duration) {
        for (room, entry) in entries {
            guard case .resting(let until) = entry.phase, until <= now else { continue }
            entries[room]?.phase = .waiting
            waiting.append(room)
        }
    }

    /// The time at which the first resting room is due.
    package var earliest: Duration? {
        entries.values.compactMap { if case .resting(let until) = $0.phase { until } else { nil } }.min()
    }

    /// The arrival of the room that has waited longest.
    package var oldest: Duration? { firstArrival < arrivals.count ? arrivals[firstArrival].since : nil }

    /// Returns the rest after a failure: a second, doubled each time, a minute at most.
    ///
    /// Half of it is fixed and the rest random, so that rooms that failed together are not all tried together.
    private static func rest(after failures: Int, _ jitter: Double) -> Duration {
        let whole = min(Duration.seconds(60), .seconds(1) * (1 << min(failures - 1, 6)))
        return whole * (0.5 + 0.5 * jitter)
    }
}
