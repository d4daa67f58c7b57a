/// The sum modulo 2³² of a 32-bit FNV-1a hash of each row's (id bytes, sort, rev), both numbers as 8 bytes, most
/// significant first.
///
/// A sum, so that a row can be taken out and put in without the others; over the last ``window`` rows, so that a reader
/// with any window of at least that depth can check it.
///
/// - Complexity: O(1) for each row added or removed.
/// - Source: G. Fowler, L. C. Noll, K.-P. Vo, "FNV hash"; RFC 9923.
public struct ListDigest: Equatable, Sendable {
    /// How many rows at the end of the list the digest covers, in rows.
    public static let window = 32

    public private(set) var value: UInt32 = 0

    public init() {}

    public init<Row: ListRow>(_ rows: some Sequence<Row>) {
        for row in rows { add(row) }
    }

    public mutating func add(_ row: some ListRow) {
        value &+= Self.hash(row)
    }

    /// Takes out a row that was added.
    public mutating func remove(_ row: some ListRow) {
        value &-= Self.hash(row)
    }

    @specialized(where Row == Message)
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

    /// Its 8 bytes, most significant first.
    public mutating func mix(_ number: UInt64) {
        var rest = number.byteSwapped
        for _ in 0..<8 {
            mix(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Its UTF-8.
    public mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(byte) }
    }
}
