import CSQLite
import ChatWire

/// The sum of the values of one row, which are added in their order: the same as that of `row_sum` in SQL, at a tenth of
/// its cost.
struct RowSum {
    private var sum: UInt64 = 0

    /// The value of the column.
    var stored: Int64 { csqlite_sum_stored(sum) }

    mutating func add(_ value: Int64?) {
        guard let value else { return addNull() }
        sum = csqlite_sum_word(sum &+ UInt64(SQLITE_INTEGER), UInt64(bitPattern: value))
    }

    /// Adds an unsigned integer as it is bound.
    mutating func add(_ value: UInt64) { add(Int64(clamping: value)) }

    mutating func add(_ id: UniqueID?) {
        guard let id else { return addNull() }
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { addBlob($0) }
    }

    mutating func add(_ text: String?) {
        guard var text else { return addNull() }
        text.withUTF8 { addText($0) }
    }

    mutating func addNull() { sum = csqlite_sum_word(sum &+ UInt64(SQLITE_NULL), 0) }

    mutating func addText(_ bytes: UnsafeBufferPointer<UInt8>) {
        sum = csqlite_sum_bytes(sum, SQLITE_TEXT, bytes.baseAddress, bytes.count)
    }

    mutating func addBlob(_ bytes: UnsafeRawBufferPointer) {
        sum = csqlite_sum_bytes(sum, SQLITE_BLOB, bytes.baseAddress, bytes.count)
    }
}
