/// The work of finding the changes of items where both snapshots have some.
///
/// Pages that the snapshots share are passed over; of each stretch of others the common beginning and end are cut off. What
/// remains is matched by reading along: only where the new list does not go on as the old one did is an item looked up, in
/// the index that the old snapshot has anyway, by the hash that the new one has anyway. Where many are new, a filter of what
/// is still missing tells most of them without the index, whose pages the processor would wait for.
///
/// - Shape: the two snapshots are handed from method to method, not kept: a kept one would have to be retained, array by
///   array, and for lists of a few items that is most of the work.
/// - Complexity: O(*n*) at worst to match, O(*m* log *m*) for the *m* items of windows whose order changed; O(sections
///   + changes) where one is a changed copy of the other. Memory linear in what changed.
/// - Source: P. Heckel, "A technique for isolating differences between files", Communications of the ACM 21(4), 1978,
///   for matching by a table of unique lines.
@frozen
@usableFromInline
struct Comparison<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    @usableFromInline typealias List = Snapshot<Section, Item>

    @usableFromInline var changes = ChangeSet()
    @usableFromInline let oldPlaces: OldPlaces
    @usableFromInline var windows: ContiguousArray<Window> = []
    /// For each old section the place of its first window in `windows`, or -1. Empty until it is asked for.
    @usableFromInline var firstWindows: ContiguousArray<Int> = []
    /// The old rows in windows that are still there, in some place.
    @usableFromInline var remains = RowSet(count: 0)
    /// Old rows in windows that have not been found again so far.
    @usableFromInline var missing = 0
    /// The hashes of those that were missing when it had been looked in vain for many items. Empty until then.
    @usableFromInline var missingHashes = HashFilter(count: 0)
    @usableFromInline var vainLookups = 0
    /// New rows in windows.
    @usableFromInline var arriving = 0

    @inlinable
    init(_ oldPlaces: OldPlaces) {
        self.oldPlaces = oldPlaces
    }

    /// Adds the changes of items to `found`, which has those of sections.
    @inlinable
    mutating func run(_ old: List, _ new: List, addingTo found: inout ChangeSet) {
        swap(&found, &changes)  // a copy would retain every array
        let changed = ChangedPages(old.pages, new.pages)
        if let page = onlyPage(changed, old, new) {
            matchPage(page, old, new)
        } else {
            openWindows(changed, old, new)
        }
        if !windows.isEmpty { matchWindows(old, new) }
        swap(&found, &changes)
    }
}
