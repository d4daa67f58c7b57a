/// A filter that recognises most hashes that are not in a set, and is small enough to stay in the processor's cache.
///
/// - Shape: at least sixteen bits for each hash, one of them set. A hash that was inserted is always reported as
///   present. Of other hashes, at most one in sixteen is.
/// - Complexity: O(1) to insert and to ask.
/// - Source: B. H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", Communications of the ACM
///   13(7), 1970, with one function.
struct HashFilter: Sendable {
    var bits: RowSet
    /// The number of bits by which a hash is shifted right to give its place.
    let shift: UInt32

    /// An empty filter for `count` hashes.
    init(count: Int) {
        let exponent = min(32, Int.bitWidth - (count * 16 - 1).leadingZeroBitCount)
        bits = RowSet(count: count == 0 ? 0 : 1 << exponent)
        shift = UInt32(32 - exponent)
    }

    /// True when the filter is for no hashes at all.
    var isEmpty: Bool { bits.words.isEmpty }

    mutating func insert(_ hash: UInt32) { bits.insert(Int(hash >> shift)) }

    func mayContain(_ hash: UInt32) -> Bool { bits.contains(Int(hash >> shift)) }
}
