import CSQLite
import ChatWire
import RoomStore

/// The log that commits go to. It is copied into the file while commits go on, and starts over now and then, so that it
/// stays short.
///
/// A log starts over when it is copied to its end. A copy on another thread never reaches the end while commits go on.
/// So that thread copies the bulk, and when the log is long, the writer copies the few pages that came meanwhile. Such
/// a commit costs two more synchronisations of the disk, but never the bulk.
///
/// - Units: pages of 4 KiB.
struct WriteAheadLog: ~Copyable {
    /// The default growth after which the bulk is copied and the log starts over. A longer log more often holds the
    /// same page several times, and copies it once.
    static let long = 6_000
    /// The multiple of that size at which the log waits for readers, which may have kept it from starting over.
    private static let tooLong = 4

    private let size: UnsafeMutablePointer<Int32>
    private let checkpointer: Checkpointer
    private let control: ControlFile
    private let notices: StoreNotices
    private let long: Int
    /// The size at which the last copy of the bulk began.
    private var copied = 0
    /// True when the bulk was copied, or is being copied, and the later pages are not.
    private var isCopying = false

    /// Replaces SQLite's own checkpoints.
    ///
    /// - Parameter long: the growth after which the log is copied.
    /// - Precondition: the connection commits nothing after this value is gone.
    init(
        of connection: borrowing Connection, checkpointer: Checkpointer, control: ControlFile, notices: StoreNotices,
        long: Int
    ) {
        self.checkpointer = checkpointer
        self.control = control
        self.notices = notices
        self.long = long
        size = .allocate(capacity: 1)
        size.initialize(to: 0)
        sqlite3_wal_hook(
            connection.handle,
            { size, _, _, pages in
                size?.storeBytes(of: pages, as: Int32.self)
                return SQLITE_OK
            }, size)
    }

    /// Returns when no other thread copies.
    borrowing func waitUntilIdle() {
        checkpointer.waitUntilIdle()
    }

    /// Leaves the log's file where it is when the last connection closes.
    borrowing func keep() {
        checkpointer.keepLog()
    }

    deinit {
        size.deallocate()
    }

    /// Notes a commit. Call it after each commit, outside its transaction.
    ///
    /// - Parameter reached: a room that the commit wrote to, and its present revision.
    mutating func committed(over connection: borrowing Connection, reached: (room: Int64, revision: Revision)? = nil) {
        if let reached {
            notices.noting(.control) { try control.reached(reached.revision, in: reached.room) }
        }
        let size = Int(size.pointee)
        if size < copied { copied = 0 }
        if isCopying {
            guard !checkpointer.isRunning else { return }
            isCopying = false
            notices.noting(.checkpoint) {
                _ = try connection.copyLog(size >= Self.tooLong * long ? .startOver : .passive, noting: control)
            }
        } else if size - copied >= long {
            copied = size
            isCopying = true
            checkpointer.begin()
        }
    }
}
