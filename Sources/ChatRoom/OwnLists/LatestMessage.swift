import ChatWire

/// A feed's knowledge of its room's last message.
struct LatestMessage: Sendable {
    private(set) var message: LastMessage?
    /// True when ``message`` is the last one at the feed's head; false after it was deleted.
    private(set) var isKnown = false
    private var lastEdit: Revision = 0

    mutating func insert(_ row: Message) {
        (message, isKnown) = (LastMessage(row), true)
    }

    mutating func reload(_ row: Message, at revision: Revision) {
        lastEdit = revision
        if isKnown, row.id == message?.id { message = LastMessage(row) }
    }

    mutating func delete(_ id: MessageID) {
        if message?.id == id { isKnown = false }
    }

    /// Applies the last message of a reading, unless it was edited since or the feed has yet to reach the reading.
    ///
    /// - Returns: whether it was taken.
    mutating func update(from reading: MembershipReading, upTo head: Revision) -> Bool {
        guard lastEdit <= reading.revision, reading.revision <= head else { return false }
        apply(reading)
        return true
    }

    mutating func apply(_ reading: MembershipReading) {
        (message, isKnown) = (reading.last.map { LastMessage($0) }, true)
    }
}
