import Glibc
import Locking
import RoomStore
import Synchronization

/// Since when the database has been away, and how long callers wait for it to come back.
final class Outage: Sendable {
    private let since = Guarded<ContinuousClock.Instant?>(nil)
    private let isHurried = Atomic(false)

    /// From now on nobody waits.
    func hurry() {
        isHurried.store(true, ordering: .relaxed)
    }

    /// Tries until it succeeds, until what fails would fail again, or until the database has been away for `patience`.
    func persist<Result>(
        for patience: Duration, _ attempt: () throws(PostgresFailure) -> Result
    ) throws(PostgresFailure) -> Result {
        while true {
            do throws(PostgresFailure) {
                let result = try attempt()
                ended()
                return result
            } catch {
                if error.isCollision { continue }
                guard error.isPassing, !isHurried.load(ordering: .relaxed), length < patience else { throw error }
                usleep(100_000)
            }
        }
    }

    private func ended() {
        since.withLock { $0 = nil }
    }

    /// How long it has lasted; it begins now if it did not before.
    private var length: Duration {
        let now = ContinuousClock.now
        return since.withLock { since in
            let start = since ?? now
            since = start
            return now - start
        }
    }
}
