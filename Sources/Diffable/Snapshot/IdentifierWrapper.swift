/// An identifier that is another one under a name of its own. It is hashed as fast as the one that it wraps.
///
/// ```swift
/// struct MessageID: IdentifierWrapper {
///     let wrappedIdentifier: UUID
/// }
///
/// struct UserID: Hashable { let raw: Int64 }
/// extension UserID: IdentifierWrapper { var wrappedIdentifier: Int64 { raw } }
///
/// struct RoomID: RawRepresentable, Hashable { let rawValue: String }
/// extension RoomID: IdentifierWrapper {}
/// ```
///
/// Lists hash an `Int64`, a `UUID` and a `String` of ASCII in few multiplications, but a structure with one of them in it
/// by `Hasher`, which takes most of the time of building a list. Neither its layout nor its hashes show how its `==`
/// compares: that of a name may ignore case. So the type has to say it.
///
/// - Shape: equal identifiers must have equal ``wrappedIdentifier``s, as the compiler's `==` of a structure with one
///   property makes sure. Different ones should have different ones: that of a row with contents may be its number.
/// - Place: conform in the module that declares the type. A conformance elsewhere compiles, but lists, like sets and
///   dictionaries, then use `Hasher` as before.
/// - Effect: a `Set` and a `Dictionary` of these identifiers are faster, too. Keys of the process keep those who choose
///   identifiers from choosing collisions, as with `Hasher`.
public protocol IdentifierWrapper: Hashable {
    /// The type of the identifier inside.
    associatedtype WrappedIdentifier: Hashable

    /// The identifier inside.
    var wrappedIdentifier: WrappedIdentifier { get }
}

extension IdentifierWrapper where Self: RawRepresentable {
    /// The raw value.
    @inlinable
    public var wrappedIdentifier: RawValue { rawValue }
}

// `Hashable` requires this function, and has the hash of `Hasher` for types that do not have it. So which hash an
// identifier has is decided where its type conforms, and all code agrees on it, without asking for the type.
extension IdentifierWrapper {
    /// The hash that sets, dictionaries and lists use.
    @inlinable
    @inline(__always)
    public func _rawHashValue(seed: Int) -> Int { seededHash(wrappedIdentifier, seed) }
}

extension IdentifierWrapper where Self: RawRepresentable, RawValue: Hashable {
    /// The hash that sets, dictionaries and lists use.
    @inlinable
    @inline(__always)
    public func _rawHashValue(seed: Int) -> Int { seededHash(wrappedIdentifier, seed) }
}

/// The hash of a wrapped identifier, which is another one with each seed.
@inlinable
@inline(__always)
func seededHash<Identifier: Hashable>(_ identifier: Identifier, _ seed: Int) -> Int {
    let hash = fastHash(identifier)
    if seed == 0 { return Int(truncatingIfNeeded: hash) }
    return Int(truncatingIfNeeded: foldedProduct(hash ^ UInt64(truncatingIfNeeded: seed), 0x9E37_79B9_7F4A_7C15))
}
