public import Diffable

/// The name of Apple's type.
public typealias NSDiffableDataSourceSnapshot = Snapshot
/// The name of Apple's type.
public typealias NSDiffableDataSourceSectionSnapshot = SectionSnapshot
/// The name of Apple's type.
public typealias NSDiffableDataSourceTransaction = ReorderTransaction
/// The name of Apple's type.
public typealias NSDiffableDataSourceSectionTransaction = ReorderSectionTransaction

extension DiffableView {
    /// The height of a row that the view measures, for code in which a height is a number.
    public static var automaticDimension: Double { -1 }
    /// The kind of a section's header, for code in which a kind is a string.
    public static var elementKindSectionHeader: String { SupplementaryKind.header.rawValue }
    /// The kind of a section's footer, for code in which a kind is a string.
    public static var elementKindSectionFooter: String { SupplementaryKind.footer.rawValue }
}

extension ItemPath {
    /// The same as `init(section:item:)`, in the order that collection views use.
    public init(item: Int, section: Int) {
        self.init(section: section, item: item)
    }
}
