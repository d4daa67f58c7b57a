/// What one section should show when its items form an outline: every item may have children, folded or not.
///
/// - Shape: an item stands in at most one place. A folded item's descendants are there but not visible, and keep their own
///   folding. An item without children may be unfolded too, so that children who come later are visible at once.
/// - Errors: what the caller's own code did wrong (an unknown parent or neighbour, an item that is there already) stops the
///   program with a message that names the item.
/// - Complexity: ``contains(_:)``, ``level(of:)``, ``parent(of:)`` and ``isExpanded(_:)`` are O(1); ``isVisible(_:)`` is O(level).
public struct SectionSnapshot<Item: Hashable & Sendable>: Sendable {
    struct Node: Equatable, Sendable {
        var parent: Item?
        var level: Int
        var children: [Item] = []
        var isExpanded = false
    }

    var roots: [Item] = []
    var nodes: [Item: Node] = [:]

    /// An empty outline.
    public init() {}

    /// A copy, as by assignment.
    public init(_ snapshot: SectionSnapshot) {
        self = snapshot
    }
}

extension SectionSnapshot: Equatable {
    /// Whether both have the same items in the same places, folded alike.
    public static func == (a: SectionSnapshot, b: SectionSnapshot) -> Bool {
        a.roots == b.roots && a.nodes == b.nodes
    }
}

extension SectionSnapshot {
    func node(_ item: Item, _ purpose: StaticString) -> Node {
        guard let node = nodes[item] else { misuse("Item \(item) is not in the section snapshot: \(purpose)") }
        return node
    }

    func children(of parent: Item?) -> [Item] {
        parent.map { node($0, "the parent").children } ?? roots
    }

    mutating func withChildren<Result>(of parent: Item?, _ body: (inout [Item]) -> Result) -> Result {
        guard let parent else { return body(&roots) }
        return body(&nodes[parent]!.children)
    }

    /// Calls `body` for `items` and their descendants, depth first, as long as `descends` says so. O(calls).
    ///
    /// Not recursive: an outline may be as deep as it is long.
    func walk(_ items: [Item], descends: (Node) -> Bool = { _ in true }, _ body: (Item, Node) -> Void) {
        var waiting = Array(items.reversed())
        while let item = waiting.popLast() {
            let node = nodes[item]!
            body(item, node)
            if descends(node) { waiting.append(contentsOf: node.children.reversed()) }
        }
    }
}
