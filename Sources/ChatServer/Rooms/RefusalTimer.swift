/// The times at which private and direct rooms refuse, so that the time of a refusal tells nothing of the room.
///
/// A request is refused on the second tick after it came, or, if the store has not answered by then, on the first one after
/// the answer.
package struct RefusalTimer: Sendable {
    package var interval: Duration

    package init(every interval: Duration = .milliseconds(100)) {
        self.interval = interval
    }

    func next(after time: Duration) -> Duration {
        interval * ((time / interval).rounded(.down) + 1)
    }

    /// Returns how long the refusal of a request that came at `arrival` must still wait at `now`.
    func refusal(ofRequestAt arrival: Duration, by now: Duration) -> Duration {
        max(next(after: next(after: arrival)), next(after: now)) - now
    }
}
