/// The place of an item: its section's place among the sections, and its own place in that section.
///
/// - Units: both count from 0. Each use of a path says which list it refers to, the one before a change or the one
///   after.
@frozen
public struct ItemPath: Hashable, Sendable {
    /// The section's place among the sections.
    public var section: Int
    /// The item's place in its section.
    public var item: Int

    /// The same number as ``item``, under the name that tables use.
    @inlinable
    public var row: Int { item }

    /// The place of an item in a section.
    @inlinable
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// The same, under the name that tables use.
    @inlinable
    public init(row: Int, section: Int) {
        self.init(section: section, item: row)
    }
}

extension ItemPath: Comparable {
    /// Reading order: by section, then by item.
    @inlinable
    public static func < (a: ItemPath, b: ItemPath) -> Bool {
        a.section != b.section ? a.section < b.section : a.item < b.item
    }
}

extension ItemPath: CustomStringConvertible {
    /// Both numbers, as in `[0, 3]`.
    public var description: String { "[\(section), \(item)]" }
}
