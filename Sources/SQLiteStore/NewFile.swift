import Glibc
import RoomStore

/// A file that appears under its name only when it is complete and on the disk.
///
/// Until then it has a temporary name in the same folder, and is removed with this value.
struct NewFile: ~Copyable {
    let path: String
    let temporary: String
    private let descriptor: Int32
    private let fsync: (Int32) -> Int32

    /// - Parameter fsync: the system's, or a test's.
    /// - Errors: `unavailable` when the name is taken, or nothing can be created there.
    init(at path: String, fsync: @escaping (Int32) -> Int32 = Glibc.fsync) throws(RoomStoreError) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw .alreadyExists(path) }
        let temporary = "\(path).partial.\(getpid())"
        // Messages are private, so only the owner may read the file.
        let descriptor = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotMake(path, errno) }
        self.path = path
        self.temporary = temporary
        self.descriptor = descriptor
        self.fsync = fsync
    }

    private static let withoutLinks = [EPERM, EOPNOTSUPP, ENOSYS]

    deinit {
        close(descriptor)
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) }
    }

    /// Synchronises the file with the disk.
    borrowing func synchronize() throws(RoomStoreError) {
        guard fsync(descriptor) == 0 else { throw .cannotMake(path, errno) }
    }

    /// Gives the file its name, on the disk too.
    consuming func publish() throws(RoomStoreError) {
        try synchronize()
        // link() never replaces an existing file, and rename() does.
        if link(temporary, path) != 0 {
            switch errno {
            case EEXIST: throw .alreadyExists(path)
            // Not every file system has hard links.
            case let code where Self.withoutLinks.contains(code) && rename(temporary, path) == 0: break
            case let code: throw .cannotMake(path, code)
            }
        }
        try synchronizeFolder()
    }

    private borrowing func synchronizeFolder() throws(RoomStoreError) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let folder = String(path.dropLast(name.count))
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotMake(path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .cannotMake(path, errno) }
    }
}

extension RoomStoreError {
    fileprivate static func alreadyExists(_ path: String) -> RoomStoreError {
        .unavailable("\(path) is there already, and stays as it is: choose another name, or move it away")
    }

    fileprivate static func cannotMake(_ path: String, _ code: Int32) -> RoomStoreError {
        let reason = String(cString: strerror(code))
        if [ENOSPC, EDQUOT, EFBIG].contains(code) {
            return .full("no more room for \(path) (\(reason)): make room on its disk, or choose another place")
        }
        return .unavailable("\(path) cannot be made (\(reason)): choose a folder that is there and may be written")
    }
}
