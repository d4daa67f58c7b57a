/// Why a snapshot could not be made from given identifiers. No snapshot was made.
public enum SnapshotError<Section: Hashable & Sendable, Item: Hashable & Sendable>: Error, Equatable, Sendable {
    /// The section stands in the list twice.
    case repeatedSection(Section)
    /// The item stands in the list twice, in one section or in two.
    case repeatedItem(Item)
}
