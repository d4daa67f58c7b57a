/// A digest of the last ``window`` rows of a list.
///
/// It is the sum modulo 2³² of a 32-bit FNV-1a hash of each row's (id bytes, sort, rev), both numbers as 8 bytes, most
/// significant first. A row can be added to a sum or taken out of it without the others. A reader whose window is at
/// least ``window`` rows deep can check it.
///
/// - Complexity: O(1) for each row added or removed.
/// - Source: G. Fowler, L. C. Noll, K.-P. Vo, "FNV hash"; RFC 9923.
public struct ListDigest: Equatable, Sendable {
    /// The number of rows at the end of the list that the digest covers.
    public static let window = 32

    public private(set) var value: UInt32 = 0

    public init() {}

    public init<Row: ListRow>(_ rows: some Sequence<Row>) {
        for row in rows { add(row) }
    }

    public mutating func add(_ row: some ListRow) {
        value &+= Self.hash(row)
    }

    /// Removes a row that was added.
    public mutating func remove(_ row: some ListRow) {
        value &-= Self.hash(row)
    }

    /// Adds a row of which only this is known.
    package mutating func add(_ stamp: RowStamp) {
        var hash = FNVHash()
        Message.mix(stamp.id, into: &hash)
        hash.mix(stamp.sort)
        hash.mix(stamp.rev)
        value &+= hash.value
    }

    @specialized(where Row == Message)
    @specialized(where Row == MyRoom)
    private static func hash<Row: ListRow>(_ row: Row) -> UInt32 {
        var hash = FNVHash()
        Row.mix(row.id, into: &hash)
        hash.mix(row.sort)
        hash.mix(row.rev)
        return hash.value
    }
}

/// A 32-bit FNV-1a hash of bytes.
public struct FNVHash: Sendable {
    public private(set) var value: UInt32 = 2_166_136_261

    public init() {}

    public mutating func mix(_ byte: UInt8) {
        value = (value ^ UInt32(byte)) &* 16_777_619
    }

    /// Mixes in the 8 bytes of a number, most significant first.
    public mutating func mix(_ number: UInt64) {
        var rest = number.byteSwapped
        for _ in 0..<8 {
            mix(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Mixes in the UTF-8 of a text.
    public mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(byte) }
    }
}
