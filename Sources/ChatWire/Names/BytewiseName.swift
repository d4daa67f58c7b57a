/// A name that is the bytes of its text and nothing else: equal, hashed and ordered by them.
///
/// Two strings are equal in Swift when Unicode calls them equivalent, which depends on its version, and which no store
/// and no other language's client does.
public protocol BytewiseName: Hashable, Comparable, Sendable, LosslessStringConvertible {}

extension BytewiseName {
    public static func == (left: Self, right: Self) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        var count = 0
        for byte in description.utf8 {
            word = word << 8 | UInt64(byte)
            count += 1
            if count.isMultiple(of: 8) { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(count)
    }
}

extension String {
    /// Whether it is the same text to every program, whatever its Unicode says.
    package func hasBytes(of other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
