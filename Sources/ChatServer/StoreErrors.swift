import Locking
import RoomStore

/// Where the store's errors go: each is counted, and the operator hears why.
///
/// A store that fails does so for everybody who asks, so the log gets a line now and then, with how often since the last.
final class StoreErrors: Sendable {
    private struct Untold: Sendable {
        var count = 0
        /// When the last line was written.
        var told: ContinuousClock.Instant?
    }

    private let counter: Metrics.Counter
    private let log: ServerLog
    private let untold = Guarded(Untold())

    /// The least time between two lines.
    private static let pause = Duration.seconds(10)

    init(counter: Metrics.Counter, log: ServerLog) {
        self.counter = counter
        self.log = log
    }

    func note(_ error: RoomStoreError) {
        counter.add(1)
        let now = ContinuousClock.now
        let count: Int? = untold.withLock { untold in
            untold.count += 1
            if let told = untold.told, now - told < Self.pause { return nil }
            defer { untold = Untold(told: now) }
            return untold.count
        }
        if let count { log(.error, "the store failed", ["why": "\(error)", "times": "\(count)"]) }
    }
}
