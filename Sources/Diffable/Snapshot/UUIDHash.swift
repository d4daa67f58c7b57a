#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The hash of a UUID in two multiplications. The standard library's takes as long as all other work for a row.
///
/// - Shape: each process has other keys, as with `Hasher`, so that an attacker who chooses UUIDs cannot choose
///   collisions.
/// - Source: W. Yi and others, "Modern Non-Cryptographic Hash Function and Pseudorandom Number Generator" (wyhash), for
///   the folded products.
@usableFromInline
enum UUIDHash {
    @usableFromInline static let keys = (
        UInt64(truncatingIfNeeded: 3.hashValue), UInt64(truncatingIfNeeded: 4.hashValue)
    )

    @inlinable
    @inline(__always)
    static func isUUID<Identifier>(_: Identifier.Type) -> Bool { Identifier.self == UUID.self }

    /// Returns nil if the identifier is not a UUID.
    @inlinable
    @inline(__always)
    static func hash<Identifier: Hashable>(_ identifier: Identifier) -> UInt64? {
        guard Identifier.self == UUID.self, let id = identifier as? UUID else { return nil }
        let (keys, words) = (keys, unsafe unsafeBitCast(id.uuid, to: (UInt64, UInt64).self))
        return foldedProduct(foldedProduct(words.0 ^ keys.0, words.1 ^ keys.1) ^ keys.0, 0x9E37_79B9_7F4A_7C15)
    }
}
