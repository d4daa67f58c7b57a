import Glibc
import RoomStore

/// A file that appears under its name when it is complete and on the disk, and not before.
///
/// Until then it has a temporary name in the same folder, and goes with this value.
struct NewFile: ~Copyable {
    let path: String
    let temporary: String
    private let descriptor: Int32

    /// - Errors: `unavailable` when there is something under the name already, or nothing can be made there.
    init(at path: String) throws(RoomStoreError) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw .taken(path) }
        let temporary = "\(path).partial.\(getpid())"
        // What people said is nobody else's to read.
        let descriptor = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotMake(path, errno) }
        self.path = path
        self.temporary = temporary
        self.descriptor = descriptor
    }

    private static let withoutLinks = [EPERM, EOPNOTSUPP, ENOSYS]

    deinit {
        close(descriptor)
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) }
    }

    /// Puts on the disk what was written so far.
    borrowing func synchronize() throws(RoomStoreError) {
        guard fsync(descriptor) == 0 else { throw .cannotMake(path, errno) }
    }

    /// Gives it its name, on the disk too.
    consuming func publish() throws(RoomStoreError) {
        try synchronize()
        // Other than a new name, a second one never takes the place of what is there.
        if link(temporary, path) != 0 {
            switch errno {
            case EEXIST: throw .taken(path)
            // Not every file system has second names.
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
    fileprivate static func taken(_ path: String) -> RoomStoreError {
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
