/// The sums of the rows that a reader holds of a list whose rows have tags, in ``count`` groups.
///
/// Two lists whose sums of a group are equal have the same rows in it. So a server finds the groups that differ without the
/// rows' ids.
///
/// - Shape: `text` has ``digits`` digits for each group.
/// - Source: FIPS 180-4, "Secure Hash Standard".
public struct RowSums: Equatable, Sendable {
    /// The number of groups.
    public static let count = 256
    /// The hexadecimal digits of one sum.
    public static let digits = 32

    public let text: [UInt8]

    /// - Returns: `nil` for a text that is no sums.
    public init?(_ text: some Sequence<UInt8>) {
        self.text = Array(text)
        guard self.text.count == Self.count * Self.digits, self.text.allSatisfy(\.isHexadecimalDigit) else {
            return nil
        }
    }

    /// - Parameter rows: in the list's order.
    /// - Returns: `nil` if a row has no tag.
    /// - Complexity: O(bytes of their ids and tags).
    public init?(of rows: some Sequence<some ListRow>) {
        var sums = Array(repeating: SHA256(), count: Self.count)
        for row in rows {
            guard let tag = row.tag else { return nil }
            let group = Self.group(of: row)
            for part in [row.id.description, tag.description] {
                sums[group].add(part.utf8)
                sums[group].add(CollectionOfOne(UInt8(ascii: "\n")))
            }
        }
        text = sums.flatMap { $0.digits.prefix(Self.digits) }
    }

    /// Returns the group of a row, which its id decides.
    public static func group<Row: ListRow>(of row: Row) -> Int { group(ofID: row.id, Row.self) }

    static func group<Row: ListRow>(ofID id: Row.ID, _: Row.Type) -> Int {
        var hash = FNVHash()
        hash.mix(id.description)
        return Int(hash.value % UInt32(count))
    }

    /// Returns the groups whose sums differ, ascending.
    public func groups(unlike other: RowSums) -> [Int] {
        (0..<Self.count).filter { text[Self.place($0)] != other.text[Self.place($0)] }
    }

    private static func place(_ group: Int) -> Range<Int> { group * digits..<(group + 1) * digits }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }
}
