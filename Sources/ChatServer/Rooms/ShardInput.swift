package import ChatRoom
package import ChatWire
package import WebSocketTransport

/// One event that a shard reacts to.
package enum ShardInput: Sendable {
    /// A connection's request to a room.
    case request(SessionRequest, Reader, RoomName)
    /// A connection's request about its user's list of rooms or of mentions.
    case inbox(InboxRequest, Reader, UserName)
    /// A connection's request about a list of its user's whose rows are what the store keeps of people.
    case stored(ListName, StoredListRequest, Reader, UserName)
    /// The store may keep something else of these people, such as another profile.
    case rewritten([UserName])
    /// Another server has changed these people's memberships or read marks.
    case membershipsChanged([UserName])
    /// A connection fell off a list's outgoing log. It holds this revision.
    case fellBehind(Reader, TopicID, Revision, since: ContinuousClock.Instant)
    /// A service's operation on a room.
    case serve(Operation, Reader, RoomName)
    case committed(CommittedRooms)
    case commitFailed([Ticket], RoomName, WireError)
    /// Apart, or each input would have its size.
    indirect case found(StoreAnswer)
    case foundMemberships(InboxAnswer)
    /// A message from another shard, or from this one to itself.
    case message(ShardMessage)
    /// The store holds this revision of the room, by another server's account. A room that is not open ignores it.
    case announced(Revision, RoomName)
    /// Another server's news about the people in an open room; `nil` is all open rooms.
    case people(MembersState.Input, RoomName?)
    /// The store has a new epoch.
    case renewed
    /// News of memberships, of read marks and of what the store keeps of people may be lost.
    case invalidated
    /// Messages that another server has committed, in this epoch of the store.
    case sent([InsertedMessage], RoomName, of: Epoch)
    case woken(ShardAlarm)
    /// Memory is short: frames that can be encoded again must go, and rows that can be read again.
    case pressed

    /// The size of its text, in bytes, for requests whose text may be long.
    var bytes: Int {
        switch self {
        case .request(.operate(_, let operation), _, _), .serve(let operation, _, _): operation.bytes
        case .request, .inbox, .stored, .rewritten, .membershipsChanged, .fellBehind, .committed, .commitFailed,
            .found, .foundMemberships, .message, .announced, .sent, .people, .renewed, .invalidated, .woken, .pressed:
            0
        }
    }

    /// The reader that asked a question, or that the store's answer is for.
    var requester: Reader? {
        switch self {
        case .request(let request, let reader, _): request.isQuestion ? reader : nil
        case .found(let answer): answer.reader
        case .inbox(.subscribe, let reader, _), .stored(_, .subscribe, let reader, _): reader
        case .inbox, .stored, .rewritten, .membershipsChanged, .foundMemberships, .message, .fellBehind, .serve,
            .committed, .commitFailed, .announced, .sent, .people, .renewed, .invalidated, .woken, .pressed:
            nil
        }
    }
}

/// The owner of an alarm.
package enum ShardAlarm: Hashable, Sendable {
    case room(RoomName)
    /// All lists of people's rooms.
    case inboxes
    /// All lists of this name, whose rows are what the store keeps of people.
    case stored(ListName)
    /// The requests that may have to be refused in private and direct rooms.
    case refusals
    /// The deliveries to readers who wait for an allowance.
    case deliveries
    /// The diffs of rooms in which texts have grown.
    case growth
    /// The check for open messages without recent appends.
    case silence
    /// The summaries of threads that have changed.
    case threads
}

/// The outcomes of one transaction in the rooms of one shard.
package struct CommittedRooms: Sendable {
    package typealias Outcomes = [(ticket: Ticket, outcome: CommitOutcome)]

    /// In the order of their first operations.
    let rooms: [(name: RoomName, outcomes: Outcomes)]
    /// The store's epoch before the transaction. If a room has another epoch, some of the operations may be lost.
    let epoch: Epoch
    /// The end of the transaction.
    let time: Moment

    package init(_ rooms: [(name: RoomName, outcomes: Outcomes)], of epoch: Epoch, at time: Moment = .now) {
        self.rooms = rooms
        self.epoch = epoch
        self.time = time
    }
}
