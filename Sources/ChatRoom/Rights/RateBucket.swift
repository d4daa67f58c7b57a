package import ChatWire

/// The rate at which something is allowed.
///
/// - Units: ``span`` in milliseconds.
package struct Rate: Equatable, Sendable {
    /// The number allowed in each ``span``.
    package let count: Int
    package let span: Milliseconds
    /// The number allowed at once, after a long pause.
    package let burst: Int

    /// - Precondition: all are positive.
    package init(_ count: Int, in span: Milliseconds = 1_000, burst: Int) {
        precondition(count > 0 && span > 0 && burst > 0, "\(count) in \(span) ms, \(burst) at once")
        (self.count, self.span, self.burst) = (count, span, burst)
    }

    /// Returns the rate of something that costs as much as `parts` of these. At least one is allowed at once.
    package func share(_ parts: Int) -> Rate {
        Rate(count, in: span * Milliseconds(parts), burst: max(1, burst / parts))
    }

    /// The number that must have refilled before an empty bucket gives any again: a second's worth.
    ///
    /// A client that sent a burst is thus refused all the rest and sends it again in order. Otherwise one from the
    /// middle would be accepted.
    fileprivate var reopening: Int { min(burst, max(1, Int(Milliseconds(count) * 1_000 / span))) }
}

/// A token bucket: the allowance that is left at a ``Rate``. It has no clock; the caller passes the time.
///
/// - Shape: begins full. In any time *t* it gives at most `burst` + *t* · `count` / `span`. A later charge may leave it
///   below zero.
/// - Units: times are milliseconds of any clock. A clock that is set back only delays.
/// - Complexity: O(1), in integers, so nothing is rounded away.
package struct RateBucket: Equatable, Sendable {
    /// The amount missing from a full bucket, in units of 1 / `span`.
    private var spent: Milliseconds = 0
    private var last: Milliseconds = 0
    private var isClosed = false

    package init() {}

    /// Consumes `count`: one, or zero for something that is charged afterwards.
    ///
    /// - Returns: `nil` on success, else the time until the bucket gives again; then nothing was taken.
    package mutating func consume(_ count: Int = 1, at time: Milliseconds, _ rate: Rate) -> Milliseconds? {
        refill(until: time, rate)
        if missing(isClosed ? rate.reopening : 1, rate) > 0 {
            isClosed = true
            let perSpan = Milliseconds(rate.count)
            return (missing(rate.reopening, rate) + perSpan - 1) / perSpan
        }
        isClosed = false
        spent += Milliseconds(count) * rate.span
        return nil
    }

    /// Charges a cost that is known only afterwards, even if the bucket lacks it: `part` of `unit`, where `unit` costs
    /// one. A negative part gives back.
    package mutating func charge(_ part: Int, of unit: Int, at time: Milliseconds, _ rate: Rate) {
        refill(until: time, rate)
        let most = Milliseconds(Int32.max)
        let cost = max(-most, min(Milliseconds(part), most)) * min(rate.span, most) / Milliseconds(unit)
        spent = max(0, spent + cost)
    }

    /// Puts one back.
    package mutating func refund(_ rate: Rate) {
        spent = max(0, spent - rate.span)
    }

    /// Returns whether the bucket is full at a time.
    package func isFull(at time: Milliseconds, _ rate: Rate) -> Bool {
        var later = self
        later.refill(until: time, rate)
        return later.spent == 0
    }

    private func missing(_ wanted: Int, _ rate: Rate) -> Milliseconds {
        spent - Milliseconds(rate.burst - wanted) * rate.span
    }

    private mutating func refill(until time: Milliseconds, _ rate: Rate) {
        // The time that fills the bucket is enough to count, and keeps the product from overflow.
        let passed = max(0, min(time - last, spent / Milliseconds(rate.count) + 1))
        last = time
        spent = max(0, spent - passed * Milliseconds(rate.count))
    }
}

/// A ``RateBucket`` for each of many keys. A full bucket is dropped after a while.
package struct RateBook<Key: Hashable & Sendable>: Sendable {
    private var buckets: [Key: RateBucket] = [:]
    /// The number of buckets at which to drop the full ones.
    private var limit = Self.least
    private static var least: Int { 1_024 }

    package init() {}

    /// The number of buckets held.
    package var count: Int { buckets.count }

    /// Consumes `count` from a key's bucket, as ``RateBucket/consume(_:at:_:)`` does.
    ///
    /// - Complexity: O(1), amortised.
    package mutating func consume(_ key: Key, _ count: Int = 1, at time: Milliseconds, _ rate: Rate) -> Milliseconds? {
        if buckets.count >= limit {
            buckets = buckets.filter { !$0.value.isFull(at: time, rate) }
            limit = max(Self.least, 2 * buckets.count)
        }
        return buckets[key, default: RateBucket()].consume(count, at: time, rate)
    }

    /// Charges a key's bucket, as ``RateBucket/charge(_:of:at:_:)`` does.
    package mutating func charge(_ key: Key, _ part: Int, of unit: Int, at time: Milliseconds, _ rate: Rate) {
        buckets[key, default: RateBucket()].charge(part, of: unit, at: time, rate)
    }

    package mutating func refund(_ key: Key, _ rate: Rate) {
        buckets[key]?.refund(rate)
    }
}
