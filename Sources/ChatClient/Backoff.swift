package import ChatWire

/// The wait before the next attempt to connect.
///
/// It has full jitter, so that clients that lost their connections together do not come back together.
///
/// - Units: milliseconds.
/// - Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
package struct Backoff: Sendable {
    /// The longest first wait. The bound doubles with each further attempt.
    package var base: Milliseconds = 500
    package var cap: Milliseconds = 30_000
    /// The duration after which a connection counts as good, so that the next wait is a first one again.
    package var steady: Milliseconds = 5_000

    private var attempt = 0
    private var jitter: SeededGenerator

    package init(seed: UInt64) {
        jitter = SeededGenerator(seed: seed)
    }

    /// - Parameter retryAfter: the wait that the server asked for; the jitter is added to it.
    mutating func next(retryAfter: Milliseconds) -> Milliseconds {
        let ceiling = min(cap, base << min(attempt, 16))
        attempt += 1
        return retryAfter + Milliseconds.random(in: 0...ceiling, using: &jitter)
    }

    mutating func connectionEnded(after duration: Milliseconds) {
        if duration >= steady { attempt = 0 }
    }
}
