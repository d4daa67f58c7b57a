/// The contents of one section whose items form an outline: every item may have children, folded or not.
///
/// - Shape: an item has at most one place. The descendants of a folded item are in the outline but not visible, and
///   keep their own folding. An item without children may be unfolded, too, so that later children are visible at once.
/// - Errors: a mistake in the caller's code (an unknown parent or neighbour, an item that exists already) stops the
///   program with a message that names the item.
/// - Complexity: ``contains(_:)``, ``level(of:)``, ``parent(of:)`` and ``isExpanded(_:)`` are O(1); ``isVisible(_:)`` is
///   O(level).
@frozen
public struct SectionSnapshot<Item: Hashable> {
    /// An item and its neighbours, by their places in `nodes`; -1 for none.
    @frozen
    @usableFromInline
    struct Node {
        /// Nil once the item is deleted.
        @usableFromInline var held: Item?
        @usableFromInline var parent: Int32
        @usableFromInline var level: Int32
        @usableFromInline var previous: Int32 = -1
        @usableFromInline var next: Int32 = -1
        @usableFromInline var children = Siblings()
        @usableFromInline var hash: UInt32
        @usableFromInline var isExpanded = false

        @inlinable
        init(_ item: Item, hash: UInt32, parent: Int32, level: Int32) {
            held = item
            self.hash = hash
            self.parent = parent
            self.level = level
        }

        @inlinable
        var item: Item {
            @inline(__always)
            get { held! }
        }
    }

    /// An object that all copies of an outline share, as long as they share their nodes.
    @usableFromInline
    final class Owner: Sendable {
        @usableFromInline
        init() {}
    }

    /// The first and the last of some consecutive nodes; -1 for none.
    @frozen
    @usableFromInline
    struct Siblings: Sendable {
        @usableFromInline var first: Int32 = -1
        @usableFromInline var last: Int32 = -1

        @inlinable
        init() {}
    }

    /// Every item once, in no order. The places of deleted items are in `free`.
    @usableFromInline var nodes = NodeList<Node>()
    /// Maps hashes to places in `nodes`.
    @usableFromInline var index = ItemIndex(isWhole: true)
    @usableFromInline var free: ContiguousArray<Int32> = []
    @usableFromInline var roots = Siblings()
    /// Nil before the outline is long.
    @usableFromInline var owner: Owner?

    /// An empty outline.
    @inlinable
    public init() {}

    /// A copy, the same as by assignment.
    @inlinable
    public init(_ snapshot: SectionSnapshot) {
        self = snapshot
    }
}

extension SectionSnapshot: Sendable where Item: Sendable {}
extension SectionSnapshot.Node: Sendable where Item: Sendable {}

extension SectionSnapshot: Equatable {
    /// Returns true if both have the same items in the same places with the same folding. O(1) for unchanged copies.
    @inlinable
    public static func == (a: SectionSnapshot, b: SectionSnapshot) -> Bool {
        if a.isUnchangedCopy(of: b) { return true }
        if a.index.count != b.index.count { return false }
        var (mine, theirs) = (a.roots.first, b.roots.first)
        while mine >= 0, theirs >= 0 {
            let (left, right) = (a.nodes[mine], b.nodes[theirs])
            let isSame =
                left.item == right.item && left.level == right.level && left.isExpanded == right.isExpanded
            if !isSame { return false }
            mine = left.children.first >= 0 ? left.children.first : a.after(mine, left, within: -1)
            theirs = right.children.first >= 0 ? right.children.first : b.after(theirs, right, within: -1)
        }
        return mine < 0 && theirs < 0
    }
}

extension SectionSnapshot {
    /// Returns true if neither has changed since one was copied from the other. O(1).
    @inlinable
    func isUnchangedCopy(of other: SectionSnapshot) -> Bool {
        nodes.isShared(with: other.nodes) && roots.first == other.roots.first
    }

    /// Returns true if both are equal, as far as it can be seen without comparing an outline with its changed copy, which
    /// would take as long as the outline is.
    @inlinable
    func isQuicklyEqual(to other: SectionSnapshot) -> Bool {
        if nodes.base.isShared(with: other.nodes.base), nodes.count > 0 { return isUnchangedCopy(of: other) }
        return self == other
    }

    /// The number of nodes up to which a change of a copy copies them all.
    @inlinable
    static var most: Int { 512 }

    /// Has a long outline that has copies change pages of its nodes and of its index, and not all of both.
    @inlinable
    mutating func prepareToChange() {
        if nodes.count < Self.most || !nodes.isWhole { return }
        if owner == nil { owner = Owner() }
        if !isKnownUniquelyReferenced(&owner) { (nodes.isWhole, index.isWhole) = (false, false) }
    }

    @inlinable
    func place(of item: Item) -> Int32? { place(of: item, hash: rowHash(item)) }

    @inlinable
    @inline(__always)
    func place(of item: Item, hash: UInt32) -> Int32? {
        let position = index.position(of: hash) { nodes[Int32(bitPattern: $0.bits)].item == item }
        return position.map { Int32(truncatingIfNeeded: index[$0].place.bits) }
    }

    @inlinable
    func known(_ item: Item, _ purpose: StaticString, _ caller: CallSite) -> Int32 {
        guard let place = place(of: item) else {
            misuse("Item \(item) is not in the section snapshot: \(purpose)", caller)
        }
        return place
    }

    /// Returns the node after another one and its descendants, depth first, or -1. O(1) amortised over a walk.
    @inlinable
    func after(_ place: Int32, _ node: Node, within top: Int32) -> Int32 {
        var (place, next, parent) = (place, node.next, node.parent)
        while place != top {
            if next >= 0 { return next }
            if parent < 0 { return -1 }
            place = parent
            let ancestor = nodes[place]
            (next, parent) = (ancestor.next, ancestor.parent)
        }
        return -1
    }

    /// Calls `body` for every descendant of a node, or for every node if it is -1, depth first. O(calls).
    ///
    /// Not recursive, because an outline may be as deep as it is long.
    ///
    /// - `descends`: true to visit the children of this node.
    @inlinable
    @inline(__always)
    func walk(under top: Int32, descends: (Node) -> Bool = { _ in true }, _ body: (Int32, Node) -> Void) {
        var place = top < 0 ? roots.first : nodes[top].children.first
        while place >= 0 {
            let node = nodes[place]
            body(place, node)
            let first = node.children.first
            place = first >= 0 && descends(node) ? first : after(place, node, within: top)
        }
    }
}
