/// One person with a profile: a row of `me/people`.
///
/// - Shape: `sort` depends on the name, and hardly ever on other rows.
public struct Person: ListRow {
    public enum Section: String, ListSection {
        case people

        public var order: Int { 0 }
    }

    public let id: UserName
    public var section: Section {
        get { .people }
        set {}
    }
    public var sort: UInt64
    public var rev: Revision
    public var tag: UniqueID?
    public var light: Profile

    public init(id: UserName, sort: UInt64, rev: Revision, tag: UniqueID? = nil, light: Profile) {
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
