package import ChatWire

/// The time of a room's last message, for the order of rooms: a hybrid logical clock.
///
/// It is a time, but it grows with each message, whatever the clocks show. Messages of one millisecond share it: a busy room
/// does not run ahead of the time, behind which it would hide rooms in which something is said later.
///
/// - Shape: 512ths of a millisecond since 1970-01-01T00:00:00Z, below 2⁶²; 0 if nothing was said.
package struct ActivityStamp: Comparable, Hashable, Sendable {
    package let rawValue: Int64

    package static let none = ActivityStamp(rawValue: 0)

    package static let perMillisecond: Int64 = 512

    private static let limit = Int64(WireInteger.limit) * perMillisecond

    private init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Returns `nil` for what no stamp can be.
    package init?(known rawValue: Int64) {
        guard (0..<Self.limit).contains(rawValue) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The first of a time.
    package init(of time: Milliseconds) {
        self.init(rawValue: time * Self.perMillisecond)
    }

    /// The time, which may be later than that of the last message.
    package var time: Milliseconds { rawValue / Self.perMillisecond }

    /// Returns the stamp of a message that is said after this one.
    package func next(at time: Milliseconds) -> ActivityStamp {
        max(ActivityStamp(rawValue: rawValue + 1), ActivityStamp(of: time))
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
