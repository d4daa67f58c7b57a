import ChatRoom
import ChatServer
import RoomStore
import WebSocketTransport

/// A server on this machine.
final class TestServer: Sendable {
    private let server: ChatServer

    init(store: InMemoryStore = InMemoryStore(), port: UInt16 = 0) throws {
        var configuration = ChatServerConfiguration()
        configuration.members.grace = .milliseconds(100)
        configuration.transport.loops = 1
        configuration.transport.port = port
        let log = ServerLog(format: .text, level: .error)
        server = try ChatServer(configuration: configuration, store: store, log: log)
    }

    deinit {
        stop()
    }

    var port: UInt16 { server.port }

    func stop() {
        server.drain()
    }
}
