import Glibc
import RoomStore

/// Keeps a second server away from the data: two would each give out the same revisions.
///
/// The lock is the kernel's, on the file `PATH.lock`, so it goes with the process however that ends. The file stays: a
/// file that is removed while another process waits for it locks nothing. It holds the owner's process id, for people.
///
/// A file with several names is one file here as long as the names are symbolic links.
final class DataLock: Sendable {
    private let descriptor: Int32

    /// - Parameter path: without symbolic links.
    init(for path: String) throws(RoomStoreError) {
        let name = path + ".lock"
        let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw RoomStoreError(opening: name, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let cause = errno
            let owner = Self.owner(in: descriptor)
            close(descriptor)
            guard cause == EWOULDBLOCK else { throw RoomStoreError(opening: name, errno: cause) }
            throw .inUse("\(path) is served by \(owner): stop it, or choose another --data")
        }
        self.descriptor = descriptor
        // On a full disk there is no name in it, and the lock holds all the same.
        ftruncate(descriptor, 0)
        let text = "\(getpid())\n"
        pwrite(descriptor, text, text.utf8.count, 0)
    }

    deinit {
        // Closing alone would leave the lock with a child process that has forked and not yet executed.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func owner(in descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
        guard let process = Int(String(decoding: digits, as: UTF8.self)) else { return "another process" }
        return "process \(process)"
    }
}
