package import ChatWire

/// A pattern for the rooms that a grant covers.
///
/// - Shape: a room's name, or the beginning of one, which may be empty, and `*`.
package struct RoomPattern: Hashable, Sendable, LosslessStringConvertible {
    package let description: String

    /// `nil` unless `text` has the shape.
    package init?(_ text: String) {
        let beginning = text.utf8.last == UInt8(ascii: "*") ? text.unicodeScalars.dropLast() : text.unicodeScalars[...]
        guard RoomName(String(beginning)) != nil || text.hasBytes(of: "*") else { return nil }
        description = text
    }

    package init(_ room: RoomName) {
        description = room.description
    }

    package func matches(_ room: RoomName) -> Bool {
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
