import ChatWire

/// What a session knows of one list that it follows.
struct ListSession<Row: ListRow>: Sendable {
    enum Phase: Equatable, Sendable {
        /// Nothing was asked on this connection, or there is none. Then `asked`.
        case away
        /// Subscribed under a number; what is held stands still. Then `live`, `postponed`, `refused`, `away`.
        case asked(UInt64)
        /// What is held follows. Then `asked`, `postponed`, `away`.
        case live
        /// To be subscribed at a time. Then `asked`, `away`.
        case postponed(until: Milliseconds)
        /// The server does not let us. Then `asked`, when the list is opened again.
        case refused
    }

    /// A request for older rows.
    enum Older: Equatable, Sendable {
        /// To be asked for when the list is live, not before the time.
        case wanted(limit: Int, from: Milliseconds)
        case asked(UInt64, limit: Int)
    }

    let limit: Int
    var phase = Phase.away
    var replica: Replica<Row>?
    var older: Older?
    /// What is held is not what the server has: it is no base for a diff.
    var isDoubted = false
    /// Failures to follow in a row.
    var missteps = 0
    /// How far its reader has read, as the others are told.
    var read: Revision = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func connectionLost() {
        if phase != .refused { phase = .away }
        forgetPage(until: 0)
    }

    /// Asks for the page anew, later.
    mutating func forgetPage(until time: Milliseconds) {
        if case .asked(_, let limit) = older { older = .wanted(limit: limit, from: time) }
    }

    /// When the list wants to be looked at again.
    var deadline: Milliseconds? {
        switch (phase, older) {
        case (.postponed(let until), _): until
        case (.live, .wanted(_, let from)): from
        case (.live, _), (.away, _), (.asked, _), (.refused, _): nil
        }
    }
}
