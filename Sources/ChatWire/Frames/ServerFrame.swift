/// What a server says: an answer to a request, or news.
public enum ServerFrame: Equatable, Sendable {
    case welcome(ref: UInt64, Welcome)
    case ok(ref: UInt64, Effect?)
    case error(ref: UInt64?, WireError)
    case pong(ref: UInt64)
    /// A list's messages as they are: the answer to a subscribe, or, without `ref`, what a slow reader gets when that is
    /// smaller than the diff.
    case snapshot(ref: UInt64?, ListName, MessageSnapshot)
    /// How a list's messages changed: news, or the answer to a subscribe that resumes.
    case diff(ref: UInt64?, ListName, Epoch, ListDiff<Message>)
    /// A room's members as they are.
    case memberSnapshot(ref: UInt64?, ListName, MemberSnapshot)
    /// How a room's members changed.
    case memberDiff(ref: UInt64?, ListName, Epoch, ListDiff<Member>)
    case page(ref: UInt64, ListName, Epoch, ListPage<Message>)
    case audit(ref: UInt64, RoomName, AuditPage)
    /// A subscription has ended by no wish of the client's.
    case ended(ListName, Ending)
    /// What the client's user may do in a room, as far as a client does not take it for granted.
    case standing(RoomName, RoomStanding)
    /// The client's token ends in this time, and the connection with it, unless a fresh one comes.
    case expiring(in: Milliseconds)
    /// Said before the server closes a connection of its own accord.
    case bye(code: UInt16, reason: String, retryAfter: Milliseconds?)

    /// Why a subscription has ended.
    public struct Ending: Equatable, Sendable {
        public let why: Why
        /// For a person to read.
        public let message: String

        public init(why: Why, message: String) {
            self.why = why
            self.message = message
        }

        public enum Why: String, Sendable, CaseIterable {
            /// A moderator has put the user out, who may come back.
            case kicked
            /// A moderator has closed the room to the user.
            case banned
            /// The user may not read the room any more.
            case forbidden
        }
    }

    /// Where a command's effect is to be seen.
    public struct Effect: Equatable, Sendable {
        public let list: ListName
        public let revision: Revision

        public init(list: ListName, revision: Revision) {
            self.list = list
            self.revision = revision
        }
    }

    public typealias MessageSnapshot = Snapshot<Message>
    public typealias MemberSnapshot = Snapshot<Member>

    /// A list as one reader is to have it.
    public struct Snapshot<Row: ListRow>: Equatable, Sendable {
        public let epoch: Epoch
        /// The revision at which the reader first joined. Messages that came after it stand in the section `socket`.
        public let joined: Revision
        public let why: SnapshotReason
        public let snapshot: ListSnapshot<Row>

        /// Puts each row into the section that `joined` gives it.
        public init(epoch: Epoch, joined: Revision, why: SnapshotReason, snapshot: ListSnapshot<Row>) {
            self.epoch = epoch
            self.joined = joined
            self.why = why
            self.snapshot = snapshot.sectioned(at: joined)
        }
    }

    /// Why a reader gets a snapshot and not a diff.
    public enum SnapshotReason: String, Sendable, CaseIterable {
        /// It asked for one.
        case fresh
        /// It resumed from another incarnation of the list.
        case epoch
        /// It resumed from a revision that the list has not reached.
        case future
        /// What was deleted since its revision is no longer known.
        case gone
        /// The diff would be larger.
        case smaller
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
    /// How long either side may be silent before the other sends something, in milliseconds.
    public let heartbeat: Milliseconds
    public let limits: WireLimits
    public let rates: WireRates
    /// The name of the parameter of the URL that has the room which the connection is for, so that a proxy keeps the room on
    /// one of several servers; `nil` where it makes no difference.
    public let route: String?

    public init(
        user: UserName, server: String, heartbeat: Milliseconds, limits: WireLimits, rates: WireRates = WireRates(),
        route: String? = nil
    ) {
        self.user = user
        self.server = server
        self.heartbeat = heartbeat
        self.limits = limits
        self.rates = rates
        self.route = route
    }
}

/// How often a client may do what, before the server answers `rate_limited`; `nil` is as often as it likes.
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

/// What a server takes from a client. Each is a maximum unless it says otherwise.
public struct WireLimits: Equatable, Sendable {
    /// A frame, in bytes.
    public var frame = 65_536
    /// A message's text, in bytes of UTF-8.
    public var text = 8_192
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
    /// All reactions to one message: see ``Message/Light/size``. Whoever reads the message gets them all again with each.
    public var reactionBytes = 16_384
    /// Commands of one connection that wait for their answers.
    public var pending = 256

    public init() {}
}

/// Why a request was not carried out. Nothing was changed.
public struct WireError: Error, Equatable, Sendable {
    public let code: Code
    /// What was wrong and what would be right, for a person to read.
    public let message: String
    /// When to try again, in milliseconds from now.
    public let retryAfter: Milliseconds?

    public init(_ code: Code, _ message: String, retryAfter: Milliseconds? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// Named after what the client can do.
    public enum Code: String, Sendable, CaseIterable {
        /// Correct the request.
        case badRequest = "bad_request"
        /// Say who you are.
        case unauthorized
        /// Ask somebody who may.
        case forbidden
        /// It is not there, or no longer.
        case notFound = "not_found"
        /// The id was used for something else: make a new one.
        case conflict
        case tooLarge = "too_large"
        /// Wait for `retryAfter`, then send it again.
        case rateLimited = "rate_limited"
        /// Not now: send it again, with the same id.
        case unavailable
        /// Our fault: report it.
        case `internal`
    }
}

/// Why a connection ends. From 4500 up a client does not come back by itself.
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
    /// Silent for longer than heartbeat + 10 s.
    public static let silent: UInt16 = 4000
    /// Bytes were waiting and none was taken for 30 s.
    public static let stalled: UInt16 = 4002
    /// Commands at an abusive rate.
    public static let flooding: UInt16 = 4003
    /// No `hello` in time.
    public static let helloTimeout: UInt16 = 4004
    /// The token has ended: to be come back from with a fresh one.
    public static let tokenExpired: UInt16 = 4005
    /// The operator has closed the connection: it may come back.
    public static let closedByOperator: UInt16 = 4006
    /// The server is short of memory, and most of it waits to be read by this connection.
    public static let owesMost: UInt16 = 4007
    /// A frame that is no JSON object.
    public static let badFrame: UInt16 = 4501
    /// The operator has closed the connection, and does not want it back.
    public static let barredByOperator: UInt16 = 4502

    /// Whether a client may come back by itself.
    public static func allowsReturn(_ code: UInt16) -> Bool {
        !(4500...4999).contains(code)
    }
}
