import CGatheredLog
import CSQLite
import Glibc
import RoomStore

/// One connection to the file, closed with this value.
///
/// Only one thread at a time may use it: its owner.
struct Connection: ~Copyable {
    let handle: OpaquePointer
    /// The rule for statements that are prepared from now on.
    private(set) var sums = SumRule.present

    enum Presence {
        /// The file is created if it does not exist.
        case optional
        case required
    }

    /// - Parameter gathersLog: whether a transaction's part of the log is written at once, for a connection that
    ///   commits much.
    static func open(
        _ path: String, _ presence: Presence = .optional, gathersLog: Bool = false
    ) throws(RoomStoreError) -> Connection {
        guard presence == .optional || access(path, F_OK) == 0 || errno != ENOENT else {
            throw .unavailable("\(path) is not there: see how it is spelled, and from which folder")
        }
        var handle: OpaquePointer?
        let making = presence == .optional ? SQLITE_OPEN_CREATE : 0
        let flags = SQLITE_OPEN_READWRITE | making | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, gathersLog ? cgatheredlog_vfs() : nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw RoomStoreError(failureOf: handle, path: path)
        }
        let connection = Connection(handle: handle)
        sqlite3_busy_timeout(handle, Self.patience)
        guard csqlite_add_row_sum(handle) == SQLITE_OK else { throw RoomStoreError(failureOf: handle, path: path) }
        try connection.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA journal_size_limit = \(longestLog);
            """)
        return connection
    }

    private init(handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        // Statements may outlive this value: the last of them closes the connection.
        sqlite3_close_v2(handle)
    }

    /// The time that another program may lock the file before it is an error, in milliseconds.
    static let patience: Int32 = 2_000

    /// The time that a commit may wait for readers so that the log can start over, in milliseconds.
    static let moment: Int32 = 50

    /// The size to which the log's file is cut when it starts over, in bytes. A reader that stays long lets it grow.
    private static let longestLog = 32 << 20

    /// Switches the file to a write-ahead log, so that readers do not wait for the writer.
    borrowing func requireWriteAheadLog() throws(RoomStoreError) {
        let path = RoomStoreError.path(of: handle)
        // SQLite opens a file without write permission for reading, and tells so only when asked.
        guard sqlite3_db_readonly(handle, "main") == 0 else {
            throw .readOnly(path: path, "it may only be read")
        }
        let mode = try Statement("PRAGMA journal_mode = WAL", on: self).first { (row) throws(RoomStoreError) in
            try row.text(0)
        }
        guard mode == "wal" else {
            throw .unavailable("\(path): its file system cannot share memory between connections: choose a local disk")
        }
    }

    /// Demands a sum of every row, if the file has them all.
    mutating func requireSums() throws(RoomStoreError) {
        if try number("SELECT summed FROM store") != 0 { sums = .required }
    }

    /// Runs statements whose results do not matter.
    borrowing func execute(_ sql: String) throws(RoomStoreError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw RoomStoreError(failureOf: handle) }
    }

    /// Returns the number that a query gives; 0 if it gives none.
    borrowing func number(_ sql: String) throws(RoomStoreError) -> Int64 {
        try Statement(sql, on: self).first { (row) throws(RoomStoreError) in row.integer(0) } ?? 0
    }

    /// True while a transaction is open.
    var isInTransaction: Bool {
        borrowing get { sqlite3_get_autocommit(handle) == 0 }
    }

    /// Runs `body` in one transaction, which takes effect as a whole or not at all.
    borrowing func transaction<Result>(
        _ kind: Transaction, _ body: () throws(RoomStoreError) -> Result
    ) throws(RoomStoreError) -> Result {
        try execute(kind.rawValue)
        do throws(RoomStoreError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After the worst errors SQLite has already rolled back, and a failed rollback has nothing to add.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    enum Transaction: String {
        /// Reads everything as of one moment.
        case reading = "BEGIN"
        case writing = "BEGIN IMMEDIATE"
    }
}
