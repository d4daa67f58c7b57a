import Glibc
import Locking
import RoomStore
import Synchronization

/// An outage of the database, as one role sees it.
///
/// Each of the role's callers waits at most for the role's patience. Once the outage has lasted longer, none waits.
final class Outage: Sendable {
    private struct State: Sendable {
        var since: ContinuousClock.Instant?
        /// The time from which one of the callers tries again, when callers no longer wait.
        var nextLook = ContinuousClock.now
        var failure = PostgresFailure.late
    }

    private let patience: Duration
    /// The least time that a call gets, however long the outage has lasted.
    private let least: Duration
    private let state = Guarded(State())
    private let isCancelled = Atomic(false)

    private static let pause = Duration.milliseconds(100)

    init(patience: Duration, least: Duration = .seconds(2)) {
        (self.patience, self.least) = (patience, least)
    }

    /// Ends all waiting, from now on.
    func cancelWaiting() {
        isCancelled.store(true, ordering: .relaxed)
    }

    /// Ends an outage whose end was found elsewhere. The next caller tries, and waits as without an outage.
    func clear() {
        state.withLock { ($0.since, $0.nextLook) = (nil, .now) }
    }

    /// Repeats an attempt until it succeeds, until it fails in a way that a repetition cannot mend, or until the time
    /// is over. A collision is repeated at once.
    ///
    /// - Parameters:
    ///   - shorter: the patience of this caller, if it has less than the role.
    ///   - attempt: called with the time by which it must end.
    func persist<Result>(
        for shorter: Duration? = nil, _ attempt: (ContinuousClock.Instant) throws(PostgresFailure) -> Result
    ) throws(PostgresFailure) -> Result {
        let call = ContinuousClock.now
        while true {
            let begin = ContinuousClock.now
            let end = try end(ofCall: call, at: begin, within: shorter ?? patience)
            do throws(PostgresFailure) {
                let result = try attempt(max(end, call + least))
                state.withLock { $0.since = nil }
                return result
            } catch {
                guard error.isPassing || error.isCollision else { throw error }
                let pause = error.isCollision ? .zero : Self.pause
                note(error, at: begin)
                // The next attempt may take as long as this one.
                let next = ContinuousClock.now + pause
                guard next + min(next - begin, least) < end, !isCancelled.load(ordering: .relaxed) else { throw error }
                usleep(UInt32(pause / .microseconds(1)))
            }
        }
    }

    /// Returns the time at which a call fails at the latest. Throws the last failure once the outage has lasted for
    /// longer than the patience.
    private func end(
        ofCall call: ContinuousClock.Instant, at now: ContinuousClock.Instant, within patience: Duration
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
