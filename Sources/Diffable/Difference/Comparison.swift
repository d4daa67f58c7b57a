/// Finds the changes of items, if both snapshots have some.
///
/// Pages that the snapshots share are skipped. The common beginning and end of each other stretch are cut off. The rest
/// is matched by reading along: an item is looked up only where the new list does not continue as the old one did. The
/// lookup uses the index of the old snapshot and the hash of the new one, which exist already. If many items are new, a
/// filter of the items that are still missing recognises most of them without the index, whose memory is often not in
/// the cache.
///
/// - Shape: the two snapshots are passed from method to method and not stored. A stored snapshot would be retained,
///   array by array, and for lists of a few items that is most of the work.
/// - Complexity: O(*n*) at worst to match, O(*m* log *m*) for the *m* items of windows whose order changed; O(sections
///   + changes) if one snapshot is a changed copy of the other. Memory is linear in the size of the change.
/// - Source: P. Heckel, "A technique for isolating differences between files", Communications of the ACM 21(4), 1978,
///   for matching by a table of unique lines.
struct Comparison {
    typealias List = AnyList

    var changes = ChangeSet()
    let oldPlaces: OldPlaces
    let type: RowType
    var windows: ContiguousArray<Window> = []
    /// For each old section, the place of its first window in `windows`, or -1. Empty until it is needed.
    var firstWindows: ContiguousArray<Int> = []
    /// The old rows in windows that are still there, at any place.
    var remains = RowSet(count: 0)
    /// The number of old rows in windows that have not been found again so far.
    var missing = 0
    /// The hashes of the rows that were missing when many lookups had failed. Empty until then.
    var missingHashes = HashFilter(count: 0)
    var vainLookups = 0
    /// The number of new rows in windows.
    var arriving = 0

    init(_ oldPlaces: OldPlaces, _ type: RowType) {
        self.oldPlaces = oldPlaces
        self.type = type
    }

    /// Adds the changes of items to `found`, which has the changes of sections.
    mutating func run(_ old: List, _ new: List, addingTo found: inout ChangeSet) {
        swap(&found, &changes)  // a copy would retain every array
        let changed = ChangedPages(old.pages, new.pages)
        if let page = onlyPage(changed, old, new) {
            if let window = changes.matchPage(page, old, new, type) { open(window) }
        } else {
            openWindows(changed, old, new)
        }
        if !windows.isEmpty, !matchPair(old, new) { matchWindows(old, new) }
        swap(&found, &changes)
    }

    /// Adds the changes of items to `found`, if all are in one window.
    mutating func run(_ old: List, _ new: List, in window: Window, addingTo found: inout ChangeSet) {
        swap(&found, &changes)
        open(window)
        matchWindows(old, new)
        swap(&found, &changes)
    }

    /// Returns the number of the only page whose rows differ, if everything else is the same, including the sections.
    func onlyPage(_ changed: ChangedPages, _ old: List, _ new: List) -> Int? {
        guard oldPlaces.places.isEmpty, !changed.areMost, changed.numbers.count == 1,
            ChangeSet.isInPlace(changed.numbers[0], old, new)
        else { return nil }
        return changed.numbers[0]
    }
}
