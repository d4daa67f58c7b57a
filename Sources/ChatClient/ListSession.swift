import ChatWire

/// A session's state of one list that it follows.
struct ListSession: Sendable {
    enum Phase: Equatable, Sendable {
        /// Not subscribed on this connection, or there is none. Next: `requested`.
        case away
        /// Subscribed under a number. The rows do not change. Next: `live`, `postponed`, `refused`, `away`.
        case requested(UInt64)
        /// The rows follow the server. Next: `requested`, `postponed`, `away`.
        case live
        /// Due to be subscribed at a time. Next: `requested`, `away`.
        case postponed(until: Milliseconds)
        /// The server refused the subscription. Next: `requested`, when the list is opened again.
        case refused
    }

    /// A request for a page.
    enum Paging: Equatable, Sendable {
        /// To be sent when the list is live, and not before the time.
        case wanted(RoomPage, limit: Int, from: Milliseconds)
        case requested(UInt64, RoomPage, limit: Int)
    }

    /// The number of rows to begin with; of the user's rooms, of those that are followed in each section.
    var limit: Int
    /// The ``limit`` of the last subscription.
    var requestedLimit = 0
    var phase = Phase.away
    var replica: (any FollowedRows)?
    var paging: Paging?
    /// The page to go to once `paging` is answered.
    var next: (page: RoomPage, limit: Int)?
    /// The sort key of the row that the user looks at; `nil` for the end.
    var at: UInt64?
    /// True when the replica may differ from the server's list, so that no diff may start from it.
    var isStale = false
    /// The number of consecutive failures to follow the list.
    var missteps = 0
    /// The user's read mark, as the server sends it to others.
    var read: Revision = 0
    /// The time at which to repeat it, if the server had no time for it.
    var readDue: Milliseconds?
    /// The user's rights in the room, as the server last sent them.
    var standing = RoomStanding()
    /// The time at which they arrived.
    var standingSince: Milliseconds = 0
    /// True when the server has sent them since the list was subscribed. It does not send the usual ones then.
    var isStandingKnown = false

    /// The list's place among those that the session has opened.
    let order: Int

    init(limit: Int, order: Int) {
        self.limit = limit
        self.order = order
    }

    mutating func connectionLost() {
        if phase != .refused { phase = .away }
        readDue = nil
        forgetPage(until: 0)
    }

    /// Postpones the request for a page.
    mutating func forgetPage(until time: Milliseconds) {
        if case .requested(_, let page, let limit) = paging { paging = .wanted(page, limit: limit, from: time) }
    }

    /// Revisions of another history mean nothing in this one.
    mutating func forgetRead() {
        (read, readDue) = (0, nil)
    }

    /// The time at which the list needs its next `tick`.
    var deadline: Milliseconds? {
        switch (phase, paging) {
        case (.postponed(let until), _): until
        case (.live, .wanted(_, _, let from)): min(from, readDue ?? from)
        case (.live, _): readDue
        case (.away, _), (.requested, _), (.refused, _): nil
        }
    }
}
