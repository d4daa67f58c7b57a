import ChatServer
import ChatWire
import CommandLineFlags
import Foundation
import RoomStore
import SQLiteStore
import Tokens

/// The options of the admin API.
struct AdminOptions {
    /// The path of the token's file.
    let token: String
    /// The data file, and the folder for its backups.
    private let backups: (data: String, folder: String)?

    /// `nil` for a server without the admin API.
    init?(_ values: FlagValues, _ place: StorePlace) {
        guard let token = values["admin-token-file"] else { return nil }
        self.token = token
        backups =
            if case .file(let data) = place, let folder = values["backup-folder"] { (data, folder) } else { nil }
    }

    /// Checks the files that the options name, and changes nothing.
    func check() throws(FlagError) {
        if let folder = backups?.folder { try Self.check(folder: folder) }
        do throws(KeyFileError) {
            _ = try SecretFile(path: token)
        } catch {
            throw .badValue("admin-token-file", token, error.problem)
        }
    }

    private static func check(folder: String) throws(FlagError) {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw .badValue("backup-folder", folder, "is no folder that is there: make it")
        }
    }

    /// - Errors: the fault of the token's file.
    func configuration() throws(KeyFileError) -> AdminConfiguration {
        // Drain through the operator's signal, so that everything ends in the usual order.
        AdminConfiguration(token: try SecretFile(path: token), drain: { kill(getpid(), SIGTERM) }, backup: backup)
    }

    private var backup: (@Sendable (BackupName?) -> Result<Backup, RoomStoreError>)? {
        guard let (data, folder) = backups else { return nil }
        return { name in
            let style = Date.ISO8601FormatStyle(timeSeparator: .omitted, includingFractionalSeconds: true)
            let time = Date.now.formatted(style)
            let file = "\(folder)/\(name.map(\.description) ?? "diffroom-\(time).db")"
            do throws(RoomStoreError) {
                return .success(Backup(file: file, bytes: try StoreCopy.backup(of: data, to: file).bytes))
            } catch {
                return .failure(error)
            }
        }
    }
}
