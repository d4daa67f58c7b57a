import CSQLite
import ChatWire
import RoomStore

/// The log that commits go to, kept short: it is copied into the file while commits go on, and starts over now and then.
///
/// A log starts over when it is copied to its end, which a copy on another thread never reaches while commits go on. So
/// that thread copies the bulk, and when the log is long, the writer copies the few pages that came meanwhile: a commit
/// then takes two synchronisations of the disk more, and never the bulk.
///
/// - Units: pages of 4 KiB.
struct WriteAheadLog: ~Copyable {
    /// After how much growth the bulk is copied, and the log is to start over, by default. The longer it is, the more often
    /// it has the same page, which is copied once.
    static let long = 4_000
    /// At how many times that size it waits for readers, who, always some, may have kept it from starting over.
    private static let tooLong = 4

    private let size: UnsafeMutablePointer<Int32>
    private let checkpointer: Checkpointer
    private let control: ControlFile
    private let notices: StoreNotices
    private let long: Int
    /// The size at which the last copy of the bulk began.
    private var copied = 0
    /// The bulk is being copied, and what came meanwhile is not yet.
    private var isCopying = false

    /// Takes the place of SQLite's own checkpoints.
    ///
    /// - Parameter long: after how much growth it is copied.
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
    borrowing func settle() {
        checkpointer.settle()
    }

    deinit {
        size.deallocate()
    }

    /// To be called after each commit, outside its transaction.
    ///
    /// - Parameter reached: a room that it wrote to, and the revision that it has now.
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
