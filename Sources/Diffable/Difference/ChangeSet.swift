/// All changes that turn one list into the next, to be carried out at once.
///
/// - Shape: deletions, and the origins of moves, are places in the old list. Insertions, and the targets of moves, are
///   places in the new list. Everything that is not named keeps its order. Every array ascends; moves and refreshes
///   ascend by their targets. An item that is in both lists is never deleted and inserted: it stays or it moves, also
///   into and out of sections that come or go. Deleting a section deletes the items in it that do not move out, and
///   inserting a section inserts the items in it that do not move in, so these are not listed.
/// - Size: there are as few moves as possible: in each section, as many items as possible stay.
@frozen
public struct ChangeSet: Equatable, Sendable {
    /// The old and the new place of a section or item that is in both lists.
    @frozen
    public struct Step<Place: Comparable & Sendable>: Equatable, Sendable {
        /// The place before.
        public var from: Place
        /// The place after.
        public var to: Place

        /// A step from the old place to the new one.
        @inlinable
        public init(from: Place, to: Place) {
            self.from = from
            self.to = to
        }
    }

    /// Deleted sections, by their old places.
    public var deletedSections: [Int] = []
    /// Inserted sections, by their new places.
    public var insertedSections: [Int] = []
    /// Sections that have another place afterwards, with their items.
    public var movedSections: [Step<Int>] = []

    /// Deleted items, by their old places, except those in deleted sections.
    public var deletedItems: [ItemPath] = []
    /// Inserted items, by their new places, except those in inserted sections.
    public var insertedItems: [ItemPath] = []
    /// Items that have another place afterwards, in their section or in another.
    public var movedItems: [Step<ItemPath>] = []

    /// Sections to reload, header and items. Their items are not listed among the items to refresh.
    public var reloadedSections: [Step<Int>] = []
    /// Items to reload, with new cells.
    public var reloadedItems: [Step<ItemPath>] = []
    /// Items to reconfigure, in the cells that they have.
    public var reconfiguredItems: [Step<ItemPath>] = []

    /// The number of items that each section has afterwards.
    public var itemCounts: [Int] = []

    /// A change set without changes, for a list without sections.
    @inlinable
    public init() {}

    /// True when nothing changes: the places are the same, and there is nothing to refresh.
    @inlinable
    public var isEmpty: Bool { !changesPlaces && !refreshes }

    /// True when anything comes, goes or moves.
    @inlinable
    public var changesPlaces: Bool {
        !(deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty
            && deletedItems.isEmpty && insertedItems.isEmpty && movedItems.isEmpty)
    }

    /// The new places of all items to refresh, ascending: those that are reloaded or reconfigured, and those in sections
    /// that are reloaded. O(*m* log *m*) in their number.
    ///
    /// ```swift
    /// for path in changes.refreshedItems { lines[path.section][path.item] = source.cell(at: path) }
    /// ```
    public var refreshedItems: [ItemPath] {
        let inSections = reloadedSections.flatMap { step in
            (0..<itemCounts[step.to]).map { ItemPath(section: step.to, item: $0) }
        }
        return (inSections + reloadedItems.map(\.to) + reconfiguredItems.map(\.to)).sorted()
    }

    /// True when anything that stays is to be refreshed.
    @inlinable
    public var refreshes: Bool {
        !(reloadedSections.isEmpty && reloadedItems.isEmpty && reconfiguredItems.isEmpty)
    }
}
