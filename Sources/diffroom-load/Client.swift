import ChatClient
import ChatWire
import WebSocketTransport

/// One connection of the load, with its user.
struct Client {
    enum Role: Equatable {
        case subscriber
        case publisher
        /// Reads the server's state at the end.
        case verifier
    }

    let role: Role
    let user: UserName
    /// The client's rooms: one, except for a verifier.
    let rooms: Range<Int>
    var session: ClientSession
    var connection: ConnectionID?
    /// The number of attempts to connect. Each goes to the next server.
    var attempts = 0
    /// True when the client has received the state of its rooms at least once; for a publisher, when it was welcomed.
    var hasJoined = false
    /// True when the load itself has cut the connection.
    var isCut = false

    /// The largest sort key that arrived live.
    var lastSort: UInt64 = 0
    /// The time at which the reader next stops or resumes reading, in microseconds; `nil` for one that never stalls.
    var nextStall: Int64?
    var isStalled = false

    /// The rooms of a reader that follows its own lists: first the one that it reads.
    var memberships: [Membership] = []
    var isMember: Bool { !memberships.isEmpty }

    // MARK: - Publishers
    var written = 0
    /// The last message, which is never deleted: so the last message of a room is always the one that was said last.
    var newest: MessageID?
    /// Recent messages of this publisher that still exist.
    var recent: [MessageID] = []
}

/// A message of this load, and its acknowledged state.
struct Expectation {
    var text: String
    var mentions: Mentioned
    var isDeleted = false
    var hasReaction = false
    /// The message's sort key, which is the revision that inserted it; `nil` when an answer came without one.
    var sort: UInt64?
}

/// A command without an answer.
struct Unanswered {
    let command: Command
    /// Microseconds.
    let time: Int64
}
