/// The part of a frame that is about a list's rows: a ``ServerFrame/Snapshot``, a ``ListDiff`` or a page.
///
/// ```swift
/// if case .diff(_, let list, _, let diff as ListDiff<Message>) = frame { print("\(list): \(diff.insertions.count) more") }
/// ```
///
/// The list's name decides the type of the rows: see ``ListName/row``.
public protocol ListContent: Equatable, Sendable {}

/// A content of which frames are made. Every ``ListContent`` is one.
package protocol WireContent: ListContent {
    /// Reads the content of a frame.
    init(_ fields: Fields) throws(WireError)

    /// Encodes the frame without a `ref`, for every reader of the list.
    func encoded(_ list: ListName, _ epoch: Epoch) -> EncodedFrame
}

extension ListContent {
    func equals(_ other: any ListContent) -> Bool { (other as? Self) == self }

    /// Encodes the frame without a `ref`.
    func frame(_ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        guard let content = self as? any WireContent else {
            preconditionFailure("\(Self.self) is no content of frames")
        }
        return content.encoded(list, epoch)
    }
}

extension ListName {
    /// The type of the list's rows. This is the only place that a kind of list needs to read and write its frames.
    package var row: any WireRow.Type {
        switch self {
        case .messages: Message.self
        case .members: Member.self
        case .pins: Pin.self
        case .myRooms, .myThreads: MyRoom.self
        case .myMentions: MyMention.self
        case .myPeople: Person.self
        case .myDrafts: Draft.self
        case .myLater: LaterItem.self
        case .myBlocked: BlockedUser.self
        }
    }
}
