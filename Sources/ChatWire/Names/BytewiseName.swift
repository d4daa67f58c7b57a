/// A name that is equal, hashed and ordered by the bytes of its text.
///
/// Swift calls two strings equal when Unicode calls them equivalent. That depends on the version of Unicode, and
/// neither stores nor clients in other languages compare so.
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
    /// Returns whether both texts have the same bytes.
    package func hasBytes(of other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
