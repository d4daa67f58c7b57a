/// The items of one section and their hashes, shared by every copy of a snapshot that left the section alone.
///
/// - Shape: `items[i]` has `hashes[i]`. An item is hashed once, when it comes in; no comparison of two snapshots
///   hashes it again.
@frozen
@usableFromInline
struct Rows<Item: Hashable & Sendable>: Sendable {
    /// Nothing but an identity. Rows with the same one have the same items; rows that never had any have none.
    @usableFromInline
    final class Version: Sendable {
        @inlinable
        init() {}
    }

    @usableFromInline var items: ContiguousArray<Item> = []
    @usableFromInline var hashes: ContiguousArray<UInt32> = []
    @usableFromInline var version: Version?

    @inlinable
    init() {}

    @inlinable
    var count: Int { items.count }

    /// Whether both are copies of one another, neither changed since. O(1); equal items alone do not make it true.
    @inlinable
    func isIdentical(to other: Rows) -> Bool { version === other.version }

    /// Comes before every change: from now on, copies have different items.
    @inlinable
    mutating func willChange() {
        if !isKnownUniquelyReferenced(&version) { version = Version() }
    }

    /// Makes room for so many more, and for as many again, so that repeated calls stay amortised.
    @inlinable
    mutating func reserve(_ more: Int) {
        guard items.capacity < count + more else { return }
        items.reserveCapacity(max(count + more, count * 2))
        hashes.reserveCapacity(max(count + more, count * 2))
    }

    @inlinable
    mutating func append(_ new: [Item]) {
        willChange()
        reserve(new.count)
        items.append(contentsOf: new)
        for item in new { hashes.append(rowHash(item)) }
    }

    @inlinable
    mutating func insert(_ new: [Item], hashes newHashes: ContiguousArray<UInt32>, at row: Int) {
        willChange()
        items.insert(contentsOf: new, at: row)
        hashes.insert(contentsOf: newHashes, at: row)
    }

    @inlinable
    mutating func removeLast(_ count: Int) {
        willChange()
        items.removeLast(count)
        hashes.removeLast(count)
    }

    /// Takes out the rows at `positions`, which ascend. O(count).
    @inlinable
    mutating func remove(at positions: ContiguousArray<Int>) {
        guard let first = positions.first else { return }
        willChange()
        if positions.count == 1 {
            items.remove(at: first)
            hashes.remove(at: first)
            return
        }
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
