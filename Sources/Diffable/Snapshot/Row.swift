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
    let hash = fastHash(identifier)
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
}

/// The hash of an identifier: a fast one of this module, that of an ``IdentifierWrapper``, or that of `Hasher`.
@inlinable
@inline(__always)
func fastHash<Identifier: Hashable>(_ identifier: Identifier) -> UInt64 {
    if let bits = NumberHash.bits(of: identifier) { return NumberHash.hash(bits) }
    if Identifier.self == String.self, let string = identifier as? String { return StringHash.hash(string) }
    if let hash = UUIDHash.hash(identifier) { return hash }
    return UInt64(truncatingIfNeeded: identifier._rawHashValue(seed: 0))
}
