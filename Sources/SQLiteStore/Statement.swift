import CSQLite
import ChatWire
import RoomStore

/// One prepared statement, finalized with this value.
///
/// Values are bound first, by the numbers in the text. Then ``run()``, ``first(_:)`` or ``all(_:)`` steps through the
/// statement and resets it, so that it holds no lock afterwards. Bound values stay bound.
struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private let sums: SumRule

    /// - Parameter sums: `nil` for the connection's rule.
    init(_ sql: String, on connection: borrowing Connection, sums: SumRule? = nil) throws(RoomStoreError) {
        self.sums = sums ?? connection.sums
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(connection.handle, sql, -1, flags, &handle, nil) == SQLITE_OK, let handle else {
            throw RoomStoreError(failureOf: connection.handle)
        }
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Steps through a statement that returns no rows.
    borrowing func run() throws(RoomStoreError) {
        _ = try first { (_) throws(RoomStoreError) in }
    }

    /// The number of rows that the connection's last statement wrote: this one's, right after ``run()``.
    var changes: Int {
        Int(sqlite3_changes(sqlite3_db_handle(handle)))
    }

    /// Returns the value that `read` makes of the first row; `nil` if there is no row.
    borrowing func first<Value>(_ read: (Row) throws(RoomStoreError) -> Value) throws(RoomStoreError) -> Value? {
        defer { sqlite3_reset(handle) }
        return try step() ? read(Row(handle: handle, sums: sums)) : nil
    }

    /// Returns the values that `read` makes of all rows, in order.
    borrowing func all<Value>(_ read: (Row) throws(RoomStoreError) -> Value) throws(RoomStoreError) -> [Value] {
        defer { sqlite3_reset(handle) }
        var values: [Value] = []
        while try step() { values.append(try read(Row(handle: handle, sums: sums))) }
        return values
    }

    /// Calls `body` with each row, in order.
    borrowing func forEach(_ body: (Row) throws(RoomStoreError) -> Void) throws(RoomStoreError) {
        defer { sqlite3_reset(handle) }
        while try step() { try body(Row(handle: handle, sums: sums)) }
    }

    /// Returns the values that `read` makes of the first `limit` valid rows. A damaged row concerns one room and is
    /// skipped.
    borrowing func sound<Value>(
        _ limit: Int, _ read: (Row) throws(RoomStoreError) -> Value
    ) throws(RoomStoreError) -> [Value] {
        defer { sqlite3_reset(handle) }
        var values: [Value] = []
        while values.count < limit, try step() {
            do throws(RoomStoreError) {
                values.append(try read(Row(handle: handle, sums: sums)))
            } catch {
                guard case .damaged = error else { throw error }
            }
        }
        return values
    }

    /// Steps to the next row, and returns whether there is one.
    private borrowing func step() throws(RoomStoreError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        default: throw RoomStoreError(failureOf: sqlite3_db_handle(handle))
        }
    }
}

// MARK: - Binding

extension Statement {
    borrowing func bind(_ index: Int32, _ value: Int64) {
        check(sqlite3_bind_int64(handle, index, value), index)
    }

    /// Binds an unsigned integer. Values from 2⁶³ on become 2⁶³ − 1, which no revision reaches.
    borrowing func bind(_ index: Int32, _ value: UInt64) {
        bind(index, Int64(clamping: value))
    }

    borrowing func bind(_ index: Int32, _ value: Int64?) {
        guard let value else { return bindNull(index) }
        bind(index, value)
    }

    borrowing func bind(_ index: Int32, _ id: UniqueID?) {
        guard let id else { return bindNull(index) }
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes in
            check(csqlite_bind_blob(handle, index, bytes.baseAddress, 16), index)
        }
    }

    borrowing func bind(_ index: Int32, _ text: String?) {
        guard var text else { return bindNull(index) }
        text.withUTF8 { bytes in
            check(csqlite_bind_text(handle, index, bytes.baseAddress, UInt64(bytes.count)), index)
        }
    }

    /// Binds bytes; no bytes are NULL.
    borrowing func bind(_ index: Int32, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return bindNull(index) }
        bytes.withUnsafeBytes { bytes in
            check(csqlite_bind_blob(handle, index, bytes.baseAddress, UInt64(bytes.count)), index)
        }
    }

    private borrowing func bindNull(_ index: Int32) {
        check(sqlite3_bind_null(handle, index), index)
    }

    private borrowing func check(_ code: Int32, _ index: Int32) {
        precondition(code == SQLITE_OK, "binding ?\(index): \(String(cString: sqlite3_errstr(code)))")
    }
}
