import ChatServer
import CommandLineFlags
import Foundation
import PostgresStore
import RoomStore
import SQLiteStore
import StoreEngine

extension RoomStore {
    /// Closes the store, so that its file alone holds all the data.
    func close(_ log: ServerLog) {
        do throws(RoomStoreError) {
            try close()
        } catch {
            log(.error, "the data could not be closed", ["why": "\(error)"])
        }
    }
}

/// The place of the rooms' data.
enum StorePlace: CustomStringConvertible {
    /// A file of this server alone.
    case file(String)
    /// Databases that servers share, each with its part of the rooms.
    case databases([PostgresAddress])

    init(_ values: FlagValues) throws(FlagError) {
        guard let text = values["store"] else {
            self = .file(values["data"] ?? "")
            return
        }
        self = .databases(try Self.addresses(text, of: "store"))
    }

    /// Reads a list of databases.
    ///
    /// - Parameter flag: the flag's name, for errors.
    static func addresses(_ text: String, of flag: String) throws(FlagError) -> [PostgresAddress] {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            throw .badValue(flag, text, "must begin with postgres://; a file of one server is given with --data")
        }
        do throws(PostgresAddressError) {
            return try split(text).map { (text) throws(PostgresAddressError) in try PostgresAddress(text) }
        } catch {
            throw .badValue(flag, text, "is no address of a database: \(error)")
        }
    }

    /// Splits the text at the commas between databases, but not at those between the hosts of one.
    private static func split(_ text: String) -> [String] {
        text.split(separator: ",").reduce(into: []) { all, part in
            if all.isEmpty || part.hasPrefix("postgres") && part.contains("://") {
                all.append(String(part))
            } else {
                all[all.count - 1] += ",\(part)"
            }
        }
    }

    /// Checks that a file could be there, without creating it.
    func check() throws(FlagError) {
        guard case .file(let path) = self else { return }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw .badValue("data", path, "is in a folder that is not there: make \(folder)", because: ["store"])
        }
    }

    func open(_ log: ServerLog) throws(RoomStoreError) -> any RoomStore {
        switch self {
        case .file(let path): return try open(path, log)
        case .databases(let addresses):
            return ShardedStore(try PostgresStore.open(addresses))
        }
    }

    /// Opens a file and its search index. Without the index searches are slower, and right.
    private func open(_ path: String, _ log: ServerLog) throws(RoomStoreError) -> any RoomStore {
        let store = try SQLiteStore(path: path, report: { log(.error, "the data", ["why": $0]) })
        do throws(RoomStoreError) {
            try store.openSearchIndex()
        } catch {
            log(.warning, "the search index cannot be opened", ["why": "\(error)"])
        }
        return store
    }

    var description: String {
        switch self {
        case .file(let path): path
        case .databases(let addresses): addresses.map(\.place).joined(separator: ", ")
        }
    }
}
