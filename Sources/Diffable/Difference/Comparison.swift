/// The work of finding the changes from one snapshot to another.
///
/// Sections are matched by identifier. Sections that the snapshots share are done with; of the others the common
/// beginning and end are cut off. What remains is matched by reading along: only where the new list does not go on as
/// the old one did is an item looked up, in the index that the old snapshot has anyway, by the hash that the new one has
/// anyway.
///
/// - Complexity: O(*n*) at worst to match, O(*m* log *m*) for the *m* items of windows whose order changed; O(sections)
///   where the snapshots share everything. Memory linear in what changed.
/// - Source: P. Heckel, "A technique for isolating differences between files", Communications of the ACM 21(4), 1978,
///   for matching by a table of unique lines.
@frozen
@usableFromInline
struct Comparison<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    @usableFromInline let old: Snapshot<Section, Item>
    @usableFromInline let new: Snapshot<Section, Item>
    @usableFromInline var changes = ChangeSet()

    /// For each new section its old place, or -1. Empty if the sections are the same, each in its old place.
    @usableFromInline var oldPlaces: ContiguousArray<Int> = []
    @usableFromInline var windows: ContiguousArray<Window> = []
    /// For each old section its place in `windows`, or -1. Empty until an item is looked up across sections.
    @usableFromInline var windowOfOldSection: ContiguousArray<Int> = []
    /// For each old row in a window, whether it is gone, or still there in some place.
    @usableFromInline var remains: ContiguousArray<Bool> = []
    /// Old rows in windows that have not been found again so far.
    @usableFromInline var missing = 0
    /// New rows in windows.
    @usableFromInline var arriving = 0

    @inlinable
    init(old: Snapshot<Section, Item>, new: Snapshot<Section, Item>) {
        self.old = old
        self.new = new
    }

    @inlinable
    mutating func run() -> ChangeSet {
        changes.itemCounts = new.order.map { new.slots[$0].count }
        matchSections()
        openWindows()
        if !windows.isEmpty { matchWindows() }
        if !new.itemMarks.isEmpty || !new.sectionMarks.isEmpty { collectMarks() }
        return changes
    }

    @inlinable
    func oldPlace(of section: Int) -> Int { oldPlaces.isEmpty ? section : oldPlaces[section] }

    @inlinable
    func oldRows(_ section: Int) -> Rows<Item> { old.slots[old.order[section]].rows }

    @inlinable
    func newRows(_ section: Int) -> Rows<Item> { new.slots[new.order[section]].rows }
}

extension Snapshot {
    /// What has to happen to a list that shows `old` for it to show this snapshot, with the marks of this one.
    ///
    /// - Complexity: O(1) per section that the two share, else O(items) with no hashing; O(*m* log *m*) for *m* items
    ///   between the first and the last whose order changed.
    @inlinable
    public func difference(from old: Snapshot) -> ChangeSet {
        var comparison = Comparison(old: old, new: self)
        return comparison.run()
    }
}
