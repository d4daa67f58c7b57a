package import ChatRoom
import ChatWire

/// Limits of what one connection and one user may have; `nil` is no limit.
package struct Allowances: Equatable, Sendable {
    /// Frames of one connection.
    package var commands: Rate?
    /// Pages of messages and of the audit log, of one connection, or of whoever asks without one. By their bytes, so that
    /// ``pageBytes`` more are one more. A subscribe takes one until it is answered, and then costs its answer's bytes.
    package var pages: Rate?
    static let pageBytes = 128 << 10
    /// A row that a returning reader holds, and that is read to prove its range, costs as much as these bytes of an answer.
    static let provenRowBytes = 16
    /// Every command of one user in one room that is committed. The operator's services have no rate.
    package var sends: Rate?
    /// The part of ``sends`` that may be reactions, one in so many: each brings its message's other reactions to every
    /// reader again.
    package static let reactionShare = 5
    /// The part of ``sends`` that may be moderations, one in so many: each is an entry of the audit log for good.
    package static let moderationShare = 5
    /// Rooms that one user makes. A room is made by the first operation in it: what is only read leaves nothing.
    package var rooms: Rate?
    /// Bytes that one user writes in all rooms together, as the store keeps them. The operator's services have no rate.
    package var userBytes: Rate?
    /// Bytes that all users write in one room.
    package var roomBytes: Rate?
    /// An operation takes so many bytes of the store beside its text: rows, indexes and the log.
    static let operationBytes = 320
    /// Connections of one user at once.
    package var connections: Int?

    package init() {}

    /// Returns a number a second, with five seconds' worth at once.
    package static func perSecond(_ count: Int) -> Rate? {
        count == 0 ? nil : Rate(count, burst: 5 * count)
    }

    /// Returns a number an hour, all of them at once.
    package static func perHour(_ count: Int) -> Rate? {
        count == 0 ? nil : Rate(count, in: 3_600_000, burst: count)
    }
}

extension WireRates {
    /// Makes the rates that clients are told.
    init(_ allowances: Allowances) {
        self.init()
        frames = allowances.commands?.count
        pages = allowances.pages?.count
        sends = allowances.sends?.count
        rooms = allowances.rooms?.count
    }
}

/// The limits of ``Allowances`` and of ``WireLimits``, as the metrics name them.
package enum HeldLimit: String, CaseIterable, Sendable {
    case commandRate = "command_rate"
    case pageRate = "page_rate"
    case sendRate = "send_rate"
    case reactionRate = "reaction_rate"
    case moderationRate = "moderation_rate"
    case roomRate = "room_rate"
    case userBytes = "user_bytes"
    case roomBytes = "room_bytes"
    case storeReads = "store_reads"
    case connectionsPerUser = "connections_per_user"
    case pending
    case subscriptions
}

extension WireError {
    static func tooManyCommands(_ wait: Milliseconds) -> WireError {
        WireError(.frames, "this connection sends too many frames: wait, then send it again", retryAfter: wait)
    }

    static func tooManyPages(_ wait: Milliseconds) -> WireError {
        WireError(.pages, "too many pages were requested: wait, then send it again", retryAfter: wait)
    }

    static func tooManySends(in room: RoomName, _ wait: Milliseconds) -> WireError {
        WireError(
            .sends, "you send too much to room \(room): wait, then send it again, with the same id",
            retryAfter: wait)
    }

    static func tooManyReactions(in room: RoomName, _ wait: Milliseconds) -> WireError {
        WireError(
            .reacting, "you react too often in room \(room): wait, then react again, with the same command",
            retryAfter: wait)
    }

    static func tooManyModerations(in room: RoomName, _ wait: Milliseconds) -> WireError {
        WireError(
            .moderating, "you moderate too often in room \(room): wait, then send it again, with the same command",
            retryAfter: wait)
    }

    static func tooManyBytes(_ wait: Milliseconds) -> WireError {
        WireError(
            .userBytes, "you have written much within an hour: wait, then send it again, with the same id",
            retryAfter: wait)
    }

    static func tooManyBytes(in room: RoomName, _ wait: Milliseconds) -> WireError {
        WireError(
            .roomBytes, "much was written in room \(room) within an hour: wait, then send it again, with the same id",
            retryAfter: wait)
    }

    static func tooManyConnections(_ limit: Int) -> WireError {
        WireError(
            .connections, "you have \(limit) connections, which is the most: close one, or come back later",
            retryAfter: 5_000)
    }
}
