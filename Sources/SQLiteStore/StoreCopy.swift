import CSQLite
package import ChatWire
import Glibc
package import RoomStore

/// Copies of a store's file, each complete in one file.
///
/// - Errors: ``RoomStoreError``. There is then no copy, and nothing has changed.
package enum StoreCopy {
    /// A description of a copy.
    package struct Report: Equatable, Sendable {
        package let epoch: Epoch
        package let bytes: Int
    }

    /// Copies the data as of one moment after the call began, also while a server serves it. Everything that was
    /// acknowledged before the call is in the copy.
    ///
    /// Commits go on meanwhile. The log cannot start over before the copy ends, so it grows by the commits until then.
    ///
    /// - Parameters:
    ///   - data: in any format of ours; the copy has the same.
    ///   - target: appears when the copy is complete, was checked as a whole, and is on the disk.
    package static func backup(of data: String, to target: String) throws(RoomStoreError) -> Report {
        let file = try NewFile(at: target)
        try copy(try dataPath(data), to: file)
        return try finish(file, epoch: nil)
    }

    /// Puts a backup in the place of the data.
    ///
    /// Commits after the backup are lost, so the history is another one and gets a new epoch. No client then takes its
    /// own later revisions for ones that will be assigned again.
    ///
    /// - Errors: `inUse` while the data is served; `unavailable` while there is data, or a leftover log.
    package static func restore(_ backup: String, to data: String) throws(RoomStoreError) -> Report {
        let path = try dataPath(data)
        let lock = try DataLock(for: path, .replacing)
        defer { withExtendedLifetime(lock) {} }
        // SQLite would apply a log that was left of other data to this file.
        for leftover in ["-wal", "-shm", "-journal"] where access(path + leftover, F_OK) == 0 {
            throw .unavailable("\(path)\(leftover) is left of other data: move it away together with that")
        }
        let file = try NewFile(at: path)
        try copy(backup, to: file)
        // The control file describes the data that was moved away.
        unlink(ControlFile.path(for: path))
        return try finish(file, epoch: "\(UniqueID.random())")
    }

    /// The pages of 4 KiB that are copied before they are synchronised with the disk, so that a commit does not wait
    /// until the disk has taken the whole copy.
    private static let stride: Int32 = 1_024

    static func copy(_ source: String, to file: borrowing NewFile) throws(RoomStoreError) {
        let source = try Connection.open(source, .required)
        let target = try Connection.open(file.temporary)
        try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        // One reading transaction is one moment, whatever is committed meanwhile. Without it each commit would restart
        // the copy.
        try source.transaction(.reading) { () throws(RoomStoreError) in
            guard try Schema.current.format(of: source) > 0 else {
                throw .notAStore("\(RoomStoreError.path(of: source.handle)) is empty: name the file that is served")
            }
            guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
                throw RoomStoreError(failureOf: target.handle)
            }
            var step = sqlite3_backup_step(backup, stride)
            do throws(RoomStoreError) {
                while step == SQLITE_OK {
                    // The kernel tells of what the disk did not take once: a later call would succeed.
                    try file.synchronize()
                    step = sqlite3_backup_step(backup, stride)
                }
            } catch {
                sqlite3_backup_finish(backup)
                throw error
            }
            // sqlite3_backup_finish() reports no error for a step that another program's lock prevented.
            guard sqlite3_backup_finish(backup) == SQLITE_OK, step == SQLITE_DONE else {
                throw RoomStoreError(failureOfCopyOver: target.handle, code: step, to: file.path)
            }
        }
    }

    /// - Parameter epoch: the new epoch; `nil` to keep the old one.
    private static func finish(_ file: consuming NewFile, epoch new: String?) throws(RoomStoreError) -> Report {
        let epoch = try check(file, epoch: new)
        var status = stat()
        stat(file.temporary, &status)
        try file.publish()
        return Report(epoch: epoch, bytes: Int(status.st_size))
    }

    /// Checks the copy. Its connection is the last to close, which copies the log into the file and removes it.
    private static func check(_ file: borrowing NewFile, epoch new: String?) throws(RoomStoreError) -> Epoch {
        let copy = try Connection.open(file.temporary, .required)
        let verdict = try Statement("PRAGMA quick_check(1)", on: copy).first { (row) throws(RoomStoreError) in
            try row.text(0)
        }
        guard verdict == "ok" else {
            throw .damaged("the data is damaged (\(verdict ?? "it cannot be read")): there is no copy of it")
        }
        if let new { try copy.begin(epoch: new) }
        return try copy.epoch()
    }
}

extension Connection {
    /// Sets the epoch, and clears the session in formats that have one.
    fileprivate borrowing func begin(epoch: String) throws(RoomStoreError) {
        try execute("UPDATE store SET epoch = '\(epoch)'")
        guard try number("SELECT count(*) FROM pragma_table_info('store') WHERE name = 'session'") > 0 else { return }
        try execute("UPDATE store SET session = 0")
    }
}

extension RoomStoreError {
    /// The error for a failed copy. SQLite reports the failure of either connection on the target.
    fileprivate init(failureOfCopyOver target: OpaquePointer, code: Int32, to path: String) {
        let text = String(cString: sqlite3_errmsg(target))
        let atFile = csqlite_last_errno(target)
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: self = .unavailable("the data is locked by another program: try again")
        case SQLITE_FULL:
            self = .full("no more room for \(path) (\(text)): make room on its disk, or choose another place")
        case SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(atFile):
            self = .full("no more room for \(path): make room on its disk, or choose another place")
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged("the data is damaged (\(text)): there is no copy of it")
        default: self = .unavailable("the copy to \(path) failed: \(text)")
        }
    }
}
