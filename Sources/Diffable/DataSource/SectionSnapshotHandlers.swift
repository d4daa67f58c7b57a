/// The handlers for items of an outline that the user folds or unfolds.
public struct SectionSnapshotHandlers<Item: Hashable> {
    /// Returns true if `item` may be unfolded. Nil allows every item.
    public var shouldExpandItem: ((Item) -> Bool)?
    /// Called before `item` is unfolded.
    public var willExpandItem: ((Item) -> Void)?
    /// Returns true if `item` may be folded. Nil allows every item.
    public var shouldCollapseItem: ((Item) -> Bool)?
    /// Called before `item` is folded.
    public var willCollapseItem: ((Item) -> Void)?
    /// Returns the children of an item that is being unfolded, given its present ones. For children that are loaded
    /// late.
    public var snapshotForExpandingParent: ((Item, SectionSnapshot<Item>) -> SectionSnapshot<Item>)?

    /// Handlers that allow everything and report nothing.
    public init() {}
}
