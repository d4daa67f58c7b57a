import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import TestSupport
import WebSocketTransport

/// A server on this machine.
final class TestServer: Sendable {
    private let server: ChatServer

    /// - Parameter pending: see ``WireLimits/pending``.
    init(store: InMemoryStore = InMemoryStore(), port: UInt16 = 0, pending: Int = WireLimits().pending) throws {
        var configuration = ChatServerConfiguration()
        configuration.limits.pending = pending
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
