/// A room's name. It tells what kind of room it is.
///
/// - Shape: of an open room 1 to 64 of `a-z A-Z 0-9 . _ -`, so that it needs no quoting in a list's name, a path or a
///   shell. `.` and `..` are places in a path, so they are not names. Of a private room `~` and a UUID; of a direct room
///   `@` and 32 hexadecimal digits; both in lower case.
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
        let isName =
            switch Kind(ofName: text) {
            case .open: (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(Self.allows)
            case .private: Self.isUniqueID(text.utf8.dropFirst())
            case .direct: text.utf8.count == 33 && text.utf8.dropFirst().allSatisfy(Self.isDigit)
            }
        guard isName else { return nil }
        description = text
    }

    /// The name of the private room that a command creates.
    public init(privateRoomOf command: CommandID) {
        description = "~\(command)"
    }

    /// The name of a direct room.
    ///
    /// - Parameter digest: the first 16 bytes of the SHA-256 of its people's names, which are sorted by their bytes and
    ///   joined by line feeds.
    package init(directRoomOf digest: UniqueID) {
        description = "@" + digest.description.filter { $0 != "-" }
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

    private static func isUniqueID(_ text: some Collection<UInt8>) -> Bool {
        UniqueID(utf8: text) != nil && text.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Returns whether a byte is a hexadecimal digit in lower case.
    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}

extension RoomName {
    /// A room's kind. It never changes, because it is in the name.
    public enum Kind: String, Sendable, CaseIterable {
        /// Everybody with a grant for the room may come in.
        case open
        /// Only people whom an owner has invited may come in.
        case `private`
        /// The one room of these people, which has no owner and cannot be left.
        case direct

        fileprivate init(ofName text: String) {
            switch text.utf8.first {
            case UInt8(ascii: "~"): self = .private
            case UInt8(ascii: "@"): self = .direct
            default: self = .open
            }
        }
    }

    public var kind: Kind { Kind(ofName: description) }
}
