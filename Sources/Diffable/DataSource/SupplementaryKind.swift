/// What a view shows with a section besides its items: a header, a footer, or something of the view's own.
public struct SupplementaryKind: RawRepresentable, Hashable, Sendable {
    /// The name of the kind.
    public var rawValue: String

    /// A kind of the view's own.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What stands above a section.
    public static let header = SupplementaryKind(rawValue: "header")
    /// What stands below a section.
    public static let footer = SupplementaryKind(rawValue: "footer")
}
