/// One person of a room: a row of `room/NAME/members`.
///
/// - Shape: `sort` grows with each arrival and departure, so each section is in the order in which people came or left.
public struct Member: ListRow {
    public enum Section: String, ListSection {
        case online
        /// Was in the room lately.
        case offline

        public var order: Int {
            switch self {
            case .online: 0
            case .offline: 1
            }
        }
    }

    /// The state of a person.
    public struct Light: Equatable, Sendable {
        public var isTyping: Bool
        /// The revision of the room's messages up to which the person has read; 0 if it is unknown.
        public var read: Revision

        public init(isTyping: Bool = false, read: Revision = 0) {
            self.isTyping = isTyping
            self.read = read
        }
    }

    public let id: UserName
    public var section: Section
    public var sort: UInt64
    public var rev: Revision
    public var light: Light

    public init(id: UserName, section: Section, sort: UInt64, rev: Revision, light: Light = Light()) {
        self.id = id
        self.section = section
        self.sort = sort
        self.rev = rev
        self.light = light
    }

    public static func mix(_ id: UserName, into hash: inout FNVHash) {
        hash.mix(id.description)
    }
}
