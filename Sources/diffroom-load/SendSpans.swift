import ChatWire

/// The time in which the server accepted each message of this process: after it was sent and before it was acknowledged.
///
/// Rooms and mentions stand in the order in which the store accepted their messages. The times of day that messages carry do not
/// show this order: two messages that are under way at once may be accepted in either.
///
/// - Units: microseconds of the load's clock.
struct SendSpans {
    private var sent: [MessageID: Int64] = [:]
    private var acknowledged: [MessageID: Int64] = [:]

    mutating func recordSend(_ id: MessageID, at time: Int64) { sent[id] = time }

    mutating func recordAnswer(_ id: MessageID, at time: Int64) { acknowledged[id] = time }

    /// Returns the time at which a message was sent; `nil` for one of another process.
    func sendTime(of id: MessageID) -> Int64? { sent[id] }

    /// Returns whether a message was sent when another one was already acknowledged.
    func isAfter(_ id: MessageID, _ other: MessageID) -> Bool {
        guard let sent = sent[id], let acknowledged = acknowledged[other] else { return false }
        return acknowledged < sent
    }

    /// Returns whether the server may have accepted messages in this order.
    ///
    /// - Complexity: O(messages).
    func mayBeOrder(_ messages: some Sequence<MessageID>) -> Bool {
        var latest = Int64.min
        for id in messages {
            if let acknowledged = acknowledged[id], acknowledged < latest { return false }
            latest = max(latest, sent[id] ?? .min)
        }
        return true
    }
}
