/// One step of a staged change: ``changes`` turn the list before the stage into ``snapshot``.
@frozen
public struct ChangeStage<Section: Hashable, Item: Hashable> {
    /// The purpose of a stage. No stage has two of them.
    @frozen
    public enum Purpose: CaseIterable, Sendable {
        /// Items that are in no later stage go.
        case deleteItems
        /// New sections come, still empty.
        case insertSections
        /// Items move, within sections and across, and new ones come.
        case moveAndInsertItems
        /// Sections go, which are empty by now.
        case deleteSections
        /// Sections move.
        case moveSections
        /// Items and sections that stay are refreshed, in their last places.
        case refresh
    }

    /// The purpose of the stage.
    public var purpose: Purpose
    /// The changes of the stage.
    public var changes: ChangeSet
    /// The list after the stage.
    public var snapshot: Snapshot<Section, Item>

    @inlinable
    init(purpose: Purpose, changes: ChangeSet, snapshot: Snapshot<Section, Item>) {
        self.purpose = purpose
        self.changes = changes
        self.snapshot = snapshot
    }
}

extension ChangeStage: Sendable where Section: Sendable, Item: Sendable {}
