import ChatServer
import ChatWire
import Foundation
import PostgresStore
import RoomStore
import SQLiteStore
import TestSupport
import WebSocketTransport

/// A server on a free port with the store of the run, and connections to it.
final class ServerUnderTest {
    let server: ChatServer
    private let connections: Connections
    private let folder = TemporaryFolder()

    /// - Parameter store: the store to serve; `nil` for a new, empty one.
    init(
        store: (any RoomStore)? = nil, configure: (inout ChatServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ChatServerConfiguration()
        configuration.transport.loops = 2
        // A busy machine, or one with a sanitizer, must not look like a silent peer.
        configuration.helloTime = .seconds(300)
        configuration.transport.stallSeconds = 300
        configuration.transport.heartbeatSeconds = 300
        configure(&configuration)
        server = try ChatServer(
            configuration: configuration, store: store ?? StoreOfTheRun.current.open(in: folder),
            log: ServerLog(format: .text, level: .error))
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

extension StoreOfTheRun {
    /// Opens the store whose data is in `folder`, if it has files: the same one if it is opened again.
    func open(in folder: TemporaryFolder) throws -> any RoomStore {
        switch self {
        case .sqlite: try SQLiteStore(path: folder.file("rooms.db"))
        case .postgres:
            try PostgresStore(
                PostgresAddress(
                    ThrowawayPostgres.shared.get().address,
                    schema: "test_" + folder.path.filter { $0.isLetter || $0.isNumber }.lowercased()))
        }
    }
}

let room = RoomName("lobby")!
let lobby = ListName.messages(room)
let lobbyMembers = ListName.members(room)

extension ClientFrame.Request {
    static func say(_ text: String, id: MessageID = .random()) -> ClientFrame.Request {
        .send(room: room, id: id, MessageContent(text))
    }
}

extension ServerFrame {
    var errorCode: WireError.Code? {
        if case .error(_, let error) = self { error.code } else { nil }
    }

    var revision: Revision? {
        switch self {
        case .ok(_, let effect): effect?.revision
        case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>): snapshot.snapshot.revision
        case .diff(_, _, _, let diff as ListDiff<Message>): diff.to
        default: nil
        }
    }
}

extension Connection {
    /// The epoch of the server's lists.
    func epoch() async throws -> Epoch {
        guard case .page(_, _, let epoch, _) = try await answer(to: .page(lobby, .before(1), limit: 32))
        else { throw Unexpected() }
        return epoch
    }
}
