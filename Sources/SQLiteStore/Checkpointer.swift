import CSQLite
import Dispatch
import Locking
import RoomStore

/// Copies the log into the file on a thread of its own.
final class Checkpointer: @unchecked Sendable {
    // @unchecked: the connection is used on the queue only; the rest is constant or a Guarded.

    private let connection: Connection
    /// Kept so that no other process opens the data while a copy is under way.
    private let lock: DataLock
    private let control: ControlFile
    private let notices: StoreNotices
    private let queue = DispatchQueue(label: "diffroom.checkpoint", qos: .utility)
    private let running = Guarded(false)

    init(path: String, lock: DataLock, control: ControlFile, notices: StoreNotices) throws(RoomStoreError) {
        connection = try Connection.open(path)
        self.lock = lock
        self.control = control
        self.notices = notices
    }

    var isRunning: Bool {
        running.withLock { $0 }
    }

    /// Begins a copy, unless one is under way, and returns.
    func begin() {
        let starts = running.withLock { running in
            defer { running = true }
            return !running
        }
        guard starts else { return }
        queue.async {
            self.notices.noting(.checkpoint) { _ = try self.connection.copyLog(.passive, noting: self.control) }
            self.running.withLock { $0 = false }
            self.notices.deliver()
        }
    }

    func keepLog() {
        queue.sync { connection.keepLog() }
    }

    /// Returns when no copy is under way.
    func waitUntilIdle() {
        queue.sync {}
    }
}

extension Connection {
    enum Checkpoint {
        /// Copies the pages that need no wait.
        case passive
        /// Copies all pages and waits a moment for readers, so that the next commit starts the log over.
        ///
        /// It does not wait for a reader that takes long, such as a backup, because commits would pause.
        case startOver
        /// Copies all pages, and waits for readers as long as for a lock.
        case all
    }

    enum Progress {
        case all
        /// A reader or another copy was in the way. The next copy continues.
        case some
    }

    /// Copies the log into the file. A failure loses nothing from the log: the next copy tries again.
    borrowing func copyLog(
        _ kind: Checkpoint, noting control: ControlFile
    ) throws(RoomStoreError) -> Progress {
        try control.copying(.underWay)
        if kind != .all { sqlite3_busy_timeout(handle, Self.moment) }
        defer { sqlite3_busy_timeout(handle, Self.patience) }
        var (pages, copied): (Int32, Int32) = (0, 0)
        let mode = [.passive: SQLITE_CHECKPOINT_PASSIVE, .startOver: SQLITE_CHECKPOINT_RESTART][kind]
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode ?? SQLITE_CHECKPOINT_FULL, &pages, &copied)
        guard [SQLITE_OK, SQLITE_BUSY].contains(code & 0xFF) else { throw RoomStoreError(failureOf: handle) }
        // Pages are copied up to the end of a commit, so the file is whole as of that commit.
        try control.copying(.done)
        return code == SQLITE_OK && pages == copied ? .all : .some
    }
}
