import ChatWire
import CommandLineFlags
import Files
import Foundation
import Tokens

/// The options of files.
struct FileOptions: Equatable {
    let place: FilePlace
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
        guard let place = try FilePlace(values) else { return nil }
        self.place = place
        if case .bucket = place, limits.file > Self.largestObject {
            throw .badValue("file-size", values["file-size"] ?? "", "must be at most 5G: a store takes no more at once")
        }
    }

    /// The most bytes of an object that is put at once.
    private static let largestObject = 5 << 30

    /// Opens the place of the files, and makes the folder if it is missing.
    func open() throws -> any FileKeeper {
        switch place {
        case .folder(let path): try FileFolder(path: path, limits: limits)
        case .bucket(let place, let credentials):
            FileBucket(place, try AccessKey(path: credentials), limits: limits)
        }
    }
}

/// The place that `--files` names.
enum FilePlace: Equatable {
    case folder(String)
    /// - Parameter credentials: the path of the file with the access key.
    case bucket(BucketPlace, credentials: String)

    /// The flags of a bucket, which `diffroomd check` has, too.
    static let bucketFlags = [
        Flag(
            "files-endpoint", "URL",
            "The address of the S3-compatible store, as https://s3.example:9000. Default: Amazon's for the region.",
            .needs("files")),
        Flag("files-region", "REGION", "The region of the bucket. Default: us-east-1.", .needs("files")),
        Flag(
            "files-credentials", "FILE",
            "The access key to the bucket: a line with its id and one with its secret, or as in ~/.aws/credentials.",
            .file, .needs("files")),
    ]

    /// `nil` if there is none.
    init?(_ values: FlagValues) throws(FlagError) {
        guard let files = values["files"] else { return nil }
        guard !files.isEmpty else {
            throw .badValue("files", files, "must be the path of a folder, or s3://BUCKET/PREFIX")
        }
        guard files.hasPrefix(BucketPlace.scheme) else {
            for flag in ["files-endpoint", "files-credentials"] {
                if let value = values[flag] {
                    throw .badValue(flag, value, "is for files in a bucket: --files must be s3://BUCKET/PREFIX")
                }
            }
            self = .folder(files)
            return
        }
        let (endpoint, region) = (values["files-endpoint"], values["files-region"] ?? "us-east-1")
        let place: BucketPlace
        do throws(BucketPlace.Fault) {
            place = try BucketPlace(files, endpoint: endpoint, region: region)
        } catch {
            switch error {
            case .place(let problem): throw .badValue("files", files, problem)
            case .endpoint(let problem): throw .badValue("files-endpoint", endpoint ?? "", problem)
            case .region(let problem): throw .badValue("files-region", region, problem)
            }
        }
        guard let credentials = values["files-credentials"] else {
            throw .badValue(
                "files", files, "needs --files-credentials FILE, with the access key to the bucket",
                because: ["files-credentials"])
        }
        self = .bucket(place, credentials: credentials)
    }

    /// Checks the folder, or the one in which it would be made, and makes none; or the file of the access key.
    func check() throws(FlagError) {
        switch self {
        case .folder(let path): try Self.check(folder: path)
        case .bucket(_, let credentials):
            do throws(KeyFileError) { _ = try AccessKey(path: credentials) } catch {
                throw .badValue("files-credentials", credentials, error.problem)
            }
        }
    }

    private static func check(folder: String) throws(FlagError) {
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

    /// Opens a place that is there, to look at it.
    func openExisting() throws -> any FileKeeper {
        switch self {
        case .folder(let path): try FileFolder(existing: path)
        case .bucket(let place, let credentials):
            FileBucket(place, try AccessKey(path: credentials), limits: FileLimits())
        }
    }
}
