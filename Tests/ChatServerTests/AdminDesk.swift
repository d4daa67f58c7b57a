import ChatRoom
import ChatServer
import ChatWire
import Foundation
import Locking
import RoomStore
import SQLiteStore
import TestSupport
import Tokens

/// A server with an admin API, and its operator.
struct AdminDesk {
    static let token = String(repeating: "t", count: 31) + "!"
    let server: ServerUnderTest
    /// The number of times that the process was asked to end.
    let drains = Tally()

    /// - Parameter data: the file that is backed up to the folder `backups`.
    init(
        store: (any RoomStore)? = nil, data: String? = nil, backups: String = "",
        configure: (inout ChatServerConfiguration) -> Void = { _ in }
    ) throws {
        let folder = TemporaryFolder()
        let file = folder.file("admin.token")
        try Data(Self.token.utf8).write(to: URL(filePath: file))
        let admin = AdminConfiguration(
            token: try SecretFile(path: file), drain: { [drains] in drains.add() },
            backup: data.map { Self.copy($0, to: backups) })
        server = try ServerUnderTest(store: store) {
            $0.admin = admin
            configure(&$0)
        }
    }

    private static func copy(
        _ data: String, to folder: String
    ) -> @Sendable (BackupName?) -> Result<Backup, RoomStoreError> {
        { name in
            let file = "\(folder)/\(name?.description ?? "unnamed")"
            do throws(RoomStoreError) {
                return .success(Backup(file: file, bytes: try StoreCopy.backup(of: data, to: file).bytes))
            } catch {
                return .failure(error)
            }
        }
    }

    func get(
        _ path: String, token: String? = Self.token, from other: ServerUnderTest? = nil
    ) throws -> HTTPAnswer {
        try HTTPAnswer(
            getting: "/admin/v1/" + path, from: (other ?? server).server.port, headers: Self.headers(token))
    }

    func post(_ path: String, _ body: String = "", token: String? = Self.token) throws -> HTTPAnswer {
        try HTTPAnswer(
            posting: body, to: "/admin/v1/" + path, of: server.server.port, headers: Self.headers(token))
    }

    /// Returns the result of the backup under way.
    func backup() throws -> String {
        while true {
            let text = try get("backup").text
            if text != #"{"state":"running"}"# { return text }
        }
    }

    private static func headers(_ token: String?) -> [String: String] {
        token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    }
}

/// Counts from any thread.
final class Tally: Sendable {
    private let total = Guarded(0)

    var count: Int { total.withLock { $0 } }

    func add() {
        total.withLock { $0 += 1 }
    }
}

extension HTTPAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension RoomOperation {
    /// In the lobby, by its owner.
    static func moderation(_ moderation: Moderation) -> RoomOperation {
        let operation = Operation(
            command: .random(), author: UserName("owner")!, role: .own, time: .now, action: .moderate(moderation))
        return RoomOperation(room: RoomName("lobby")!, operation: operation)
    }
}

extension Milliseconds {
    static var now: Milliseconds { Milliseconds(Date.now.timeIntervalSince1970 * 1_000) }
}
