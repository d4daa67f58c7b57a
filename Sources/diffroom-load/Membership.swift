import ChatClient
import ChatWire

/// One room that a reader is a member of.
struct Membership {
    let room: RoomName
    /// The place that the member gives the room among the pinned ones; `nil` for none.
    let pin: UInt64?
    /// The read mark: that of the join, and later the highest that the member has set.
    var mark: Revision = 0
    /// The last message since the join, as far as it is known.
    private(set) var last: MessageID?

    init(of room: RoomName, pin: UInt64?) {
        (self.room, self.pin) = (room, pin)
    }

    var section: MyRoom.Section { pin == nil ? .rooms : .pinned }

    /// Applies a row that the member received. The first message after the join is one that is unread.
    mutating func apply(_ row: MyRoom) {
        if let newest = row.light.last, last != nil || row.light.unread > 0 { last = newest.id }
    }

    /// Returns the fault in the order of rooms; `nil` if it is right, as far as the times of their last messages are known.
    static func mistake(inOrderOf rooms: [(membership: Membership, row: MyRoom)], _ spans: SendSpans) -> String? {
        let shown = rooms.sorted { $0.row.sort < $1.row.sort }
        let pins = shown.compactMap { $0.row.section == .pinned ? $0.membership.pin : nil }
        guard pins == pins.sorted() else { return "a member's pinned rooms stand in another order" }
        let last = shown.compactMap { $0.row.section == .rooms ? $0.membership.last : nil }
        return spans.mayBeOrder(last) ? nil : "a member's rooms do not stand by their last messages"
    }
}

extension MyRoom {
    /// Returns the fault in the counts of the row of a user's room; `nil` if they are right.
    ///
    /// - Parameter messages: all that are there above the row's mark, at least, up to its last message.
    func mistakeInCounts(_ messages: some RandomAccessCollection<Message>, of user: UserName) -> String? {
        let unread = messages[messages.partitioningIndex { $0.sort > light.read }...]
        guard light.unread == UInt64(unread.count) else { return "a member's unread messages are not counted right" }
        let mentions = unread.count { $0.calls(user) }
        return light.mentions == UInt64(mentions) ? nil : "a member's unread mentions are not counted right"
    }
}
