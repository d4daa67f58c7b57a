/// The reason for which a row may not be moved. The list is unchanged. A view that has moved the row puts it back.
public enum ReorderError: Error, Equatable, Sendable {
    /// ``BaseReorderableDiffableDataSource/allowReordering`` is off.
    case reorderingIsOff
    /// There is no row at `path`, or no longer the same one after `canMoveItem` was asked.
    case noRow(at: ItemPath)
    /// `canMoveItem` refuses the row at `path`.
    case rowStays(at: ItemPath)
    /// The row would leave its section, and ``BaseReorderableDiffableDataSource/allowCrossSectionMove`` is off.
    case crossesSections
    /// The destination does not exist.
    case noPlace(at: ItemPath)
    /// An apply is in progress, so the view's rows are about to change.
    case busy
}
