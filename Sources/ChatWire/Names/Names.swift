/// A room's name.
///
/// - Shape: 1 to 64 of `a-z A-Z 0-9 . _ -`, so that it needs no quoting in a list's name, a path or a shell. `.` and
///   `..` are places in a path, so they are not names.
public struct RoomName: Hashable, Comparable, Sendable, LosslessStringConvertible {
    public let description: String

    /// `nil` unless `text` has the shape.
    public init?(_ text: String) {
        guard text != ".", text != "..", let name = RoomName(known: text) else { return nil }
        self = name
    }

    /// The name of a room that exists. It may be `.` or `..`, which were allowed once. `nil` unless `text` has the
    /// shape otherwise.
    package init?(known text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.allows) else { return nil }
        description = text
    }

    public static func < (left: Self, right: Self) -> Bool { left.description < right.description }

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The name of a list that a reader can subscribe to.
///
/// - Shape: written `room/NAME/messages`, `room/NAME/members` or `me/rooms`.
public enum ListName: Hashable, Sendable, LosslessStringConvertible {
    case messages(RoomName)
    case members(RoomName)
    /// The rooms that the connection's user is a member of.
    case myRooms

    /// The room that the list belongs to; `nil` for a list that belongs to a person.
    public var room: RoomName? {
        switch self {
        case .messages(let room), .members(let room): room
        case .myRooms: nil
        }
    }

    public var description: String {
        switch self {
        case .myRooms: "me/rooms"
        case .messages(let room): "room/\(room)/messages"
        case .members(let room): "room/\(room)/members"
        }
    }

    /// `nil` unless `text` has the shape.
    public init?(_ text: String) {
        if text.hasBytes(of: Self.myRooms.description) {
            self = .myRooms
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "room", let room = RoomName(String(parts[1])) else { return nil }
        switch parts[2] {
        case "messages": self = .messages(room)
        case "members": self = .members(room)
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
