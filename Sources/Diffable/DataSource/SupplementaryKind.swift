/// The kind of a section's view that is not an item: a header, a footer, or a kind of the view's own.
public struct SupplementaryKind: RawRepresentable, Hashable, Sendable {
    /// The name of the kind.
    public var rawValue: String

    /// A kind that the view defines.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The view above a section.
    public static let header = SupplementaryKind(rawValue: "header")
    /// The view below a section.
    public static let footer = SupplementaryKind(rawValue: "footer")
}
