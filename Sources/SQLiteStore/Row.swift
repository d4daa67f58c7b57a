import CSQLite
import ChatRoom
import ChatWire
import RoomStore

/// The current row of a statement, valid until its next step. Values are copied out.
struct Row {
    let handle: OpaquePointer

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

    private func natural(_ column: Int32) throws(RoomStoreError) -> Int64 {
        let number = integer(column)
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

    /// Returns the error for a value that no version of this program writes.
    func damaged(_ column: Int32) -> RoomStoreError {
        let name = sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "\(column)"
        return .damaged(path: RoomStoreError.path(of: sqlite3_db_handle(handle)), "no sense in column \(name)")
    }
}
