/// The hash of a number in one multiplication. The standard library's takes as long as all other work for a row.
///
/// - Shape: each process has another key, as with `Hasher`, so that an attacker who chooses numbers cannot choose
///   collisions.
/// - Source: W. Yi and others, "Modern Non-Cryptographic Hash Function and Pseudorandom Number Generator" (wyhash), for
///   the folded product.
@usableFromInline
enum NumberHash {
    @usableFromInline static let key = UInt64(truncatingIfNeeded: 0.hashValue)

    @inlinable
    @inline(__always)
    static func hash(_ number: UInt64) -> UInt64 { foldedProduct(number ^ key, 0x9E37_79B9_7F4A_7C15) }

    /// Returns the bits of an integer, or nil if the identifier is none.
    @inlinable
    @inline(__always)
    static func bits<Identifier: Hashable>(of identifier: Identifier) -> UInt64? {
        if Identifier.self == Int.self, let number = identifier as? Int { return UInt64(bitPattern: Int64(number)) }
        if Identifier.self == Int64.self, let number = identifier as? Int64 { return UInt64(bitPattern: number) }
        if Identifier.self == UInt64.self, let number = identifier as? UInt64 { return number }
        if Identifier.self == Int32.self, let number = identifier as? Int32 { return UInt64(bitPattern: Int64(number)) }
        if Identifier.self == UInt32.self, let number = identifier as? UInt32 { return UInt64(number) }
        if Identifier.self == UInt.self, let number = identifier as? UInt { return UInt64(number) }
        return nil
    }
}

/// The two halves of a product, folded into one word, in which each bit of `a` and `b` counts.
@inlinable
@inline(__always)
func foldedProduct(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
}
