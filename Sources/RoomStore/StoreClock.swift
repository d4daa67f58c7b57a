import ChatRoom
package import ChatWire
import Locking

/// Gives the instants of a ``StoreTime``, to any thread.
package final class StoreClock: Sendable {
    private let time: Guarded<StoreTime>
    private let timeOfDay: @Sendable () -> Milliseconds
    private static let start = ContinuousClock.now

    /// - Parameters:
    ///   - time: the time of day by the clock that the store goes by; `nil` for the server's own.
    ///   - lead: the time by which the store's time was last ahead of that clock.
    ///   - latest: no instant that the store has given is later.
    ///   - timeOfDay: returns the time of day by the server's clock, which may jump.
    package init(
        at time: Milliseconds? = nil, lead: Milliseconds, after latest: Milliseconds,
        _ timeOfDay: @escaping @Sendable () -> Milliseconds
    ) {
        self.timeOfDay = timeOfDay
        self.time = Guarded(
            StoreTime(at: time ?? timeOfDay(), elapsed: Self.elapsed, lead: lead, after: latest))
    }

    package var now: Milliseconds { time.withLock { $0.instant(elapsed: Self.elapsed) } }

    /// The time by which it is ahead of the time of day; negative if it is behind. A little counts as nothing.
    package var lead: Milliseconds {
        let lead = now - timeOfDay()
        return abs(lead) > StoreTime.tolerance ? lead : 0
    }

    /// See ``StoreTime/follow(_:elapsed:)``.
    package func follow(_ instant: Milliseconds, elapsed: Milliseconds) {
        time.withLock { $0.follow(instant, elapsed: elapsed) }
    }

    /// Returns the instant of a time on ``elapsed``, without giving it.
    package func instant(at elapsed: Milliseconds) -> Milliseconds {
        time.withLock { time in
            var copy = time
            return copy.instant(elapsed: elapsed)
        }
    }

    /// The time since some moment of this process, by a clock that does not jump.
    package static var elapsed: Milliseconds { Milliseconds(start.duration(to: .now) / .milliseconds(1)) }
}
