/// The name of a list that a reader can subscribe to.
///
/// - Shape: written `room/NAME/messages`, `room/NAME/members`, `room/NAME/pins`, `me/rooms`, `me/threads`, `me/mentions`,
///   `me/people`, `me/drafts`, `me/later` or `me/blocked`.
public enum ListName: Hashable, Sendable, LosslessStringConvertible {
    case messages(RoomName)
    case members(RoomName)
    /// The pinned messages of a room.
    case pins(RoomName)
    /// The rooms that the connection's user is a member of.
    case myRooms
    /// The threads that the connection's user follows.
    case myThreads
    /// The messages that mention the connection's user.
    case myMentions
    /// The profiles of those people whom the connection's user has asked for.
    case myPeople
    /// The messages that the connection's user has written and not sent.
    case myDrafts
    /// The messages that the server sends at a time for the connection's user, and their reminders.
    case myLater
    /// The users whom the connection's user has blocked.
    case myBlocked

    /// The room that the list belongs to; `nil` for a list that belongs to a person.
    public var room: RoomName? {
        switch self {
        case .messages(let room), .members(let room), .pins(let room): room
        case .myRooms, .myThreads, .myMentions, .myPeople, .myDrafts, .myLater, .myBlocked: nil
        }
    }

    public var description: String {
        switch self {
        case .myRooms: "me/rooms"
        case .myThreads: "me/threads"
        case .myMentions: "me/mentions"
        case .myPeople: "me/people"
        case .myDrafts: "me/drafts"
        case .myLater: "me/later"
        case .myBlocked: "me/blocked"
        case .messages(let room): "room/\(room)/messages"
        case .members(let room): "room/\(room)/members"
        case .pins(let room): "room/\(room)/pins"
        }
    }

    /// `nil` unless `text` has the shape.
    public init?(_ text: String) {
        for list in [Self.myRooms, .myThreads, .myMentions, .myPeople, .myDrafts, .myLater, .myBlocked]
        where text.hasBytes(of: list.description) {
            self = list
            return
        }
        // A thread's name has slashes itself.
        guard text.hasPrefix("room/"), let end = text.lastIndex(of: "/"),
            let room = RoomName(String(text[..<end].dropFirst("room/".count)))
        else { return nil }
        switch text[end...].dropFirst() {
        case "messages": self = .messages(room)
        case "members": self = .members(room)
        case "pins" where !room.isThread: self = .pins(room)
        default: return nil
        }
    }
}

/// One incarnation of the server's history.
///
/// Epochs are compared for equality only. The epoch changes when history was lost or replaced, never on an ordinary
/// restart.
public struct Epoch: BytewiseName {
    public let description: String

    /// `nil` unless `text` is 1 to 64 bytes long.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count) else { return nil }
        description = text
    }
}

/// The number of committed changes of one list, from 0, without a gap. It is not a time.
public typealias Revision = UInt64

/// Milliseconds since 1970-01-01T00:00:00Z, by the server's clock. They are for people to read and order nothing.
public typealias Milliseconds = Int64
