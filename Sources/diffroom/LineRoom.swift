import ChatClient
import ChatWire

/// A room that is followed in lines.
struct LineRoom {
    /// `nil` until the room's first state.
    var view: RoomView?
    /// The people in the room, once they were asked for.
    var members: MembersView?
    /// The pinned messages, once they were asked for.
    var pins: PinsView?
    /// The user's rights in the room, and its title.
    var standing = RoomStanding()
    /// The questions about the room.
    var queries = OpenQueries()
    /// The highest acknowledged revision. The chat must show it before it ends.
    private var acknowledged: Revision = 0
    /// The user's last message.
    var lastSent: MessageID?
    /// True when the user gives up their place in the room, which ends its subscriptions.
    var isLeaving = false
    /// True when the server does not let the user follow the room, or no longer.
    var hasEnded = false

    /// True when lines about the room can be understood.
    var isHere: Bool { view != nil || hasEnded }

    /// Waits for a revision of the room to be shown, unless it ends.
    mutating func acknowledge(_ revision: Revision) {
        if !isLeaving { acknowledged = max(acknowledged, revision) }
    }

    /// True when the room shows all that was acknowledged.
    var isUpToDate: Bool { hasEnded || view.map { $0.revision >= acknowledged } ?? false }

    /// True when nothing is left to show.
    var isDone: Bool { hasEnded || queries.isEmpty && isUpToDate }
}
