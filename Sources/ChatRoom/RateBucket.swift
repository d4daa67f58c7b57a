package import ChatWire

/// How often something may be done.
///
/// - Units: ``span`` in milliseconds.
package struct Rate: Equatable, Sendable {
    /// In each ``span``.
    package let count: Int
    package let span: Milliseconds
    /// How often at once, by who has not done it for long.
    package let burst: Int

    /// - Precondition: all are positive.
    package init(_ count: Int, in span: Milliseconds = 1_000, burst: Int) {
        precondition(count > 0 && span > 0 && burst > 0, "\(count) in \(span) ms, \(burst) at once")
        (self.count, self.span, self.burst) = (count, span, burst)
    }

    /// The same for what may be done only once where that may be done so many times; at least once.
    package func share(_ parts: Int) -> Rate {
        Rate(count, in: span * Milliseconds(parts), burst: max(1, burst / parts))
    }

    /// How much must be there again before whoever took all gets any: a second's worth. Whoever had said much at once
    /// is then refused all the rest of it and says it again in its order, instead of getting one in between.
    fileprivate var reopening: Int { min(burst, max(1, Int(Milliseconds(count) * 1_000 / span))) }
}

/// What is left to one who may do something at a ``Rate``. It has no clock: the time is given.
///
/// - Shape: begins full. In any time *t* no more is taken than `burst` + *t* · `count` / `span`; what is charged afterwards
///   may leave less than nothing.
/// - Units: times are milliseconds of any clock. One that is set back only delays.
/// - Complexity: O(1), in integers: nothing is rounded away.
package struct RateBucket: Equatable, Sendable {
    /// What is missing from full; `span` of these are one.
    private var spent: Milliseconds = 0
    private var last: Milliseconds = 0
    private var isClosed = false

    package init() {}

    /// Takes one, or, of what is charged afterwards, none.
    ///
    /// - Returns: `nil` if one was there, or how long it is until there is some again; nothing was taken then.
    package mutating func take(_ count: Int = 1, at time: Milliseconds, _ rate: Rate) -> Milliseconds? {
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

    /// Takes what something has turned out to cost, there or not: `part` of `unit`, of which each is one.
    package mutating func charge(_ part: Int, of unit: Int, at time: Milliseconds, _ rate: Rate) {
        refill(until: time, rate)
        let most = Milliseconds(Int32.max)
        spent += min(Milliseconds(part), most) * min(rate.span, most) / Milliseconds(unit)
    }

    /// Puts one back that was taken for nothing.
    package mutating func giveBack(_ rate: Rate) {
        spent = max(0, spent - rate.span)
    }

    /// Whether it is as good as new.
    package func isFull(at time: Milliseconds, _ rate: Rate) -> Bool {
        var later = self
        later.refill(until: time, rate)
        return later.spent == 0
    }

    private func missing(_ wanted: Int, _ rate: Rate) -> Milliseconds {
        spent - Milliseconds(rate.burst - wanted) * rate.span
    }

    private mutating func refill(until time: Milliseconds, _ rate: Rate) {
        // In that time even a count of 1 fills it, and the product stays far from overflow.
        let passed = max(0, min(time - last, Milliseconds(rate.burst) * rate.span))
        last = time
        spent = max(0, spent - passed * Milliseconds(rate.count))
    }
}

/// A ``RateBucket`` for each of many, of whom only those are remembered that have lately done something.
package struct RateBook<Key: Hashable & Sendable>: Sendable {
    private var buckets: [Key: RateBucket] = [:]
    /// With how many it is to be tidied next.
    private var limit = Self.least
    private static var least: Int { 1_024 }

    package init() {}

    /// How many are remembered.
    package var count: Int { buckets.count }

    /// As ``RateBucket/take(at:_:)``.
    ///
    /// - Complexity: O(1), amortised.
    package mutating func take(_ key: Key, at time: Milliseconds, _ rate: Rate) -> Milliseconds? {
        if buckets.count >= limit {
            buckets = buckets.filter { !$0.value.isFull(at: time, rate) }
            limit = max(Self.least, 2 * buckets.count)
        }
        return buckets[key, default: RateBucket()].take(at: time, rate)
    }

    /// As ``RateBucket/charge(_:of:at:_:)``.
    package mutating func charge(_ key: Key, _ part: Int, of unit: Int, at time: Milliseconds, _ rate: Rate) {
        buckets[key, default: RateBucket()].charge(part, of: unit, at: time, rate)
    }

    package mutating func giveBack(_ key: Key, _ rate: Rate) {
        buckets[key]?.giveBack(rate)
    }
}
