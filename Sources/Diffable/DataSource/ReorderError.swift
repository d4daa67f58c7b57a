/// Why a row may not be moved. The list is as it was; a view that moved the row on its own puts it back.
public enum ReorderError: Error, Equatable, Sendable {
    /// ``BaseReorderableDiffableDataSource/allowReordering`` is off.
    case reorderingIsOff
    /// There is no row at `path`.
    case noRow(at: ItemPath)
    /// `canMoveItem` says no to the row at `path`.
    case rowStays(at: ItemPath)
    /// The row would leave its section, and ``BaseReorderableDiffableDataSource/allowCrossSectionMove`` is off.
    case crossesSections
    /// There is no such place to move to.
    case noPlace(at: ItemPath)
    /// An apply is under way: what the view shows is about to change.
    case busy
}
