import ChatClient
import ChatWire
import WebSocketTransport

/// One connection of the load, and who is behind it.
struct Client {
    enum Role: Equatable {
        case subscriber
        case publisher
        /// Comes at the end, and reads what the server has.
        case verifier
    }

    let role: Role
    let user: UserName
    /// The rooms it has to do with: one, but for a verifier.
    let rooms: Range<Int>
    var session: ClientSession
    var connection: ConnectionID?
    /// To connect; each to the next server.
    var attempts = 0
    /// It has been given the state of its rooms, or, if it is a publisher, been welcomed, at least once.
    var hasJoined = false
    /// It is out of the connection by our own doing.
    var isCut = false

    /// The largest sort key that came live.
    var lastSort: UInt64 = 0
    /// When a stalled reader reads on, or a reading one stalls again, in microseconds; `nil` for one that never stalls.
    var nextStall: Int64?
    var isStalled = false

    // MARK: - A publisher's
    var written = 0
    /// Messages of its own that are there, lately.
    var recent: [MessageID] = []
}

/// A message of ours and what was acknowledged about it.
struct Expectation {
    var text: String
    var isDeleted = false
    var hasReaction = false
}

/// A command without an answer.
struct Unanswered {
    let command: Command
    /// Microseconds.
    let time: Int64
}
