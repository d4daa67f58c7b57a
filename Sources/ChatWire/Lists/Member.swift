/// One person of a room: a row of `room/NAME/members`.
///
/// - Shape: `sort` follows from the name, so each section is in the order of names, as far as their first six bytes tell
///   it. A row keeps its key when it changes sections.
public struct Member: ListRow {
    public enum Section: String, ListSection {
        case online
        /// A member who is not there, or a guest who was there lately.
        case offline
        /// Invited, and not there.
        case invited

        public var order: Int {
            switch self {
            case .online: 0
            case .offline: 1
            case .invited: 2
            }
        }
    }

    /// The state of a person.
    public struct Light: Equatable, Sendable {
        public var isTyping: Bool
        /// The revision of the room's messages up to which the person has read; 0 if it is unknown.
        public var read: Revision
        /// The time since which the person is a member; `nil` for one who is none.
        public var since: Milliseconds?
        /// The role to which the person was appointed in the room.
        public var role: Role
        /// The person who invited the user, who is only invited; `nil` if unknown.
        public var inviter: UserName?

        public init(
            isTyping: Bool = false, read: Revision = 0, since: Milliseconds? = nil, role: Role = .none,
            inviter: UserName? = nil
        ) {
            self.isTyping = isTyping
            self.read = read
            self.since = since
            self.role = role
            self.inviter = inviter
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
