/// The contents of a list: sections in order, and the items of each section in order, all named by identifiers.
///
/// A snapshot is a value. Build one, change a copy, compare two with ``difference(from:)``, or give one to a
/// ``DiffableDataSource``. Other copies do not change.
///
/// - Shape: an item has at most one place in the whole snapshot, and so has a section. Sections and items have separate
///   names: a section and an item may have equal identifiers.
/// - Errors: a mistake in the caller's code (an unknown anchor, one identifier twice in one call) stops the program
///   with a message that names the identifier. For identifiers that come from elsewhere there is ``init(sections:)``,
///   which throws.
/// - Complexity: looking an item up by its identifier is O(1) on average, plus O(log *s*) in the number of sections if
///   the result counts across sections. Appending is O(1) amortised. A copy is O(1), and changing it copies only the
///   pages of rows that change.
@frozen
public struct Snapshot<Section: Hashable, Item: Hashable> {
    /// The name that Apple's type has for a section's identifier.
    public typealias SectionIdentifierType = Section
    /// The name that Apple's type has for an item's identifier.
    public typealias ItemIdentifierType = Item

    /// Every section by its token, a number that it keeps when it moves. Unused tokens are in `freeTokens`.
    @usableFromInline var slots: ContiguousArray<Slot> = []
    /// The identifier of each section, by its token; nil once the section is deleted.
    @usableFromInline var names: ContiguousArray<Section?> = []
    @usableFromInline var freeTokens: ContiguousArray<Int> = []
    /// The tokens in the order of the sections.
    @usableFromInline var order: ContiguousArray<Int> = []
    /// The token of each section. Empty if there are few sections, which are searched one by one.
    @usableFromInline var tokens: [Section: Int] = [:]
    @usableFromInline var starts = PrefixSums([])
    @usableFromInline var pages = Pages<Item>()
    @usableFromInline var index = ItemIndex()
    @usableFromInline var itemMarks: [Item: ItemMark<Item>] = [:]
    @usableFromInline var sectionMarks: Set<Section> = []

    /// An empty snapshot.
    @inlinable
    public init() {}
}

extension Snapshot: Sendable where Section: Sendable, Item: Sendable {}

/// The refresh of an item that stays.
@frozen
@usableFromInline
struct ItemMark<Item: Hashable> {
    @usableFromInline var refresh: RefreshMark
    /// The identifier that the item had before it was renamed, if it was.
    @usableFromInline var former: Item?

    @inlinable
    init(_ refresh: RefreshMark, former: Item? = nil) {
        self.refresh = refresh
        self.former = former
    }
}

extension ItemMark: Sendable where Item: Sendable {}

/// The kind of refresh of an item that stays. The greater mark wins.
@frozen
@usableFromInline
enum RefreshMark: Int, Comparable, Sendable {
    case reconfigure
    case reload

    @inlinable
    static func < (a: RefreshMark, b: RefreshMark) -> Bool { a.rawValue < b.rawValue }
}

extension Snapshot: Equatable {
    /// Returns true if both have the same sections and items in the same order. Marks do not count, because they are
    /// instructions for the next apply and not content.
    ///
    /// - Complexity: O(*n*); rows that the two share are skipped.
    @inlinable
    public static func == (a: Snapshot, b: Snapshot) -> Bool {
        a.hasSections(of: b)
            && a.withAnyList { a in b.withAnyList { b in a.list.hasSameRows(as: b.list, RowType(Item.self)) } }
    }
}

extension Snapshot: CustomStringConvertible {
    /// One line for each section, for logs and failing tests.
    public var description: String {
        order.map { "\(name($0)): \(items(of: $0))" }.joined(separator: "\n")
    }
}
