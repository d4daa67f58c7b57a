/// One section as a snapshot keeps it: its identifier, its rows, and how far the index's hints are off.
///
/// - Shape: the item with hint *h* stands within `drift` rows of `h + shift`. Growing or shrinking at either end is
///   told to all hints at once by `shift`; a change in the middle costs a little `drift` until the index is rebuilt.
@frozen
@usableFromInline
struct Slot<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    @usableFromInline var identifier: Section
    @usableFromInline var rows: Rows<Item>
    @usableFromInline var position: Int
    @usableFromInline var shift = 0
    @usableFromInline var drift = 0

    /// What `drift` may not exceed: the most that a lookup by identifier looks around.
    @inlinable
    static var driftLimit: Int { 48 }

    @inlinable
    init(identifier: Section, position: Int) {
        self.identifier = identifier
        self.rows = Rows()
        self.position = position
    }

    @inlinable
    var count: Int { rows.count }

    /// The row of `item`, if `hint` belongs to it and it is one of the first `limit` rows.
    @inlinable
    func row(of item: Item, hint: Int32, below limit: Int) -> Int? {
        let middle = Int(hint) + shift
        if middle >= 0, middle < limit, rows.items[middle] == item { return middle }
        return drift > 0 ? row(of: item, around: middle, below: limit) : nil
    }

    @inlinable
    @inline(never)
    func row(of item: Item, around middle: Int, below limit: Int) -> Int? {
        for distance in 1...drift {
            let below = middle - distance
            if below >= 0, below < limit, rows.items[below] == item { return below }
            let above = middle + distance
            if above >= 0, above < limit, rows.items[above] == item { return above }
        }
        return nil
    }

    /// Notes that `count` rows have come in at `row`. O(1).
    @inlinable
    mutating func noteInsertion(of count: Int, at row: Int, into oldCount: Int) {
        if row == 0 {
            shift += count
        } else if row < oldCount {
            drift += count
        }
    }

    /// Notes that the rows at `positions`, which ascend, have gone. O(number of positions).
    @inlinable
    mutating func noteRemoval(at positions: ContiguousArray<Int>, from oldCount: Int) {
        var leading = 0
        while leading < positions.count, positions[leading] == leading { leading += 1 }
        var trailing = 0
        while trailing < positions.count - leading,
            positions[positions.count - 1 - trailing] == oldCount - 1 - trailing
        {
            trailing += 1
        }
        shift -= leading
        drift += positions.count - leading - trailing
    }
}
