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
    private var jitter: Jitter

    package init(seed: UInt64) {
        jitter = Jitter(state: seed)
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

/// A random generator that is good enough to scatter clients, and gives the same numbers for the same seed.
///
/// - Source: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
private struct Jitter: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
