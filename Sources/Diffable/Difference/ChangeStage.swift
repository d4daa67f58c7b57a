/// One step of a staged change: a view that shows the stage before is brought by ``changes`` to show ``snapshot``.
public struct ChangeStage<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    /// Why the stage is there; no stage mixes two of these.
    public enum Purpose: CaseIterable, Sendable {
        /// Items that are in no later stage go.
        case deleteItems
        /// New sections come, still empty.
        case insertSections
        /// Items move, within sections and across, and new ones come.
        case moveAndInsertItems
        /// Sections go, empty by now.
        case deleteSections
        /// Sections move.
        case moveSections
        /// What stays is shown anew, in its last place.
        case refresh
    }

    /// Why the stage is there.
    public var purpose: Purpose
    /// What happens in it.
    public var changes: ChangeSet
    /// What the view shows after it.
    public var snapshot: Snapshot<Section, Item>
}
