/// Everything that has to happen to one list to make it the next, all at once.
///
/// - Shape: deletions, and where a move comes from, are places in the list before; insertions, and where a move goes
///   to, are places in the list after. Whatever is not named keeps its order. Every array ascends, moves and refreshes
///   by where they go to. An item that stands in both lists is never deleted and inserted: it stays or it moves, also
///   into and out of sections that come or go. Deleting a section deletes the items in it that do not move out, and
///   inserting one inserts the items in it that do not move in, so these are not listed.
/// - Size: moves are the fewest possible: those that remain when, in each section, as many items as can be stay.
@frozen
public struct ChangeSet: Equatable, Sendable {
    /// One section or item that is in both lists: its place before and its place after.
    @frozen
    public struct Step<Place: Comparable & Sendable>: Equatable, Sendable {
        /// The place before.
        public var from: Place
        /// The place after.
        public var to: Place

        /// A step from the place before to the place after.
        @inlinable
        public init(from: Place, to: Place) {
            self.from = from
            self.to = to
        }
    }

    /// Sections that go, by their places before.
    public var deletedSections: [Int] = []
    /// Sections that come, by their places after.
    public var insertedSections: [Int] = []
    /// Sections that are elsewhere afterwards, with their items.
    public var movedSections: [Step<Int>] = []

    /// Items that go, by their places before, unless their section goes.
    public var deletedItems: [ItemPath] = []
    /// Items that come, by their places after, unless their section comes.
    public var insertedItems: [ItemPath] = []
    /// Items that are elsewhere afterwards, in their section or in another.
    public var movedItems: [Step<ItemPath>] = []

    /// Sections to show anew, header and items; their items are not among the items to refresh.
    public var reloadedSections: [Step<Int>] = []
    /// Items to show anew from scratch.
    public var reloadedItems: [Step<ItemPath>] = []
    /// Items to fill in again where they are.
    public var reconfiguredItems: [Step<ItemPath>] = []

    /// How many items each section has afterwards.
    public var itemCounts: [Int] = []

    /// A change set that changes nothing, for a list that has no sections.
    @inlinable
    public init() {}

    /// Whether a list that follows these changes stays as it is: same places, nothing to refresh.
    @inlinable
    public var isEmpty: Bool { !changesPlaces && !refreshes }

    /// Whether anything comes, goes or moves.
    @inlinable
    public var changesPlaces: Bool {
        !(deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty
            && deletedItems.isEmpty && insertedItems.isEmpty && movedItems.isEmpty)
    }

    /// Whether anything that stays is to be shown anew.
    @inlinable
    public var refreshes: Bool {
        !(reloadedSections.isEmpty && reloadedItems.isEmpty && reconfiguredItems.isEmpty)
    }
}
