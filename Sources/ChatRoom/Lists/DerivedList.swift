package import ChatWire

/// A short list that follows from a room's messages and rules, such as that of its pinned messages.
///
/// It is brought to what the room has published, and then names the messages that it needs from the store, if any. A new
/// kind of such a list is a conforming type, its row, and its name; readers are served alike.
package protocol DerivedList: ListState, Sendable {
    /// - Parameter tag: makes a row's tag.
    init(of epoch: Epoch, tagging tag: @escaping @Sendable (Row) -> UniqueID?)

    /// About the bytes of the messages that it holds.
    var bytes: Int { get }

    /// The sort keys of the messages that must be read before the list is as the room is.
    var lacking: [UInt64] { get }

    /// Brings the list to what the room has published.
    ///
    /// - Precondition: ``RoomState/isPublished``.
    mutating func update(from room: borrowing RoomState)

    /// Applies messages that were read, as of what the room has published.
    ///
    /// - Parameter sorts: the sort keys that were read; one of which there is no message is not there any more.
    mutating func apply(_ messages: [Message], of sorts: [UInt64])

    /// Makes the next revision.
    ///
    /// - Returns: the changes; `nil` if there are none.
    mutating func commit() -> ListDiff<Row>?
}
