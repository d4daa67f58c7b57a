import CSQLite
import Glibc
import RoomStore

extension RoomStoreError {
    /// The error for the last failed call on a connection. Without a connection, SQLite had no memory to make one.
    ///
    /// - Source: https://www.sqlite.org/rescode.html
    init(failureOf connection: OpaquePointer?, path: String? = nil) {
        let code = sqlite3_extended_errcode(connection)
        let path = path ?? Self.path(of: connection)
        let text = String(cString: sqlite3_errmsg(connection))
        let atFile = connection.map { csqlite_last_errno($0) } ?? 0
        let atOpening = sqlite3_system_errno(connection)
        switch code & 0xFF {
        case SQLITE_FULL: self = .full(path: path, text)
        case SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(atFile):
            self = .full(path: path, Self.text(of: atFile))
        case SQLITE_READONLY, SQLITE_PERM: self = .readOnly(path: path, text)
        case SQLITE_CANTOPEN where atOpening != 0: self = RoomStoreError(opening: path, errno: atOpening)
        case SQLITE_NOTADB: self = .notAStore("\(path) is no data of diffroomd (\(text)): choose another --data")
        // Our statements match our tables and constraints, unless something else has changed the tables.
        case SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_ERROR: self = .damaged(path: path, text)
        case SQLITE_BUSY, SQLITE_LOCKED:
            self = .unavailable("\(path) is locked by another program (\(text)): end what it does there")
        default: self = .unavailable("\(path): \(text) (SQLite's code \(code), errno \(atFile))")
        }
    }

    /// The error for a file that could not be opened or created.
    init(opening path: String, errno code: Int32) {
        switch code {
        case EACCES, EPERM, EROFS: self = .readOnly(path: path, Self.text(of: code))
        case ENOSPC, EDQUOT, EFBIG: self = .full(path: path, Self.text(of: code))
        case ENOENT, ENOTDIR: self = .unavailable("\(path): its folder is not there: make it, or choose another --data")
        case EISDIR: self = .notAStore("\(path) is a folder: choose another --data")
        default: self = .unavailable("\(path) cannot be opened: \(Self.text(of: code))")
        }
    }

    static func full(path: String, _ text: String) -> RoomStoreError {
        .full("no more room for \(path) (\(text)): make room on its disk, then send again")
    }

    static func readOnly(path: String, _ text: String) -> RoomStoreError {
        .readOnly(
            "\(path) cannot be written (\(text)): let the user who runs this write it and its folder, "
                + "or choose another --data")
    }

    static func damaged(path: String, _ text: String) -> RoomStoreError {
        .damaged("\(path) is damaged (\(text)): put a backup in its place, or choose another --data")
    }

    static func path(of connection: OpaquePointer?) -> String {
        guard let path = sqlite3_db_filename(connection, "main") else { return "the data" }
        return String(cString: path)
    }

    private static func text(of code: Int32) -> String {
        String(cString: strerror(code))
    }
}
