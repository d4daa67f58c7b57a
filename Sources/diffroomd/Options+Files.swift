import CommandLineFlags
import Files

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
        self.limits = limits
        guard let folder = values["files"] else { return nil }
        guard !folder.isEmpty else { throw .badValue("files", folder, "must be the path of a folder") }
        self.folder = folder
    }

    /// Opens the folder, and makes it if it is missing.
    func open() throws(FileFault) -> FileFolder { try FileFolder(path: folder, limits: limits) }
}
