import Glibc
import RoomStore

/// Returns the absolute path of the data without symbolic links, so that one file has one lock.
///
/// - Errors: that of a folder which does not exist or must not be entered, and of data that is itself a folder.
func dataPath(_ path: String) throws(RoomStoreError) -> String {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let folder = String(path.dropLast(name.count))
    guard !name.isEmpty, !isFolder(path) else { throw RoomStoreError(opening: path, errno: EISDIR) }
    if let file = realPath(path) { return file }
    guard let parent = realPath(folder.isEmpty ? "." : folder) else {
        throw RoomStoreError(opening: path, errno: errno)
    }
    return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

private func realPath(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
}
