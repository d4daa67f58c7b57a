import CommandLineFlags
import Foundation
import PostgresStore
import RoomStore
import SQLiteStore

/// Where the rooms are kept.
enum StorePlace: CustomStringConvertible {
    /// A file of this server's own.
    case file(String)
    /// A database that servers share.
    case database(PostgresAddress)

    init(_ values: FlagValues) throws(FlagError) {
        guard let text = values["store"] else {
            self = .file(values["data"] ?? "")
            return
        }
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            throw .badValue("store", text, "must begin with postgres://; a file of one server is given with --data")
        }
        do throws(PostgresAddressError) {
            self = .database(try PostgresAddress(text))
        } catch {
            // Not the address itself: it may hold a password.
            throw .badValue("store", "postgres://…", "is no address of a database: \(error)")
        }
    }

    /// Looks whether a file could be there, without making it.
    func check() throws(FlagError) {
        guard case .file(let path) = self else { return }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw .badValue("data", path, "is in a folder that is not there: make \(folder)")
        }
    }

    func open() throws(RoomStoreError) -> any RoomStore {
        switch self {
        case .file(let path): try SQLiteStore(path: path)
        case .database(let address): try PostgresStore(address)
        }
    }

    var description: String {
        switch self {
        case .file(let path): path
        case .database(let address): address.place
        }
    }
}
