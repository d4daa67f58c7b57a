import CommandLineFlags
import Files
import Foundation

/// The options of files.
struct FileOptions: Equatable {
    let folder: String
    let limits: FileLimits

    /// `nil` for a server that keeps no files.
    init?(_ values: FlagValues) throws(FlagError) {
        var limits = FileLimits()
        limits.file = try values.size("file-size", in: 1...(1 << 40))
        limits.user = try values.size("files-per-user", in: 0...(1 << 50))
        limits.room = try values.size("files-per-room", in: 0...(1 << 50))
        for (flag, most) in [("files-per-user", limits.user), ("files-per-room", limits.room)]
        where most > 0 && most < limits.file {
            throw .badValue(flag, values[flag] ?? "", "must be at least what one file may have by --file-size, or 0")
        }
        self.limits = limits
        guard let folder = values["files"] else { return nil }
        guard !folder.isEmpty else { throw .badValue("files", folder, "must be the path of a folder") }
        self.folder = folder
    }

    /// Checks the folder, or the one in which it would be made, and makes none.
    func check() throws(FlagError) {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        let isThere = unsafe manager.fileExists(atPath: folder, isDirectory: &isFolder)
        guard !isThere || isFolder.boolValue && manager.isWritableFile(atPath: folder) else {
            throw .badValue("files", folder, "must be a folder in which this user may write")
        }
        let above = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        guard isThere || manager.isWritableFile(atPath: above) else {
            throw .badValue("files", folder, "cannot be made: \(above) must be a folder in which this user may write")
        }
    }

    /// Opens the folder, and makes it if it is missing.
    func open() throws(FileFault) -> FileFolder { try FileFolder(path: folder, limits: limits) }
}
