package import ChatWire

/// The time that a store counts by: the order of rooms, the ends of mutes, slow mode, and the ages of messages.
///
/// It begins as the time of day and goes on with a clock that only measures how much time passes. So it does not follow when
/// the time of day jumps, and two instants of it are as far apart as they were in fact. It never goes back, also where the
/// server starts again with a clock that was put right meanwhile.
///
/// - Units: instants are milliseconds since 1970-01-01T00:00:00Z, as far as no clock has jumped; `elapsed` is milliseconds of
///   a clock that does not jump.
package struct StoreTime: Equatable, Sendable {
    /// The difference between an instant and the elapsed time.
    private var base: Milliseconds
    private var last: Milliseconds

    /// The difference from the store's time at which a clock counts as having jumped: more than the clocks of servers that
    /// share a store may differ by.
    package static let tolerance: Milliseconds = 1_000

    /// Instants beyond this one make no sense: sort keys must stay below 2⁵³.
    package static let limit: Milliseconds = 1 << 42

    /// - Parameters:
    ///   - time: the time of day.
    ///   - lead: the time by which the store's time was last ahead of the time of day; negative if it was behind.
    ///   - latest: no instant that the store has given is later. It goes on behind it.
    package init(at time: Milliseconds, elapsed: Milliseconds, lead: Milliseconds, after latest: Milliseconds) {
        let latest = min(max(0, latest), Self.limit)
        let start = time.addingReportingOverflow(lead)
        let instant = start.overflow ? time : start.partialValue
        last = max(latest, min(max(0, instant), Self.limit))
        if last == latest, latest > 0 { last += 1 }
        base = last - elapsed
    }

    /// Returns the instant, which is never before one that was returned.
    package mutating func instant(elapsed: Milliseconds) -> Milliseconds {
        last = max(last, base + elapsed)
        return last
    }

    /// Follows the clock that all servers of a store share. Where it is a little behind, time stands still until it has
    /// caught up. Where it is behind by more, this server had the time of a clock that was wrong, and gives it up.
    package mutating func follow(_ instant: Milliseconds, elapsed: Milliseconds) {
        let instant = min(max(0, instant), Self.limit)
        base = instant - elapsed
        if last - instant > Self.tolerance { last = instant }
    }
}
