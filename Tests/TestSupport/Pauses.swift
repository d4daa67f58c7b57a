import Foundation

/// The two reasons for which a test may sleep. `scripts/check` finds every other sleep.
package enum Pause {
    /// Lets a fault last: meanwhile a process or a database stands still. The fault is its length, and no event ends it.
    package static func lasting(_ length: Duration) async throws { try await Task.sleep(for: length) }

    /// Returns once something outside of this process is so, such as the descriptors of another process, or what a standby
    /// has replayed: nothing reports that it has changed.
    ///
    /// - Parameter seconds: the longest time. After it, or once the test was cancelled, the result is false.
    package static func polling(
        within seconds: Double = Double(Deadline.eventSeconds), until isSo: () throws -> Bool
    ) rethrows -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while try !isSo() {
            guard Date() < end, !Task.isCancelled else { return false }
            usleep(5_000)
        }
        return true
    }
}
