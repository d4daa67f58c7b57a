/// The hash of a string of ASCII in one multiplication for each 16 bytes. Other strings have the standard library's
/// hash.
///
/// - Shape: strings are equal when they look the same. So three characters that are not ASCII count as the ASCII
///   characters that they are equal to: the Greek question mark, the varia and the Kelvin sign. Each process has other
///   keys, as with `Hasher`, so that an attacker who chooses strings cannot choose collisions.
/// - Source: W. Yi and others, "Modern Non-Cryptographic Hash Function and Pseudorandom Number Generator" (wyhash), for
///   the folded products; Unicode Standard Annex 15, for the characters.
@usableFromInline
enum StringHash {
    @usableFromInline static let keys = (
        UInt64(truncatingIfNeeded: 1.hashValue), UInt64(truncatingIfNeeded: 2.hashValue)
    )

    @inlinable
    static func hash(_ string: String) -> UInt64 {
        let keys = keys
        let hash = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe ofASCII(UnsafeRawBufferPointer(bytes), keys)
        }
        return (hash ?? nil) ?? ofOthers(string)
    }

    /// Returns nil if the bytes are not all ASCII.
    @inlinable
    @inline(__always)
    static func ofASCII(_ bytes: UnsafeRawBufferPointer, _ keys: (UInt64, UInt64)) -> UInt64? {
        let count = bytes.count
        var (all, hash): (UInt64, UInt64) = (0, keys.1 ^ UInt64(truncatingIfNeeded: count))
        if count < 16 {
            var (low, high): (UInt64, UInt64) = (0, 0)
            for place in 0..<min(count, 8) { low |= unsafe UInt64(bytes[place]) << UInt64(place * 8) }
            for place in min(count, 8)..<count { high |= unsafe UInt64(bytes[place]) << UInt64(place * 8 - 64) }
            all = low | high
            hash = foldedProduct(low ^ keys.0, high ^ hash)
        } else {
            // The last 16 bytes may overlap those before them. All bytes that are loaded are within `count`.
            guard let first = bytes.baseAddress else { return nil }
            var place = 0
            while place < count {
                let start = min(place, count &- 16)
                let low = unsafe first.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                let high = unsafe first.loadUnaligned(fromByteOffset: start &+ 8, as: UInt64.self)
                all |= low | high
                hash = foldedProduct(low ^ keys.0, high ^ hash)
                place &+= 16
            }
        }
        return all & 0x8080_8080_8080_8080 == 0 ? foldedProduct(hash ^ keys.0, 0x9E37_79B9_7F4A_7C15) : nil
    }

    /// Returns the hash of a string that is not ASCII, or whose bytes are not contiguous.
    @usableFromInline
    @inline(never)
    static func ofOthers(_ string: String) -> UInt64 {
        var plain = ""
        for scalar in string.unicodeScalars { plain.unicodeScalars.append(asASCII(scalar)) }
        let hash = unsafe plain.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe ofASCII(UnsafeRawBufferPointer(bytes), keys)
        }
        return (hash ?? nil) ?? UInt64(truncatingIfNeeded: string.hashValue)
    }

    /// Returns the ASCII character that is equal to this one, if there is one.
    static func asASCII(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "\u{37E}": ";"
        case "\u{1FEF}": "`"
        case "\u{212A}": "K"
        default: scalar
        }
    }
}
