/// A room's name. It tells what kind of room it is.
///
/// - Shape: of an open room 1 to 64 of `a-z A-Z 0-9 . _ -`, so that it needs no quoting in a list's name, a path or a
///   shell. `.` and `..` are places in a path, so they are not names. Of a private room `~` and a UUID; of a direct room
///   `@` and 32 hexadecimal digits; both in lower case. Of a thread its room's name, `/thread/`, and the id of its root.
public struct RoomName: Hashable, Comparable, Sendable, LosslessStringConvertible {
    public let description: String

    /// `nil` unless `text` has the shape.
    public init?(_ text: String) {
        guard let name = RoomName(known: text) else { return nil }
        let room = name.ruling.description
        guard room != ".", room != ".." else { return nil }
        self = name
    }

    /// The name of a room that exists. It may be `.` or `..`, which were allowed once. `nil` unless `text` has the
    /// shape otherwise.
    package init?(known text: String) {
        let name = text.utf8
        if let end = name.firstIndex(of: UInt8(ascii: "/")) {
            let rest = name[end...]
            guard Self.isOfRoom(name[..<end]), rest.starts(with: Self.threadMark),
                Self.isUniqueID(rest.dropFirst(Self.threadMark.count))
            else { return nil }
        } else {
            guard Self.isOfRoom(name[...]) else { return nil }
        }
        description = text
    }

    private static func isOfRoom(_ name: Substring.UTF8View) -> Bool {
        switch Kind(ofName: name) {
        case .open: (1...64).contains(name.count) && name.allSatisfy(allows)
        case .private: isUniqueID(name.dropFirst())
        case .direct: name.count == 33 && name.dropFirst().allSatisfy(isDigit)
        }
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

        fileprivate init(ofName name: Substring.UTF8View) {
            switch name.first {
            case UInt8(ascii: "~"): self = .private
            case UInt8(ascii: "@"): self = .direct
            default: self = .open
            }
        }
    }

    /// Of a thread that of its room.
    public var kind: Kind { Kind(ofName: description.utf8[...]) }
}

extension RoomName {
    private static let threadMark = Array("/thread/".utf8)
    private static let threadEnding = threadMark.count + 36

    /// The name of the thread of a message: the room of the replies to it.
    ///
    /// ```swift
    /// let thread = lobby.thread(of: message.id)  // lobby/thread/5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2
    /// ```
    ///
    /// - Precondition: the room is not a thread itself.
    public func thread(of root: MessageID) -> RoomName {
        precondition(!isThread, "\(self) is a thread: its messages have none")
        return RoomName(thread: "\(description)/thread/\(root)")
    }

    private init(thread name: String) { description = name }

    /// True for the name of a thread.
    public var isThread: Bool {
        description.utf8.count > Self.threadEnding && description.utf8.contains(UInt8(ascii: "/"))
    }

    /// The room of a thread, which has its people and its rules; `nil` for a room.
    public var parent: RoomName? {
        isThread ? RoomName(known: String(description.utf8.dropLast(Self.threadEnding)) ?? "") : nil
    }

    /// The message that a thread answers; `nil` for a room.
    public var root: MessageID? {
        isThread ? MessageID(String(description.utf8.suffix(36)) ?? "") : nil
    }

    /// The room whose people and rules count: this one, or that of the thread.
    public var ruling: RoomName { parent ?? self }
}
