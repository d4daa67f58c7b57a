/// The reason for which identifiers cannot be used. A snapshot that was to be changed is unchanged.
public enum SnapshotError<Section: Hashable & Sendable, Item: Hashable & Sendable>: Error, Equatable, Sendable {
    /// The section exists already, or was given twice.
    case repeatedSection(Section)
    /// The item was given twice, or is in the list twice, in one section or in two.
    case repeatedItem(Item)
    /// The section is not in the snapshot.
    case unknownSection(Section)
    /// The item is not in the snapshot.
    case unknownItem(Item)
    /// There is no section to append to.
    case noSection
}
