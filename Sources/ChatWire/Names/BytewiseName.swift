/// A name that is equal, hashed and ordered by the bytes of its text.
///
/// Swift calls two strings equal when Unicode calls them equivalent. Equivalence depends on the version of
/// Unicode, and neither stores nor clients in other languages compare so.
///
/// The bytes are looked at in the memory in which they stand: as sequences they take several times as long, and whoever
/// has a list of people or rooms looks names up all the time.
public protocol BytewiseName: Hashable, Comparable, Sendable, LosslessStringConvertible {}

extension BytewiseName {
    public static func == (left: Self, right: Self) -> Bool {
        left.description.hasBytes(of: right.description)
    }

    public static func < (left: Self, right: Self) -> Bool {
        unsafe left.description.withBytes(and: right.description) { unsafe $0.lexicographicallyPrecedes($1) }
    }

    public func hash(into hasher: inout Hasher) {
        var text = description
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)  // no byte of a text: what is hashed next does not continue the name
    }
}

extension String {
    /// Returns whether both texts have the same bytes.
    package func hasBytes(of other: String) -> Bool {
        unsafe withBytes(and: other) { unsafe $0.count == $1.count && $0.elementsEqual($1) }
    }

    fileprivate func withBytes<Value>(
        and other: String, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        var (left, right) = (self, other)
        return left.withUTF8 { left in right.withUTF8 { right in unsafe body(left, right) } }
    }
}
