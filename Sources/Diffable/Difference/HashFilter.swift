/// Tells most hashes that are not among some from those that may be, in memory so small that it is at hand.
///
/// - Shape: at least sixteen bits for each hash, one of them set. A hash that was inserted is always told to be there; of
///   others, one in sixteen at most is.
/// - Complexity: O(1) to insert and to ask.
/// - Source: B. H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", Communications of the ACM 13(7),
///   1970, with one function.
@frozen
@usableFromInline
struct HashFilter: Sendable {
    @usableFromInline var bits: RowSet
    /// What is left of a hash after this many bits are shifted out is its place.
    @usableFromInline let shift: UInt32

    /// An empty filter for `count` hashes.
    @inlinable
    init(count: Int) {
        let exponent = min(32, Int.bitWidth - (count * 16 - 1).leadingZeroBitCount)
        bits = RowSet(count: count == 0 ? 0 : 1 << exponent)
        shift = UInt32(32 - exponent)
    }

    /// Whether it is for no hashes at all.
    @inlinable
    var isEmpty: Bool { bits.words.isEmpty }

    @inlinable
    mutating func insert(_ hash: UInt32) { bits.insert(Int(hash >> shift)) }

    @inlinable
    func mayContain(_ hash: UInt32) -> Bool { bits.contains(Int(hash >> shift)) }
}
