/// A user whom another one has blocked: a row of `me/blocked`.
///
/// - Shape: `sort` follows from the time, so the user who was blocked last is at the end.
public struct BlockedUser: ListRow {
    public enum Section: String, ListSection {
        case blocked

        public var order: Int { 0 }
    }

    public struct Light: Equatable, Sendable {
        /// The time at which the server stored the block.
        public var time: Milliseconds

        public init(time: Milliseconds) {
            self.time = time
        }
    }

    public let id: UserName
    public var section: Section {
        get { .blocked }
        set {}
    }
    public var sort: UInt64
    public var rev: Revision
    public var tag: UniqueID?
    public var light: Light

    public init(id: UserName, sort: UInt64, rev: Revision, tag: UniqueID? = nil, light: Light) {
        self.id = id
        self.sort = sort
        self.rev = rev
        self.tag = tag
        self.light = light
    }

    public static func mix(_ id: UserName, into hash: inout FNVHash) {
        hash.mix(id.description)
    }
}
