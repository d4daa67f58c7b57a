public import Diffable

/// The name that Apple's type has.
public typealias NSDiffableDataSourceSnapshot = Snapshot
/// The name that Apple's type has.
public typealias NSDiffableDataSourceSectionSnapshot = SectionSnapshot
/// The name that Apple's type has.
public typealias NSDiffableDataSourceTransaction = ReorderTransaction
/// The name that Apple's type has.
public typealias NSDiffableDataSourceSectionTransaction = ReorderSectionTransaction

extension DiffableView {
    /// The height of a row that the view measures, where a height is a number.
    public static var automaticDimension: Double { -1 }
    /// The kind of what stands above a section, where a kind is a string.
    public static var elementKindSectionHeader: String { SupplementaryKind.header.rawValue }
    /// The kind of what stands below a section, where a kind is a string.
    public static var elementKindSectionFooter: String { SupplementaryKind.footer.rawValue }
}

extension ItemPath {
    /// The same as `init(section:item:)`, in the order that collection views have.
    public init(item: Int, section: Int) {
        self.init(section: section, item: item)
    }
}
