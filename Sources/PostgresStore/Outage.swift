import Glibc
import Locking
import RoomStore
import Synchronization

/// Since when one role has got nothing from the database, and how long its callers wait: each at most as long as the role's
/// patience, and none for an outage that has lasted for longer.
final class Outage: Sendable {
    private struct State: Sendable {
        var since: ContinuousClock.Instant?
        /// Once callers are told at once, one of them looks again from here on.
        var nextLook = ContinuousClock.now
        var failure = PostgresFailure.late
    }

    private let patience: Duration
    /// What a call gets, however long the outage has lasted.
    private let least: Duration
    private let state = Guarded(State())
    private let isHurried = Atomic(false)

    private static let pause = Duration.milliseconds(100)

    init(patience: Duration, least: Duration = .seconds(2)) {
        (self.patience, self.least) = (patience, least)
    }

    /// From now on nobody waits.
    func hurry() {
        isHurried.store(true, ordering: .relaxed)
    }

    /// Ends an outage of which something else found the end: the next caller tries, and waits as one in quiet times does.
    func clear() {
        state.withLock { ($0.since, $0.nextLook) = (nil, .now) }
    }

    /// Tries until it succeeds, until what fails would fail again, or until the time is over; collisions are tried again
    /// at once.
    ///
    /// - Parameter attempt: gets the time at which it is to have ended.
    func persist<Result>(
        _ attempt: (ContinuousClock.Instant) throws(PostgresFailure) -> Result
    ) throws(PostgresFailure) -> Result {
        let call = ContinuousClock.now
        while true {
            let begin = ContinuousClock.now
            let end = try end(ofCall: call, at: begin)
            do throws(PostgresFailure) {
                let result = try attempt(max(end, call + least))
                state.withLock { $0.since = nil }
                return result
            } catch {
                guard error.isPassing || error.isCollision else { throw error }
                let pause = error.isCollision ? .zero : Self.pause
                note(error, at: begin)
                // The next attempt may well take as long as this one.
                let next = ContinuousClock.now + pause
                guard next + min(next - begin, least) < end, !isHurried.load(ordering: .relaxed) else { throw error }
                usleep(UInt32(pause / .microseconds(1)))
            }
        }
    }

    /// When a call is told at the latest.
    private func end(
        ofCall call: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) throws(PostgresFailure) -> ContinuousClock.Instant {
        try state.withLock { (state) throws(PostgresFailure) in
            let end = min(call, state.since ?? call) + patience
            guard patience > .zero, now >= end else { return end }
            guard now >= state.nextLook else { throw state.failure }
            state.nextLook = now + least
            return end
        }
    }

    private func note(_ failure: PostgresFailure, at begin: ContinuousClock.Instant) {
        state.withLock { state in
            state.since = state.since ?? begin
            state.failure = failure
            state.nextLook = max(state.nextLook, .now + Self.pause)
        }
    }
}
