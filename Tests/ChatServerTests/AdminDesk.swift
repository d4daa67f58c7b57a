import ChatRoom
import ChatServer
import ChatWire
import Foundation
import RoomStore
import TestSupport
import Tokens

/// A server that has an admin API, and its operator.
struct AdminDesk {
    static let token = String(repeating: "t", count: 31) + "!"
    let server: ServerUnderTest

    init(
        store: (any RoomStore)? = nil, configure: (inout ChatServerConfiguration) -> Void = { _ in }
    ) throws {
        let folder = TemporaryFolder()
        let file = folder.file("admin.token")
        try Data(Self.token.utf8).write(to: URL(filePath: file))
        let admin = AdminConfiguration(token: try SecretFile(path: file))
        server = try ServerUnderTest(store: store) {
            $0.admin = admin
            configure(&$0)
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

    private static func headers(_ token: String?) -> [String: String] {
        token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
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
        return RoomOperation(room: lobby.room, operation: operation)
    }
}

extension Milliseconds {
    static var now: Milliseconds { Milliseconds(Date.now.timeIntervalSince1970 * 1_000) }
}
