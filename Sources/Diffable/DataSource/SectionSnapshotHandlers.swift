/// What to ask and whom to tell when somebody folds or unfolds an item of an outline.
public struct SectionSnapshotHandlers<Item: Hashable & Sendable> {
    /// Whether `item` may be unfolded; always if nil.
    public var shouldExpandItem: ((Item) -> Bool)?
    /// Called before `item` is unfolded.
    public var willExpandItem: ((Item) -> Void)?
    /// Whether `item` may be folded; always if nil.
    public var shouldCollapseItem: ((Item) -> Bool)?
    /// Called before `item` is folded.
    public var willCollapseItem: ((Item) -> Void)?
    /// The children of an item that is being unfolded, given those it has: for children who are loaded when asked for.
    public var snapshotForExpandingParent: ((Item, SectionSnapshot<Item>) -> SectionSnapshot<Item>)?

    /// Handlers that allow everything and tell nobody.
    public init() {}
}
