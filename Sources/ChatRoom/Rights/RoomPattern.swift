package import ChatWire

/// A pattern for the rooms that a grant covers.
///
/// - Shape: a room's name, or the beginning of one, which may be empty, and `*`. Private rooms begin with `~`, direct ones
///   with `@`.
package struct RoomPattern: Hashable, Sendable, LosslessStringConvertible {
    package let description: String

    /// `nil` unless `text` has the shape.
    package init?(_ text: String) {
        if text.utf8.last == UInt8(ascii: "*") {
            guard Self.isBeginning(String(text.unicodeScalars.dropLast())) else { return nil }
        } else {
            guard Self.isRoom(text) else { return nil }
        }
        description = text
    }

    /// The names of a private and of a direct room, whose ends complete beginnings of such names.
    private static let examples = ["~00000000-0000-4000-8000-000000000000", "@00000000000000000000000000000000"]

    private static func isRoom(_ text: String) -> Bool { RoomName(text)?.isThread == false }

    private static func isBeginning(_ text: String) -> Bool {
        if text.isEmpty || isRoom(text) { return true }
        return examples.contains { example in
            guard example.utf8.first == text.utf8.first else { return false }
            let end = example.utf8.dropFirst(text.utf8.count)
            return RoomName(text + String(decoding: end, as: UTF8.self)) != nil
        }
    }

    package init(_ room: RoomName) {
        description = room.description
    }

    /// Threads are what their rooms are.
    package func matches(_ room: RoomName) -> Bool {
        let room = room.ruling
        guard isBeginning else { return description == room.description }
        return room.description.utf8.starts(with: description.utf8.dropLast())
    }

    private var isBeginning: Bool { description.utf8.last == UInt8(ascii: "*") }

    /// The specificity: the higher one of two patterns that match a room decides. Two such patterns never have the
    /// same.
    package var specificity: Int {
        isBeginning ? description.utf8.count - 1 : .max
    }
}
