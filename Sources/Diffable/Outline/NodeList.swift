/// The nodes of an outline by number. A change of a long list that has copies copies the 128 nodes around it, and not
/// all of them.
///
/// - Shape: the nodes are in one piece until the first change of a copy. From then on, pages with changes count instead of
///   the originals, and new nodes come on pages, too.
@frozen
@usableFromInline
struct NodeList<Node> {
    @usableFromInline var base: ContiguousArray<Node> = []
    /// The pages of 128 nodes in which something has changed; the others are empty.
    @usableFromInline var changed = PageTree<Node>()
    @usableFromInline var count = 0
    /// False once other copies may share `base`. Then it is not written any more.
    @usableFromInline var isWhole = true

    @inlinable
    init() {}

    @inlinable
    subscript(place: Int32) -> Node {
        @inline(__always)
        get { isWhole ? base[Int(place)] : onPage(Int(place)) }
        @inline(__always)
        _modify {
            let place = Int(place)
            if isWhole {
                yield &base[place]
            } else {
                prepare(place >> 7)
                yield &changed.limbs[place >> 15][place >> 11 & 15][place >> 7 & 15][place & 127]
            }
        }
    }

    @inlinable
    func onPage(_ place: Int) -> Node {
        if changed.isEmpty || changed.count(place >> 7) == 0 { return base[place] }
        return changed[place >> 7, place & 127]
    }

    @inlinable
    mutating func append(_ node: Node) {
        if isWhole {
            base.append(node)
        } else {
            prepare(count >> 7)
            changed.change(count >> 7) { $0.append(node) }
        }
        count += 1
    }

    /// Makes sure that a page can be written.
    @inlinable
    mutating func prepare(_ page: Int) {
        changed.reserve(page + 1)
        let start = page << 7
        if changed.count(page) > 0 || start >= base.count { return }
        let nodes = ContiguousArray(base[start..<min(start + 128, base.count)])
        changed.change(page) { $0 = nodes }
    }

    /// Brings all nodes into one piece, which has no other copy.
    @inlinable
    mutating func flatten() {
        if isWhole { return }
        var all: ContiguousArray<Node> = []
        all.reserveCapacity(count)
        for place in 0..<count { all.append(self[Int32(truncatingIfNeeded: place)]) }
        (base, changed, isWhole) = (all, PageTree(), true)
    }

    /// Returns true if both are unchanged copies of each other. O(1).
    @inlinable
    func isShared(with other: NodeList) -> Bool {
        count == other.count && base.isShared(with: other.base) && changed.limbs.isShared(with: other.changed.limbs)
    }
}

extension NodeList: Sendable where Node: Sendable {}
