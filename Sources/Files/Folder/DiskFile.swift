import ChatWire
import Foundation
import Locking

/// An open file. It is closed when the last reference goes, unless ``release()`` has handed the descriptor on.
package final class DiskFile: Sendable {
    package let descriptor: Int32
    private let isReleased = Guarded(false)

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        if !isReleased.withLock({ $0 }) { close(descriptor) }
    }

    /// Opens a file to read it; `nil` if there is none.
    package convenience init?(reading path: String) throws(FileFault) {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw FileFault("open", path) }
        self.init(descriptor)
    }

    /// Opens a file to write it, and makes it if there is none.
    package convenience init(writing path: String) throws(FileFault) {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileFault("open", path) }
        self.init(descriptor)
    }

    /// Returns the descriptor, which the caller closes.
    package func release() -> Int32 {
        isReleased.withLock { $0 = true }
        return descriptor
    }

    /// Locks the file against other requests and other servers until the descriptor is closed. Returns false if one of them
    /// has locked it.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    package var size: Int {
        get throws(FileFault) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileFault("stat", "an open file") }
            return Int(status.st_size)
        }
    }

    /// Returns when all that was written is on disk.
    package func synchronize() throws(FileFault) {
        guard fsync(descriptor) == 0 else { throw FileFault("synchronize", "an open file") }
    }

    // MARK: - By path

    static func size(_ path: String) throws(FileFault) -> Int? { try status(path).map { Int($0.st_size) } }

    /// The time of day of the last change.
    static func changed(_ path: String) throws(FileFault) -> Milliseconds? {
        try status(path).map { Milliseconds($0.st_mtim.tv_sec) * 1_000 + Milliseconds($0.st_mtim.tv_nsec) / 1_000_000 }
    }

    private static func status(_ path: String) throws(FileFault) -> stat? {
        var status = stat()
        guard lstat(path, &status) != 0 else { return status }
        guard errno == ENOENT || errno == ENOTDIR else { throw FileFault("stat", path) }
        return nil
    }

    /// The bytes of a small file; `nil` if there is none.
    static func read(_ path: String) throws(FileFault) -> [UInt8]? {
        guard let file = try DiskFile(reading: path) else { return nil }
        do {
            let handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false)
            return try handle.readToEnd().map { [UInt8]($0) } ?? []
        } catch {
            throw FileFault("read", path)
        }
    }

    /// Makes a small file, whole and on disk, unless there is one of that name.
    static func create(_ path: String, _ bytes: [UInt8]) throws(FileFault) {
        let new = "\(path).\(UniqueID.random()).new"
        defer { unlink(new) }
        let file = try DiskFile(writing: new)
        do {
            try FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false).write(contentsOf: Data(bytes))
        } catch {
            throw FileFault("write", path)
        }
        try file.synchronize()
        guard link(new, path) == 0 || errno == EEXIST else { throw FileFault("make", path) }
    }

    /// Returns whether the file was there.
    static func rename(_ path: String, to other: String) throws(FileFault) -> Bool {
        if Foundation.rename(path, other) == 0 { return true }
        guard errno == ENOENT else { throw FileFault("rename", path) }
        return false
    }

    /// Returns whether the file was there.
    static func remove(_ path: String) throws(FileFault) -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw FileFault("remove", path) }
        return false
    }
}

/// Folders by their paths.
enum DiskFolder {
    /// Makes a folder and those above it that are missing.
    static func make(_ path: String) throws(FileFault) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw FileFault("make", path)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileFault("make", path) }
    }

    /// The names in a folder, sorted; none if there is no such folder.
    static func names(_ path: String) throws(FileFault) -> [String] {
        guard let folder = opendir(path) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw FileFault("read", path) }
            return []
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Has the entries of a folder on disk, and its own in the folders above it.
    static func synchronize(_ path: String, upTo top: String) throws(FileFault) {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFault("open", path) }
        let status = fsync(descriptor)
        close(descriptor)
        guard status == 0 else { throw FileFault("synchronize", path) }
        guard path != top, let slash = path.lastIndex(of: "/") else { return }
        try synchronize(String(path[..<slash]), upTo: top)
    }

    /// The free bytes of the disk that has a folder; `nil` if that is not known.
    static func free(_ path: String) -> Int? {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : nil
    }

    static func removeIfEmpty(_ path: String) throws(FileFault) {
        guard rmdir(path) == 0 || [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else { throw FileFault("remove", path) }
    }
}

/// The disk has refused something.
package struct FileFault: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// True if the disk is full.
    package let isFull: Bool

    init(_ description: String) { (self.description, isFull) = (description, false) }

    /// Made at once after the call that failed.
    init(_ verb: String, _ path: String) {
        let why = errno
        description = "cannot \(verb) \(path): \(String(cString: strerror(why)))"
        isFull = why == ENOSPC || why == EDQUOT
    }
}
