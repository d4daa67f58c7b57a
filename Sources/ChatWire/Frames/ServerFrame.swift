/// A frame of the server: an answer to a request, or news.
public enum ServerFrame: Sendable {
    case welcome(ref: UInt64, Welcome)
    case ok(ref: UInt64, Effect?)
    /// The outcome for each room of a ``ClientFrame/Request/readRooms(_:)``.
    case roomsRead(ref: UInt64, [RoomRead])
    case error(ref: UInt64?, WireError)
    case pong(ref: UInt64)
    /// A list's rows: the answer to a subscribe, or news to a slow reader for whom the snapshot is smaller than the diff. A
    /// ``Snapshot`` of the list's kind of row.
    case snapshot(ref: UInt64?, ListName, any SnapshotContent)
    /// The changes of a list: news, or the answer to a subscribe that resumes. A ``ListDiff`` of the list's kind of row.
    case diff(ref: UInt64?, ListName, Epoch, any ListContent)
    /// Rows of a list that the client has asked for: a ``ListPage``, or a ``MentionsPage`` of the user's mentions, or a
    /// ``MembersPage``.
    case page(ref: UInt64, ListName, Epoch, any ListContent)
    case audit(ref: UInt64, RoomName, AuditPage)
    /// The results of a search.
    case found(ref: UInt64, SearchPage)
    /// Where a file is to be uploaded.
    case uploading(ref: UInt64, UploadPermit)
    /// Where files are downloaded.
    case links(ref: UInt64, FileLinks)
    /// The server has ended a subscription.
    case ended(ListName, Ending)
    /// The rights of the client's user in a room, where they differ from what a client takes for granted.
    case standing(RoomName, RoomStanding)
    /// The client's token ends in this time, and the connection with it unless a fresh token comes.
    case expiring(in: Milliseconds)
    /// Comes before the server closes a connection of its own accord.
    case bye(code: UInt16, reason: String, retryAfter: Milliseconds?)

    /// The reason why a subscription has ended.
    public struct Ending: Equatable, Sendable {
        public let why: Why
        /// For a person to read.
        public let message: String

        public init(why: Why, message: String) {
            self.why = why
            self.message = message
        }

        public enum Why: String, Sendable, CaseIterable {
            /// A moderator has put the user out. The user may come back.
            case kicked
            /// A moderator has banned the user from the room.
            case banned
            /// The user may not read the room any more.
            case forbidden
        }
    }

    /// The list and the revision that show a command's effect.
    public struct Effect: Equatable, Sendable {
        public let list: ListName
        public let revision: Revision

        public init(list: ListName, revision: Revision) {
            self.list = list
            self.revision = revision
        }
    }

    /// The revision up to which a room is read now, or why it is not.
    public struct RoomRead: Equatable, Sendable {
        public let room: RoomName
        public let result: Result<Revision, WireError>

        public init(room: RoomName, result: Result<Revision, WireError>) {
            self.room = room
            self.result = result
        }
    }

    /// A list as one reader receives it.
    public struct Snapshot<Row: ListRow>: SnapshotContent {
        public let epoch: Epoch
        /// The revision at which the reader first joined. Messages that came after it stand in the section `socket`.
        public let joined: Revision
        public let why: SnapshotReason
        public let snapshot: ListSnapshot<Row>

        public var revision: Revision { snapshot.revision }

        /// Puts each row into the section that `joined` gives it.
        public init(epoch: Epoch, joined: Revision, why: SnapshotReason, snapshot: ListSnapshot<Row>) {
            self.epoch = epoch
            self.joined = joined
            self.why = why
            self.snapshot = snapshot.sectioned(at: joined)
        }
    }

    /// The reason why a reader gets a snapshot and not a diff.
    public enum SnapshotReason: String, Sendable, CaseIterable {
        /// The reader asked for a snapshot.
        case fresh
        /// The reader resumed from another incarnation of the list.
        case epoch
        /// The reader resumed from a revision that the list has not reached.
        case future
        /// The server no longer knows what was deleted since the reader's revision.
        case gone
        /// The diff would be larger.
        case smaller
    }
}

/// A ``ServerFrame/Snapshot`` of any kind of row.
public protocol SnapshotContent: ListContent {
    var epoch: Epoch { get }
    var revision: Revision { get }
    var why: ServerFrame.SnapshotReason { get }
}

extension ServerFrame: Equatable {
    public static func == (left: ServerFrame, right: ServerFrame) -> Bool {
        guard left.ref == right.ref else { return false }
        return switch (left, right) {
        case (.welcome(_, let left), .welcome(_, let right)): left == right
        case (.ok(_, let left), .ok(_, let right)): left == right
        case (.roomsRead(_, let left), .roomsRead(_, let right)): left == right
        case (.error(_, let left), .error(_, let right)): left == right
        case (.pong, .pong): true
        case (.snapshot(_, let one, let left), .snapshot(_, let other, let right)): one == other && left.equals(right)
        case (.diff(_, let one, let epoch, let left), .diff(_, let other, let otherEpoch, let right)),
            (.page(_, let one, let epoch, let left), .page(_, let other, let otherEpoch, let right)):
            one == other && epoch == otherEpoch && left.equals(right)
        case (.audit(_, let room, let left), .audit(_, let other, let right)): room == other && left == right
        case (.found(_, let left), .found(_, let right)): left == right
        case (.uploading(_, let left), .uploading(_, let right)): left == right
        case (.links(_, let left), .links(_, let right)): left == right
        case (.ended(let list, let left), .ended(let other, let right)): list == other && left == right
        case (.standing(let room, let left), .standing(let other, let right)): room == other && left == right
        case (.expiring(let left), .expiring(let right)): left == right
        case (.bye(let code, let reason, let time), .bye(let otherCode, let otherReason, let otherTime)):
            (code, reason, time) == (otherCode, otherReason, otherTime)
        default: false
        }
    }
}

extension ListSnapshot {
    fileprivate func sectioned(at joined: Revision) -> Self {
        var sectioned = self
        for index in rows.indices {
            let section = rows[index].section(joined: joined)
            if rows[index].section != section { sectioned.rows[index].section = section }
        }
        return sectioned
    }
}

/// The answer to `hello`.
public struct Welcome: Equatable, Sendable {
    public let user: UserName
    /// The server's name and version.
    public let server: String
    /// The longest silence of either side before it must send something, in milliseconds.
    public let heartbeat: Milliseconds
    public let limits: WireLimits
    public let rates: WireRates
    /// The URL parameter that names the connection's room; `nil` where it makes no difference.
    ///
    /// A proxy routes by it, so that a room stays on one of several servers.
    public let route: String?
    /// The time of day by the server's clock; `nil` from an earlier server.
    public let time: Milliseconds?

    public init(
        user: UserName, server: String, heartbeat: Milliseconds, limits: WireLimits, rates: WireRates = WireRates(),
        route: String? = nil, time: Milliseconds? = nil
    ) {
        self.user = user
        self.server = server
        self.heartbeat = heartbeat
        self.limits = limits
        self.rates = rates
        self.route = route
        self.time = time
    }
}

/// The rates above which the server answers `rate_limited`; `nil` is no limit.
///
/// - Units: a second, of which five seconds' worth may come at once; ``rooms`` an hour, all at once.
public struct WireRates: Equatable, Sendable {
    /// Frames of one connection.
    public var frames: Int?
    /// Pages and audits of one connection.
    public var pages: Int?
    /// Messages, edits, deletions and reactions of one user in one room.
    public var sends: Int?
    /// Rooms that one user makes.
    public var rooms: Int?

    public init() {}
}

/// The limits that a server sets for its clients. Each is a maximum unless it says otherwise.
public struct WireLimits: Equatable, Sendable {
    /// A frame, in bytes.
    public var frame = 65_536
    /// A message's text, in bytes of UTF-8.
    public var text = 8_192
    /// The data of a message, in bytes of JSON.
    public var data = 4_096
    /// Files of one message; 0 where the server keeps none.
    public var files = 0
    /// A file, in bytes.
    public var fileBytes = 0
    /// Rows of a snapshot or page. The minimum is ``ListDigest/window``.
    public var rows = 500
    /// Lists that one connection subscribes to.
    public var subscriptions = 128
    /// An emoji, in bytes of UTF-8.
    public var emoji = 64
    /// Different emojis on one message.
    public var reactions = 20
    /// People behind one emoji of one message.
    public var reactors = 1_000
    /// All reactions to one message, in bytes as ``Message/Light/size`` counts them.
    ///
    /// Each new reaction sends all of them again to every reader of the message.
    public var reactionBytes = 16_384
    /// Commands of one connection that wait for their answers.
    public var pending = 256
    /// Rooms that one person is a member of or invited to.
    public var memberships = 5_000
    /// Members of one room and people invited to it.
    public var members = 100_000
    /// People who have a role, a mute or a ban in one room.
    public var standings = 10_000
    /// People who have written within one interval of a room's slow mode.
    public var senders = 50_000
    /// Pinned messages of one room.
    public var pins = 100
    /// People whom one message mentions.
    public var mentions = 50
    /// People whose profiles one user has asked for.
    public var people = 2_000
    /// Drafts of one user.
    public var drafts = 100
    /// Messages and reminders that one user has in `me/later`.
    public var later = 100
    /// Users whom one user has blocked.
    public var blocked = 1_000
    /// The short names that reactions may have beside Unicode's emoji, such as `:shipit:`. They are no maximum: `welcome` has
    /// them as `emojis`.
    public var shortNames: [ShortName] = []
    /// The rows of each long section of `me/rooms` for a reader that names no number.
    public static let firstRooms = 100
    /// The most rows of `me/mentions`. Where there are fewer, there are no older ones.
    public static let newestMentions = 100

    public init() {}
}

/// The reasons why a connection ends, as WebSocket close codes. From 4500 up a client does not reconnect by itself.
public enum CloseCode {
    public static let normal: UInt16 = 1000
    public static let goingAway: UInt16 = 1001
    public static let unsupported: UInt16 = 1003
    public static let invalidText: UInt16 = 1007
    public static let policyViolation: UInt16 = 1008
    public static let tooLarge: UInt16 = 1009
    public static let internalError: UInt16 = 1011
    public static let restart: UInt16 = 1012
    public static let overload: UInt16 = 1013
    /// The client was silent for longer than heartbeat + 10 s.
    public static let silent: UInt16 = 4000
    /// Bytes waited for 30 s and the client took none.
    public static let stalled: UInt16 = 4002
    /// The client sent commands at an abusive rate.
    public static let flooding: UInt16 = 4003
    /// The client did not send `hello` in time.
    public static let helloTimeout: UInt16 = 4004
    /// The token has ended. The client reconnects with a fresh one.
    public static let tokenExpired: UInt16 = 4005
    /// The operator has closed the connection. The client may reconnect.
    public static let closedByOperator: UInt16 = 4006
    /// The server is short of memory, and this connection holds the most unread bytes.
    public static let owesMost: UInt16 = 4007
    /// The client sent a frame that is not a JSON object.
    public static let badFrame: UInt16 = 4501
    /// The operator has closed the connection and does not want the client back.
    public static let barredByOperator: UInt16 = 4502

    /// Returns whether a client may reconnect by itself.
    public static func allowsReturn(_ code: UInt16) -> Bool {
        !(4500...4999).contains(code)
    }
}
