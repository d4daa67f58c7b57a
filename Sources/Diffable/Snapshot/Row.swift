/// One item in a snapshot, with the part of its hash that was computed when it was added. It is not hashed again.
@frozen
@usableFromInline
struct Row<Item: Hashable> {
    /// First, so that it has the same place whatever the type of the identifier is.
    @usableFromInline var hash: UInt32
    @usableFromInline var item: Item

    @inlinable
    init(_ item: Item, hash: UInt32) {
        self.hash = hash
        self.item = item
    }

    @inlinable
    init(_ item: Item) {
        self.init(item, hash: rowHash(item))
    }

    @inlinable
    @inline(__always)
    func isSame(as other: Row) -> Bool { hash == other.hash && item == other.item }
}

extension Row: Sendable where Item: Sendable {}

/// The part of an identifier's hash that a snapshot keeps.
@inlinable
@inline(__always)
func rowHash<Identifier: Hashable>(_ identifier: Identifier) -> UInt32 {
    let hash: UInt64
    if Identifier.self == Int.self, let number = identifier as? Int {
        hash = NumberHash.hash(number)
    } else if Identifier.self == String.self, let string = identifier as? String {
        hash = StringHash.hash(string)
    } else if let words = UUIDHash.hash(identifier) {
        hash = words
    } else {
        hash = UInt64(truncatingIfNeeded: identifier.hashValue)
    }
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
}
