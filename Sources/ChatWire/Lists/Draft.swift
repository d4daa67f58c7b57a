/// A message that a person has written in one room and not sent: a row of `me/drafts`.
///
/// - Shape: `sort` follows from the time, so the draft that was changed last is at the end.
public struct Draft: ListRow {
    public enum Section: String, ListSection {
        case drafts

        public var order: Int { 0 }
    }

    public struct Light: Equatable, Sendable {
        /// The draft itself. It has no files.
        public var content: MessageContent
        /// The time at which the server stored the draft.
        public var time: Milliseconds

        public init(content: MessageContent, time: Milliseconds) {
            self.content = content
            self.time = time
        }
    }

    public let id: RoomName
    public var section: Section {
        get { .drafts }
        set {}
    }
    public var sort: UInt64
    public var rev: Revision
    public var tag: UniqueID?
    public var light: Light

    public init(id: RoomName, sort: UInt64, rev: Revision, tag: UniqueID? = nil, light: Light) {
        self.id = id
        self.sort = sort
        self.rev = rev
        self.tag = tag
        self.light = light
    }

    public static func mix(_ id: RoomName, into hash: inout FNVHash) {
        hash.mix(id.description)
    }
}
