import ChatRoom
import ChatWire

/// Decides whether a server follows the database's clock. All servers of a store count its time by that clock and by the
/// store's `lead`, which makes up for its jumps.
///
/// A server knows by a clock of its own, which does not jump, how much time has passed. The first one that finds a jump
/// changes the lead; the others follow it.
struct TimeKeeper: Equatable, Sendable {
    /// The clocks as one round trip shows them.
    struct Measurement: Equatable, Sendable {
        /// The database's time of day at some moment of the round trip.
        let time: Milliseconds
        let lead: Milliseconds
        /// The middle of the round trip, and its duration, by the clock that does not jump.
        let elapsed: Milliseconds
        let duration: Milliseconds
        /// The server's own time of day.
        let own: Milliseconds
        /// The instant by the server's reckoning.
        let instant: Milliseconds
    }

    enum Decision: Equatable, Sendable {
        case follow(Milliseconds)
        /// The database's clock has jumped: the lead is to be another one, unless another server has changed it.
        case change(from: Milliseconds, to: Milliseconds)
        /// The round trip took too long to tell anything.
        case nothing
    }

    private var lead: Milliseconds
    /// The server's own clock was ahead of the one that does not jump by so much.
    private var own: Milliseconds?
    /// True if the database is on this machine, whose one clock both read.
    private let isLocal: Bool

    /// A round trip that takes longer tells too little.
    private static let longest: Milliseconds = 5_000

    init(lead: Milliseconds, isLocal: Bool) { (self.lead, self.isLocal) = (lead, isLocal) }

    mutating func decide(_ measured: Measurement) -> Decision {
        guard measured.duration <= Self.longest else { return .nothing }
        let shared = measured.time + measured.lead
        let (before, now) = (own, measured.own - measured.elapsed)
        own = now
        defer { lead = measured.lead }
        let (ahead, most) = (shared - measured.instant, StoreTime.tolerance + measured.duration)
        guard measured.lead == lead, abs(ahead) > most else { return .follow(shared) }
        // Both clocks say that more time has passed: this machine stood still, unless they are one clock, which jumped.
        let stoodStill = !isLocal && ahead > 0 && before.map { abs(now - $0 - ahead) <= most } ?? false
        return stoodStill ? .follow(shared) : .change(from: measured.lead, to: measured.lead - ahead)
    }
}

extension Origin {
    /// True if the database is on this machine.
    var isLocal: Bool {
        host.hasPrefix("/") || host.hasPrefix("127.") || ["localhost", "::1", "this machine"].contains(host)
    }
}
