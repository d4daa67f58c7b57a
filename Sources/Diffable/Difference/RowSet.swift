/// A set of rows, with a bit for each row.
struct RowSet: Sendable {
    var words: ContiguousArray<UInt64>

    init(count: Int) {
        words = ContiguousArray(repeating: 0, count: (count + 63) / 64)
    }

    mutating func insert(_ row: Int) {
        words[row >> 6] |= 1 << UInt64(row & 63)
    }

    func contains(_ row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }

    /// The number of rows in the set. O(rows / 64).
    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Inserts rows. O(rows / 64 + 1).
    mutating func insert(_ rows: Range<Int>) {
        var row = rows.lowerBound
        while row < rows.upperBound {
            let end = min(row | 63, rows.upperBound - 1)
            words[row >> 6] |= Self.bits(from: row, through: end)
            row = end + 1
        }
    }

    /// Calls `body` with the `rows` that are not in the set, ascending. O(rows / 64 + 1 + calls).
    func forEachAbsent(in rows: Range<Int>, _ body: (Int) -> Void) {
        var row = rows.lowerBound
        while row < rows.upperBound {
            let end = min(row | 63, rows.upperBound - 1)
            var absent = ~words[row >> 6] & Self.bits(from: row, through: end)
            while absent != 0 {
                body(row & ~63 | absent.trailingZeroBitCount)
                absent &= absent &- 1
            }
            row = end + 1
        }
    }

    /// Returns a word with the bits of two rows and of all rows between them.
    static func bits(from first: Int, through last: Int) -> UInt64 {
        (.max << UInt64(first & 63)) & (.max >> UInt64(63 - last & 63))
    }
}
