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
    static func hash(_ number: Int) -> UInt64 {
        foldedProduct(UInt64(bitPattern: Int64(number)) ^ key, 0x9E37_79B9_7F4A_7C15)
    }
}

/// The two halves of a product, folded into one word, in which each bit of `a` and `b` counts.
@inlinable
@inline(__always)
func foldedProduct(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
}
