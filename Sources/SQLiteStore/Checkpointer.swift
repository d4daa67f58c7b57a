import CSQLite
import Dispatch
import Locking
import RoomStore

/// Copies the log into the file on a thread of its own.
final class Checkpointer: @unchecked Sendable {
    // @unchecked: the connection is used on the queue only; the rest is constant or a Guarded.

    private let connection: Connection
    /// Nobody else opens the data while a copy is under way.
    private let lock: DataLock
    private let queue = DispatchQueue(label: "diffroom.checkpoint", qos: .utility)
    private let running = Guarded(false)

    init(path: String, lock: DataLock) throws(RoomStoreError) {
        connection = try Connection.open(path)
        self.lock = lock
    }

    var isRunning: Bool {
        running.withLock { $0 }
    }

    /// Begins to copy, unless that is under way, and returns.
    func begin() {
        let starts = running.withLock { running in
            defer { running = true }
            return !running
        }
        guard starts else { return }
        queue.async {
            self.connection.checkpoint(.passive)
            self.running.withLock { $0 = false }
        }
    }
}

extension Connection {
    enum Checkpoint {
        /// What can be copied without waiting for anybody.
        case passive
        /// All of it, waiting a moment for readers, so that the next commit starts the log over. One who reads for long,
        /// as a backup does, is not waited for: that would be a pause of the commits.
        case startOver
    }

    /// Copies the log into the file. What fails is tried again by the next one: nothing is lost from the log, and when
    /// it finds no more room itself, that is an error of the commit.
    borrowing func checkpoint(_ kind: Checkpoint) {
        let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART
        sqlite3_busy_timeout(handle, Self.moment)
        sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        sqlite3_busy_timeout(handle, Self.patience)
    }
}
