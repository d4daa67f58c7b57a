import CSQLite
import ChatRoom
import ChatWire
import RoomStore

/// The current row of a statement, valid until its next step. Values are copied out.
struct Row {
    let handle: OpaquePointer
    let sums: SumRule

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    /// Returns an integer that fits the wire, so that arithmetic on it cannot overflow.
    func revision(_ column: Int32) throws(RoomStoreError) -> Revision {
        Revision(try natural(column))
    }

    func time(_ column: Int32) throws(RoomStoreError) -> Milliseconds {
        try natural(column)
    }

    func activity(_ column: Int32) throws(RoomStoreError) -> ActivityStamp {
        guard let stamp = ActivityStamp(known: integer(column)) else { throw damaged(column) }
        return stamp
    }

    func count(_ column: Int32) throws(RoomStoreError) -> Int {
        Int(try natural(column))
    }

    private func natural(_ column: Int32) throws(RoomStoreError) -> Int64 { try natural(integer(column), of: column) }

    fileprivate func natural(_ number: Int64, of column: Int32) throws(RoomStoreError) -> Int64 {
        guard number >= 0, number < Int64(WireInteger.limit) else { throw damaged(column) }
        return number
    }

    func id(_ column: Int32) throws(RoomStoreError) -> UniqueID {
        guard let start = sqlite3_column_blob(handle, column), sqlite3_column_bytes(handle, column) == 16 else {
            throw damaged(column)
        }
        return UniqueID(
            high: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    func text(_ column: Int32) throws(RoomStoreError) -> String {
        guard let start = sqlite3_column_text(handle, column) else { throw damaged(column) }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged(column) }
        return text
    }

    /// Returns the bytes; NULL is no bytes.
    func bytes(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(handle, column)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Compares the sum of these columns with the one that is stored in a column.
    func requireSum(of columns: Range<Int32>, in column: Int32) throws(RoomStoreError) {
        guard sums != .ignored else { return }
        let none: Int32 = sums == .present ? 1 : 0
        guard csqlite_row_is_sound(handle, columns.lowerBound, Int32(columns.count), column, none) != 0 else {
            throw RoomStoreError.damaged(path: path, "a row's checksum is wrong")
        }
    }

    /// Compares a sum that is stored with the column behind it, which is what it should be.
    func requireSum(_ column: Int32) throws(RoomStoreError) {
        let stored = integer(column)
        guard stored != integer(column + 1), sums != .ignored else { return }
        guard stored == 0, sums == .present else {
            throw RoomStoreError.damaged(path: path, "a row's checksum is wrong")
        }
    }

    fileprivate var path: String { RoomStoreError.path(of: sqlite3_db_handle(handle)) }

    /// Returns the error for a value that no version of this program writes.
    func damaged(_ column: Int32) -> RoomStoreError {
        let name = sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "\(column)"
        return .damaged(path: path, "no sense in column \(name)")
    }
}

// MARK: - Reading with the sum

/// The values of a row whose sum is made as they are read, in the order of the columns.
extension Row {
    func natural(_ column: Int32, _ sum: inout RowSum) throws(RoomStoreError) -> Int64 {
        let number = integer(column)
        sum.add(number)
        return try natural(number, of: column)
    }

    func id(_ column: Int32, _ sum: inout RowSum) throws(RoomStoreError) -> UniqueID {
        addBlob(column, to: &sum)
        return try id(column)
    }

    func text(_ column: Int32, _ sum: inout RowSum) throws(RoomStoreError) -> String {
        guard let start = sqlite3_column_text(handle, column) else { throw damaged(column) }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        sum.addText(bytes)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged(column) }
        return text
    }

    func addBlob(_ column: Int32, to sum: inout RowSum) {
        let start = sqlite3_column_blob(handle, column)
        sum.addBlob(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Reads a value that may be missing.
    func optional<Value>(
        _ column: Int32, _ sum: inout RowSum, _ read: (Int32, inout RowSum) throws(RoomStoreError) -> Value
    ) throws(RoomStoreError) -> Value? {
        if isNull(column) {
            sum.addNull()
            return nil
        }
        return try read(column, &sum)
    }

    /// Compares the sum with the one that is stored in this column.
    func require(_ sum: RowSum, in column: Int32) throws(RoomStoreError) {
        let stored = integer(column)
        guard stored != sum.stored, stored != 0 || sums == .required else { return }
        throw RoomStoreError.damaged(path: path, "a row's checksum is wrong")
    }
}
