package import ChatRoom
package import ChatWire
package import WebSocketTransport

/// A shard's reaction to one turn's inputs: one submission to the committer, queries to the store, and one list of
/// commands for each event loop.
package struct ShardDecision: Sendable {
    /// The commands for one event loop, and the notes that its sessions get first.
    package struct Loop: Sendable {
        package var notes: [SessionNote] = []
        package var commands: [LoopCommand] = []
        /// The size of the commands' frames.
        fileprivate(set) var bytes = 0
        /// True when a command appends to an outgoing log.
        fileprivate(set) var appends = false
    }

    /// A room's note to a session.
    package enum SessionNote: Sendable {
        /// A room answered one of the connection's requests, with this many bytes more than the request has paid for,
        /// or with a negative number fewer.
        case answered(ConnectionID, costing: Int)
        /// The connection's subscription to the list has ended.
        case ended(ConnectionID, ListName, visit: UInt64)
    }

    /// An operation to commit.
    package struct Commit: Sendable {
        package let room: RoomName
        package let ticket: Ticket
        package var operation: Operation
        /// True when the operation may create the room, which counts against its author's quota.
        let mayFound: Bool
    }

    /// A note to the other servers.
    package enum PeerNote: Equatable, Sendable {
        /// The room is open here: this server wants to hear of their operations on it, and of their people there.
        case follow(RoomName, withPeople: Bool)
        case leave(RoomName)
        case announce([Presence], RoomName)
    }

    /// An event for the metrics and the log.
    enum Event: Sendable {
        case published(rows: Int, revisions: Int)
        case publishedMembers
        case publishedInbox
        case delivered(ListDelivery<Message>, resumed: Bool)
        /// A reader that fell behind at this time has been sent what it lacks.
        case caughtUp(since: ContinuousClock.Instant)
        case refused(WireError.Code)
        case held(to: HeldLimit)
        case closed(code: UInt16)
        case diverged(RoomName, Revision)
    }

    /// The changes of gauges.
    struct Growth: Sendable {
        var rooms = 0
        var readers = 0
        var online = 0
        var inboxes = 0
        var cachedBytes = 0
        /// Rooms and their rows.
        var rowBytes = 0
        /// Lists of one's own.
        var listBytes = 0
    }

    package var loops: [Loop]
    package var commits: [Commit] = []
    package var queries: [StoreQuery] = []
    package var inboxQueries: [InboxQuery] = []
    /// Read marks to put on disk within a second. The shards of their people are told when they are.
    package var marks: [(mark: ReadMark, epoch: Epoch)] = []
    /// In the order in which they are to arrive.
    package var messages: [(shard: Int, message: ShardMessage)] = []
    /// The times of alarms, or `nil` to cancel. A later entry for the same alarm replaces an earlier one.
    package var alarms: [(alarm: ShardAlarm, time: Duration?)] = []
    /// Answers to services.
    var served: [(Reader, ServerFrame)] = []
    /// Connections whose rooms have applied a fresh token. They hear of it after all commands were submitted.
    package var regranted: [(Reader, ref: UInt64)] = []
    package var peers: [PeerNote] = []
    var events: [Event] = []
    var growth = Growth()

    private let most: Int
    /// The bytes of the frames for the loop that has the most of them.
    private var bytes = 0

    /// - Parameter most: the bytes of frames for one loop at which the decision is full.
    init(loops: Int, most: Int) {
        self.most = most
        self.loops = Array(repeating: Loop(), count: loops)
    }

    /// The bytes of frames that it may still get.
    var space: Int { max(0, most - bytes) }

    /// True when the shard must perform this decision before it takes more inputs.
    var isFull: Bool { bytes >= most }

    mutating func add(_ command: LoopCommand, onLoop loop: Int) {
        loops[loop].commands.append(command)
        loops[loop].bytes += command.byteCount
        bytes = max(bytes, loops[loop].bytes)
        if case .append = command { loops[loop].appends = true }
    }

    mutating func note(_ note: SessionNote, onLoop loop: Int) {
        loops[loop].notes.append(note)
    }

    /// Sends the answer to a request.
    ///
    /// - Parameter examined: the number of rows that were looked at for it, beside those in the answer.
    mutating func answer(_ reader: Reader, _ frame: ServerFrame, examined: Int = 0) {
        if case .error(_, let error) = frame { events.append(.refused(error.code)) }
        guard !reader.isService else { return served.append((reader, frame)) }
        let text = frame.json
        let connection = reader.connection
        let bytes = text.count + examined * Allowances.provenRowBytes
        let cost = frame.isPage ? max(0, bytes - Allowances.pageBytes) : 0
        note(.answered(connection, costing: cost), onLoop: connection.loop)
        add(.send(Frame(text: text), to: connection), onLoop: connection.loop)
    }

    /// Sends a frame that answers no request.
    mutating func send(_ reader: Reader, _ frame: ServerFrame) {
        add(.send(Frame(text: frame.json), to: reader.connection), onLoop: reader.connection.loop)
    }

    mutating func end(_ reader: Reader, _ list: ListName, visit: UInt64) {
        note(.ended(reader.connection, list, visit: visit), onLoop: reader.connection.loop)
    }

    /// Sends the reason, then closes the connection.
    mutating func dismiss(_ reader: Reader, code: UInt16, _ error: WireError) {
        events.append(.closed(code: code))
        let bye = Frame(bye: code, error.message, retryAfter: error.retryAfter)
        add(
            .close(reader.connection, sending: bye, code: code, reason: error.message), onLoop: reader.connection.loop)
    }
}

extension Frame {
    /// The last frame to a connection that the server closes.
    convenience init(bye code: UInt16, _ reason: String, retryAfter: Milliseconds?) {
        self.init(text: ServerFrame.bye(code: code, reason: reason, retryAfter: retryAfter).json)
    }
}

extension ServerFrame {
    fileprivate var isPage: Bool {
        switch self {
        case .page, .audit: true
        default: false
        }
    }
}

extension Reader {
    package init(_ connection: ConnectionID) {
        self.init(connection.rawValue)
    }

    package var connection: ConnectionID {
        ConnectionID(rawValue)
    }
}
