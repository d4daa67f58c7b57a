import Foundation

/// Keeps events as they come from other threads, and waits for the one a test needs.
///
/// Waiting blocks the test's thread; the events come from the transport's own threads, so that cannot lock up.
final class Recorder<Event: Sendable>: @unchecked Sendable {
    // @unchecked: `events` is only touched while `changed` is locked.
    private var events: [Event] = []
    private let changed = NSCondition()

    struct TimedOut: Error, CustomStringConvertible {
        var seen: [Event]
        var description: String { "nothing that matches came; unmatched: \(seen)" }
    }

    func record(_ event: Event) {
        changed.lock()
        events.append(event)
        changed.broadcast()
        changed.unlock()
    }

    /// The first event that `match` turns into something. It is taken out; the others stay for later.
    @discardableResult
    func wait<Result>(seconds: Double = 20, for match: (Event) -> Result?) throws -> Result {
        let end = Date(timeIntervalSinceNow: seconds)
        changed.lock()
        defer { changed.unlock() }
        while true {
            for (index, event) in events.enumerated() {
                if let result = match(event) {
                    events.remove(at: index)
                    return result
                }
            }
            guard changed.wait(until: end) else { throw TimedOut(seen: events) }
        }
    }

    /// Everything not taken out yet.
    var remaining: [Event] {
        changed.lock()
        defer { changed.unlock() }
        return events
    }
}
