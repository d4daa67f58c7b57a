import ChatWire
import Locking
import RoomStore

/// Counts the store's errors, and tells the operator why they happen.
///
/// A store that fails does so for everybody who asks, so the log gets a line now and then, with how often since the last.
final class StoreErrors: Sendable {
    private struct Untold: Sendable {
        var count = 0
        /// The time of the last line.
        var told: ContinuousClock.Instant?
        /// A damaged room stays so until somebody does something about it: one line is enough.
        var damaged: Set<RoomName> = []
    }

    private let counter: Metrics.Counter
    private let log: ServerLog
    private let untold = Guarded(Untold())

    /// The least time between two lines.
    private static let pause = Duration.seconds(10)
    /// The number of rooms that it tells of at most; errors of others are treated like any error.
    private static let rooms = 1_000

    init(counter: Metrics.Counter, log: ServerLog) {
        self.counter = counter
        self.log = log
    }

    func note(_ error: RoomStoreError) {
        counter.add(1)
        if case .damagedRoom(let room, _) = error, let isNews = isNews(of: room) {
            if isNews { log(.error, "a room answers unavailable, all others go on", ["why": "\(error)"]) }
            return
        }
        let now = ContinuousClock.now
        let count: Int? = untold.withLock { untold in
            untold.count += 1
            if let told = untold.told, now - told < Self.pause { return nil }
            defer { (untold.count, untold.told) = (0, now) }
            return untold.count
        }
        if let count { log(.error, "the store failed", ["why": "\(error)", "times": "\(count)"]) }
    }

    /// `nil` when too many rooms are damaged to tell of each.
    private func isNews(of room: RoomName) -> Bool? {
        untold.withLock { untold in
            if untold.damaged.contains(room) { return false }
            guard untold.damaged.count < Self.rooms else { return nil }
            untold.damaged.insert(room)
            return true
        }
    }
}
