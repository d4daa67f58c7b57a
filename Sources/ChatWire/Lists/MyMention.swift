/// One message that mentions a person: a row of `me/mentions`.
///
/// - Shape: `sort` grows with the store's time at which the message came.
public struct MyMention: ListRow {
    /// A message's id is of one room: two rooms may have the same.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        public let room: RoomName
        public let message: MessageID

        public init(room: RoomName, message: MessageID) {
            self.room = room
            self.message = message
        }

        public var description: String { "\(room)/\(message)" }
    }

    public enum Section: String, ListSection {
        case mentions

        public var order: Int { 0 }
    }

    public struct Light: Equatable, Sendable {
        /// The beginning of the message's text; see ``LastMessage/textLimit``.
        public var text: String
        /// True when the message is not above the person's read mark.
        public var isRead: Bool

        public init(text: String, isRead: Bool) {
            self.text = text
            self.isRead = isRead
        }
    }

    public let id: ID
    public var section: Section {
        get { .mentions }
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
        id: ID, sort: UInt64, rev: Revision, tag: UniqueID? = nil, author: UserName, time: Milliseconds, light: Light
    ) {
        self.id = id
        self.sort = sort
        self.rev = rev
        self.tag = tag
        self.author = author
        self.time = time
        self.light = light
    }

    public static func mix(_ id: ID, into hash: inout FNVHash) {
        hash.mix(id.description)
    }
}
