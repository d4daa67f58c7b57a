/// A range of sort keys, both ends included. The last range of a list is open: it ends at `UInt64.max`.
public typealias SortKeys = ClosedRange<UInt64>

/// A part of a list that a reader may hold after a diff, and the proof of its rows.
public struct ListRange: Hashable, Sendable {
    public let keys: SortKeys
    /// The number of rows in the range and the digest of all of them, at the diff's revision; `nil` if the server does
    /// not know which rows the reader holds.
    public let proof: ListProof?

    public init(_ keys: SortKeys, proof: ListProof? = nil) {
        self.keys = keys
        self.proof = proof
    }
}
