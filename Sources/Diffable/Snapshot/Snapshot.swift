/// What a list should show: sections in order, and in each its items in order, all named by identifiers.
///
/// A snapshot is a value. Build one, change a copy, compare two with ``difference(from:)``, or hand one to a
/// ``DiffableDataSource``; nothing that holds another copy sees a change.
///
/// - Shape: an item stands in at most one place of the whole snapshot, a section in at most one. Sections and items are
///   named apart: a section and an item may have equal identifiers.
/// - Errors: what the caller's own code did wrong (an unknown anchor, one identifier twice in one call) stops the
///   program with a message that names the identifier. For identifiers that come from somewhere else there is
///   ``init(sections:)``, which throws.
/// - Complexity: looking an item up by identifier is O(1) on average, plus O(log *s*) in the number of sections where the
///   answer counts across sections. Appending is O(1) amortised. A copy is O(1), and changing it copies the pages of rows
///   that change, not the others.
@frozen
public struct Snapshot<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    /// The name that Apple's type has for what names a section.
    public typealias SectionIdentifierType = Section
    /// The name that Apple's type has for what names an item.
    public typealias ItemIdentifierType = Item

    /// Every section by its token, a number that stays with it while it moves; unused ones are in `freeTokens`.
    @usableFromInline var slots: ContiguousArray<Slot<Section>> = []
    @usableFromInline var freeTokens: ContiguousArray<Int> = []
    /// The tokens in the order that the sections have.
    @usableFromInline var order: ContiguousArray<Int> = []
    /// The token of each section. Empty while there are few sections: those are found by looking through them.
    @usableFromInline var tokens: [Section: Int] = [:]
    @usableFromInline var starts = PrefixSums([])
    @usableFromInline var pages = Pages<Item>()
    @usableFromInline var index = ItemIndex()
    @usableFromInline var itemMarks: [Item: RefreshMark] = [:]
    @usableFromInline var sectionMarks: Set<Section> = []

    /// An empty snapshot.
    @inlinable
    public init() {}
}

/// How an item that stays is to be refreshed. The greater mark wins.
@frozen
@usableFromInline
enum RefreshMark: Int, Comparable, Sendable {
    case reconfigure
    case reload

    @inlinable
    static func < (a: RefreshMark, b: RefreshMark) -> Bool { a.rawValue < b.rawValue }
}

extension Snapshot: Equatable {
    /// Whether both have the same sections and items in the same order. Marks are instructions for the next apply, not
    /// content, and do not count.
    ///
    /// - Complexity: O(*n*); rows that the two share are not looked into.
    @inlinable
    public static func == (a: Snapshot, b: Snapshot) -> Bool {
        a.order.count == b.order.count
            && zip(a.order, b.order).allSatisfy { left, right in
                a.slots[left].identifier == b.slots[right].identifier
                    && a.slots[left].count == b.slots[right].count
                    && a.commonPrefix(left, 0, b, right, 0, limit: a.slots[left].count) == a.slots[left].count
            }
    }
}

extension Snapshot: CustomStringConvertible {
    /// One line per section, for logs and failing tests.
    public var description: String {
        order.map { "\(slots[$0].identifier): \(items(of: $0))" }.joined(separator: "\n")
    }
}
