/// One step of a staged change: ``changes`` turn the list before the stage into ``snapshot``.
public struct ChangeStage<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    /// The purpose of a stage. No stage has two of them.
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
}
