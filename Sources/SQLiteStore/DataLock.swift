import Glibc
import Locking
import RoomStore

/// Keeps a second server away from the data. Two servers would assign the same revisions.
///
/// The kernel holds the locks, so they end with the process. One lock is on the file `PATH.lock`, which exists before
/// the data does and holds the owner's process id, for people. The other is on the data itself. It still holds when
/// the first file is removed, and it covers all names of the data.
final class DataLock: Sendable {
    private let name: LockedFile
    private let data: LockedFile?

    enum Use {
        /// The data is created if it does not exist, with permissions for its owner only.
        case serving
        /// There is no data yet, and another process is about to put it there.
        case replacing
    }

    /// A notice for the operator about changed permissions.
    let notice: String?

    /// - Parameter path: without symbolic links.
    init(for path: String, _ use: Use = .serving) throws(RoomStoreError) {
        let name = try LockedFile(at: path + ".lock", flags: O_RDWR) { owner in
            "\(path) is served by \(owner): stop it, or choose another --data"
        }
        name.sign()
        self.name = name
        guard use == .serving else {
            (data, notice) = (nil, nil)
            return
        }
        try Self.refuseOrphanedLog(of: path)
        let data = try LockedFile(at: path, flags: O_RDONLY) { _ in
            "\(path) is served by another process, under another name or without its \(path).lock: stop it, or choose another --data"
        }
        self.data = data
        notice = Self.restrict(path)
    }

    /// Refuses a log without its data. SQLite would remove the log and begin with nothing.
    private static func refuseOrphanedLog(of path: String) throws(RoomStoreError) {
        guard size(of: path) ?? 0 == 0, let log = size(of: path + "-wal"), log > 0 else { return }
        throw .unavailable(
            "\(path) is \(size(of: path) == nil ? "not there" : "empty"), and \(path)-wal has \(log) bytes of it: put the "
                + "file back that the log belongs to, or move the log away to begin with nothing")
    }

    private static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Restricts the files to their owner, because messages are private. Returns a notice about the change.
    private static func restrict(_ path: String) -> String? {
        let open = ["", "-wal", "-shm", ".lock", ".control"].map { path + $0 }.filter { name in
            var status = stat()
            return stat(name, &status) == 0 && status.st_mode & 0o077 != 0 && chmod(name, 0o600) == 0
        }
        guard open.first == path else { return nil }
        return "\(path) could be read by other users of this machine: from now on only by the one who runs this"
    }
}
