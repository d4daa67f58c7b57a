/// The time that counts for hello. While the process is stopped, the machine sleeps or an event loop stands still, a hello
/// may be there that no loop reads: the clock stands still meanwhile.
struct HelloClock: Sendable {
    private var seen: ContinuousClock.Instant?
    /// The time that did not count so far.
    private var lost = Duration.zero

    /// A longer time between two looks, or without a turn of an event loop, is a pause.
    private static let most = Duration.seconds(1)

    /// Returns the clock's time, as far as it is known that it stood still.
    func time(at now: ContinuousClock.Instant) -> ContinuousClock.Instant { now - lost }

    /// Updates the clock. A pause does not count.
    mutating func update(at now: ContinuousClock.Instant, silence: Duration) -> ContinuousClock.Instant {
        let passed = seen.map { max(.zero, now - $0) } ?? .zero
        lost += silence > Self.most ? passed : max(.zero, passed - Self.most)
        seen = now
        return time(at: now)
    }
}
