import ChatWire

/// One stay of a room on the screen: decides which of its messages count as read.
///
/// The room counts as read once its end has been on the screen for ``readTime``. From then on each message counts as read
/// when it is on the screen. A room that the user leaves before that stays unread.
struct RoomVisit {
    typealias Instant = ContinuousClock.Instant

    /// The time for which a room's end is on the screen before it counts as read.
    static let readTime = Duration.seconds(1)

    /// The end of the messages when it was last on the screen; `nil` before.
    private(set) var shownEnd: Revision?
    /// The time at which the end came onto the screen.
    private var start: Instant?

    /// The screen shows the messages to their end.
    mutating func show(end: Revision, at now: Instant) {
        shownEnd = end
        start = start ?? now
    }

    /// Returns the end of what counts as read; `nil` if nothing does.
    func readEnd(at now: Instant) -> Revision? {
        guard let start, now - start >= Self.readTime else { return nil }
        return shownEnd
    }
}
