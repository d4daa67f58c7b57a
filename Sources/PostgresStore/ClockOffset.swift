import ChatWire
import Foundation

/// The time by which this server's clock is ahead of the database's, as exactly as one round trip tells. Negative: it
/// is behind.
///
/// The database reads its clock at some moment of the round trip, so each offset in a range as long as that is possible.
struct ClockOffset: Equatable, Sendable {
    private let possible: ClosedRange<Duration>

    /// The offsets with which the times that servers stamp do no harm.
    private static let tolerated = Duration.seconds(-2)...Duration.seconds(2)

    /// - Parameters:
    ///   - sent: the server's time of day when the round trip began.
    ///   - time: the duration of the round trip.
    ///   - answer: the database's time of day at some moment of it.
    init(sent: Duration, time: Duration, answer: Duration) {
        possible = (sent - answer)...(sent - answer + max(.zero, time))
    }

    /// The possible offset that is the nearest to zero.
    var least: Duration { min(max(.zero, possible.lowerBound), possible.upperBound) }

    /// Every possible offset is too great.
    var isWrong: Bool { !possible.overlaps(Self.tolerated) }

    /// No possible offset is too great. After a slow round trip, an offset may be neither right nor wrong.
    var isRight: Bool { Self.tolerated.contains(possible) }
}

extension Duration {
    /// The time of day, since 1970.
    static var timeOfDay: Duration { .seconds(Date.now.timeIntervalSince1970) }
}

extension Milliseconds {
    /// The same in milliseconds.
    static var timeOfDay: Milliseconds { Milliseconds(Duration.timeOfDay / .milliseconds(1)) }
}
