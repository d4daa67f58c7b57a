import ChatServer
import ChatWire
import Foundation
import RoomStore
import TestSupport
import WebSocketTransport

/// A server on a free port, and connections to it.
final class ServerUnderTest {
    let server: ChatServer
    private let connections: Connections

    init(
        store: any RoomStore = InMemoryStore(), configure: (inout ChatServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ChatServerConfiguration()
        configuration.transport.loops = 2
        // A machine that is busy, or under a sanitizer, must not look like a peer that is silent.
        configuration.helloTime = .seconds(300)
        configuration.transport.stallSeconds = 300
        configure(&configuration)
        server = try ChatServer(
            configuration: configuration, store: store, log: ServerLog(format: .text, level: .error))
        connections = try Connections()
    }

    deinit {
        connections.stop()
        server.drain()
    }

    func connect() throws -> Connection {
        try connections.connect(to: server.port)
    }

    /// A connection that has said hello.
    func join(as user: String) async throws -> Connection {
        let connection = try connect()
        _ = try await connection.answer(to: .hello(.user(UserName(user)!)))
        return connection
    }

    /// A connection that follows the lobby.
    func follow(as user: String) async throws -> Connection {
        let connection = try await join(as: user)
        _ = try await connection.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        return connection
    }
}

/// Whether scripts/test runs this under a sanitizer, where everything takes ten times as long.
let isSanitized = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil

let room = RoomName("lobby")!
let lobby = ListName.messages(room)

extension ClientFrame.Request {
    static func say(_ text: String, id: MessageID = .random()) -> ClientFrame.Request {
        .send(room: room, id: id, text: text, replyTo: nil)
    }
}

extension ServerFrame {
    var errorCode: WireError.Code? {
        if case .error(_, let error) = self { error.code } else { nil }
    }

    var revision: Revision? {
        switch self {
        case .ok(_, let effect): effect?.revision
        case .snapshot(_, _, let snapshot): snapshot.snapshot.revision
        case .diff(_, _, _, let diff): diff.to
        default: nil
        }
    }
}

extension Connection {
    /// The epoch of the server's lists.
    func epoch() async throws -> Epoch {
        guard case .page(_, _, let epoch, _) = try await answer(to: .page(lobby, before: 1, limit: 32))
        else { throw Unexpected() }
        return epoch
    }
}
