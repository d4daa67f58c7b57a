import Glibc
import Locking
import RoomStore

/// A file that this value has locked against other processes and against other values in this process.
final class LockedFile: Sendable {
    private let descriptor: Int32
    private let identity: Identity

    private struct Identity: Hashable {
        let device: UInt64
        let number: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            number = UInt64(status.st_ino)
        }
    }

    /// The locked files of this process. Closing another descriptor of one would release SQLite's own locks on it.
    private static let own = Guarded<Set<Identity>>([])

    /// - Parameter refusal: makes the error's text from the present owner.
    init(at path: String, flags: Int32, refusal: (_ owner: String) -> String) throws(RoomStoreError) {
        var status = stat()
        if stat(path, &status) == 0, Self.own.withLock({ $0.contains(Identity(status)) }) {
            throw .inUse(refusal("process \(getpid())"))
        }
        let descriptor = open(path, flags | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { throw RoomStoreError(opening: path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0 else {
            let cause = errno
            let owner = Self.owner(in: descriptor)
            close(descriptor)
            guard cause == EWOULDBLOCK else { throw RoomStoreError(opening: path, errno: cause) }
            throw .inUse(refusal(owner))
        }
        self.descriptor = descriptor
        let identity = Identity(status)
        self.identity = identity
        Self.own.withLock { _ = $0.insert(identity) }
    }

    deinit {
        let identity = identity
        Self.own.withLock { _ = $0.remove(identity) }
        // A child process that has forked and not yet executed would keep the lock if the file were only closed.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Writes this process's id into the file. On a full disk the id is missing, but the lock holds.
    func sign() {
        ftruncate(descriptor, 0)
        let text = "\(getpid())\n"
        pwrite(descriptor, text, text.utf8.count, 0)
    }

    private static func owner(in descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
        guard let process = Int(String(decoding: digits, as: UTF8.self)) else { return "another process" }
        return "process \(process)"
    }
}
