/// The items of one section and their hashes, shared by every copy of a snapshot that left the section alone.
///
/// - Shape: `items[i]` has `hashes[i]`. An item is hashed once, when it comes in; no comparison of two snapshots
///   hashes it again.
@usableFromInline
final class Rows<Item: Hashable & Sendable>: @unchecked Sendable {
    // @unchecked: written only through `Slot.withRows`, which makes a copy unless the reference is the only one.
    @usableFromInline var items: ContiguousArray<Item>
    @usableFromInline var hashes: ContiguousArray<UInt32>

    @inlinable
    init(items: ContiguousArray<Item> = [], hashes: ContiguousArray<UInt32> = []) {
        self.items = items
        self.hashes = hashes
    }

    @inlinable
    var count: Int { items.count }

    /// Takes out the rows at `positions`, which ascend. O(count).
    @inlinable
    func remove(at positions: ContiguousArray<Int>) {
        guard let first = positions.first else { return }
        var next = 0
        var to = first
        for from in first..<items.count {
            if next < positions.count, positions[next] == from {
                next += 1
            } else {
                items[to] = items[from]
                hashes[to] = hashes[from]
                to += 1
            }
        }
        items.removeLast(positions.count)
        hashes.removeLast(positions.count)
    }
}

/// The part of an identifier's hash that a snapshot keeps.
@inlinable
func rowHash(_ identifier: some Hashable) -> UInt32 {
    let hash = UInt(bitPattern: identifier.hashValue)
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
}
