import ChatWire
import Locking
import RoomStore

/// Counts the store's errors, and logs why they happen.
///
/// A store fails for everybody who asks. So errors share a line now and then, which has their number since the last one.
final class StoreErrors: Sendable {
    private struct Unlogged: Sendable {
        var count = 0
        /// The time of the last line.
        var last: ContinuousClock.Instant?
        /// The damaged rooms that were logged. One line is enough: they stay damaged until they are repaired.
        var damaged: Set<RoomName> = []
        /// The rooms with damaged messages that were logged.
        var withDamagedMessages: Set<RoomName> = []
    }

    private let counter: Metrics.Counter
    private let log: ServerLog
    private let unlogged = Guarded(Unlogged())

    /// The least time between two lines.
    private static let pause = Duration.seconds(10)
    /// The most damaged rooms that get a line each. The errors of others are logged like any error.
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
        let count: Int? = unlogged.withLock { unlogged in
            unlogged.count += 1
            if let last = unlogged.last, now - last < Self.pause { return nil }
            defer { (unlogged.count, unlogged.last) = (0, now) }
            return unlogged.count
        }
        if let count { log(.error, "the store failed", ["why": "\(error)", "times": "\(count)"]) }
    }

    /// Logs once for each room that it has messages which are served as damaged.
    func noteDamagedMessages(of room: RoomName) {
        let isNews = unlogged.withLock { unlogged in
            unlogged.withDamagedMessages.count < Self.rooms && unlogged.withDamagedMessages.insert(room).inserted
        }
        guard isNews else { return }
        log(.error, "a room has messages that are damaged", ["room": "\(room)"])
    }

    /// `nil` when too many rooms are damaged to tell of each.
    private func isNews(of room: RoomName) -> Bool? {
        unlogged.withLock { unlogged in
            if unlogged.damaged.contains(room) { return false }
            guard unlogged.damaged.count < Self.rooms else { return nil }
            unlogged.damaged.insert(room)
            return true
        }
    }
}
