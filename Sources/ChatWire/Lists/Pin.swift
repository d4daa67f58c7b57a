/// One pinned message of a room: a row of `room/NAME/pins`.
///
/// - Shape: `sort` follows the order that the moderators gave the messages.
public struct Pin: ListRow {
    public enum Section: String, ListSection {
        case pins

        public var order: Int { 0 }
    }

    /// The fields that an edit of the message changes.
    public struct Light: Equatable, Sendable {
        public var content: MessageContent
        /// The time at which the content was last replaced; `nil` for never.
        public var edited: Milliseconds?

        public init(content: MessageContent, edited: Milliseconds? = nil) {
            self.content = content
            self.edited = edited
        }
    }

    public let id: MessageID
    public var section: Section {
        get { .pins }
        set {}
    }
    public var sort: UInt64
    public var rev: Revision
    public var tag: UniqueID?
    public let author: UserName
    /// The time at which the server accepted the message.
    public let time: Milliseconds
    public var light: Light

    public init(
        id: MessageID, sort: UInt64, rev: Revision, tag: UniqueID? = nil, author: UserName, time: Milliseconds,
        light: Light
    ) {
        self.id = id
        self.sort = sort
        self.rev = rev
        self.tag = tag
        self.author = author
        self.time = time
        self.light = light
    }

    public static func mix(_ id: MessageID, into hash: inout FNVHash) {
        Message.mix(id, into: &hash)
    }
}

/// The place to which a moderator moves a message among the pinned ones of its room.
public enum PinPlace: Equatable, Sendable {
    /// After all others. A message that is pinned already stays where it is.
    case last
    case before(MessageID)
    case after(MessageID)
}
