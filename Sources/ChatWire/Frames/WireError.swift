/// The error with which a server answers a request. Nothing was changed.
///
/// An error that a server makes has a ``Reason``, which decides its ``code-swift.property``.
public struct WireError: Error, Equatable, Sendable {
    public let code: Code
    /// The fault, for a program; `nil` if it is of a later version than this one, or the server of an earlier one.
    public let reason: Reason?
    /// The field that is at fault, as a path such as `mentions[2]` or `resume.ranges`; `nil` if it is no field.
    public let field: String?
    /// The fault and its remedy, for a person to read.
    public let message: String
    /// The time after which to try again, in milliseconds from now.
    public let retryAfter: Milliseconds?

    public init(_ reason: Reason, _ message: String, field: String? = nil, retryAfter: Milliseconds? = nil) {
        self.init(code: reason.code, reason: reason, field: field, message, retryAfter: retryAfter)
    }

    /// Makes an error as another program told it, whose reason may be unknown here.
    public init(
        code: Code, reason: Reason? = nil, field: String? = nil, _ message: String, retryAfter: Milliseconds? = nil
    ) {
        self.code = code
        self.reason = reason
        self.field = field
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The kinds of error, each named after what the client can do.
    public enum Code: String, Sendable, CaseIterable {
        /// Correct the request.
        case badRequest = "bad_request"
        /// Log in.
        case unauthorized
        /// Ask a user who has the right.
        case forbidden
        /// The target does not exist, or no longer.
        case notFound = "not_found"
        /// The id was used for something else: make a new one.
        case conflict
        case tooLarge = "too_large"
        /// Wait for `retryAfter`, then send it again.
        case rateLimited = "rate_limited"
        /// Not now: send it again, with the same id.
        case unavailable
        /// The server's fault: report it.
        case `internal`
    }

    /// The faults that a server finds, each of one ``Code``. `docs/protocol-reference.md` has them as a table.
    public enum Reason: String, Sendable, CaseIterable {
        // bad_request
        case syntax, missing, invalid
        case unknownField = "unknown_field"
        case notReached = "not_reached"
        case helloTwice = "hello_twice"
        case notPaged = "not_paged"
        case openRoom = "open_room"
        case directRoom = "direct_room"
        case yourself
        case theyAreBanned = "they_are_banned"
        case notInvited = "not_invited"
        case method
        case contentType = "content_type"
        case noFiles = "no_files"
        case checksum
        // unauthorized
        case helloFirst = "hello_first"
        case tokenMissing = "token_missing"
        case tokenInvalid = "token_invalid"
        case tokenExpired = "token_expired"
        case tokenEarly = "token_early"
        case noKeys = "no_keys"
        // forbidden
        case role, banned, invited, muted
        case readOnly = "read_only"
        case thread
        case notYours = "not_yours"
        case notBelow = "not_below"
        case everyone
        case otherUser = "other_user"
        case link
        // not_found
        case noMessage = "no_message"
        case noRoom = "no_room"
        case notMember = "not_member"
        case notSubscribed = "not_subscribed"
        case noResource = "no_resource"
        case notPinned = "not_pinned"
        case noFile = "no_file"
        case notWaiting = "not_waiting"
        // conflict
        case idUsed = "id_used"
        case roomTaken = "room_taken"
        case superseded, unsubscribed
        case backupRunning = "backup_running"
        case rebalanceRunning = "rebalance_running"
        case offset
        case notOpen = "not_open"
        case otherSize = "other_size"
        // too_large
        case frame
        case tooLong = "too_long"
        case tooMany = "too_many"
        case reactions, subscriptions, memberships
        case theirMemberships = "their_memberships"
        case members, standings, pins, later, blocked
        case userFiles = "user_files"
        case roomFiles = "room_files"
        // rate_limited
        case frames, pages, sends, reacting, moderating, rooms
        case userBytes = "user_bytes"
        case roomBytes = "room_bytes"
        case slowMode = "slow_mode"
        case pending, connections
        // unavailable
        case overloaded
        case diskSlow = "disk_slow"
        case diskFull = "disk_full"
        case notWritable = "not_writable"
        case storeDown = "store_down"
        case storeReplaced = "store_replaced"
        case damaged, upgrading, overtaken

        /// The code of the errors that have this reason.
        public var code: Code {
            switch self {
            case .syntax, .missing, .invalid, .unknownField, .notReached, .helloTwice, .notPaged, .openRoom,
                .directRoom, .yourself, .theyAreBanned, .notInvited, .method, .contentType, .noFiles,
                .checksum:
                .badRequest
            case .helloFirst, .tokenMissing, .tokenInvalid, .tokenExpired, .tokenEarly, .noKeys: .unauthorized
            case .role, .banned, .invited, .muted, .readOnly, .thread, .notYours, .notBelow, .everyone, .otherUser,
                .link:
                .forbidden
            case .noMessage, .noRoom, .notMember, .notSubscribed, .noResource, .notPinned, .noFile, .notWaiting:
                .notFound
            case .idUsed, .roomTaken, .superseded, .unsubscribed, .backupRunning, .rebalanceRunning, .offset, .notOpen,
                .otherSize:
                .conflict
            case .frame, .tooLong, .tooMany, .reactions, .subscriptions, .memberships, .theirMemberships,
                .members, .standings, .pins, .later, .blocked, .userFiles, .roomFiles:
                .tooLarge
            case .frames, .pages, .sends, .reacting, .moderating, .rooms, .userBytes, .roomBytes, .slowMode, .pending,
                .connections:
                .rateLimited
            case .overloaded, .diskSlow, .diskFull, .notWritable, .storeDown, .storeReplaced, .damaged, .upgrading,
                .overtaken:
                .unavailable
            }
        }
    }
}
