import Glibc
import TestSupport
import WebSocketTransport

/// A server on a free port of the loopback interface, with everything it says recorded.
final class TestServer: Sendable {
    let server: WebSocketServer
    let url: WebSocketURL
    let events: Recorder<WebSocketServer.Event>

    /// - Parameter hear: is called for each event on the loop's thread, once it is recorded.
    init(
        _ configure: (inout WebSocketServerConfiguration) -> Void = { _ in },
        hearing hear: @escaping @Sendable (WebSocketServer.Event) -> Void = { _ in }
    ) throws {
        var configuration = WebSocketServerConfiguration()
        configure(&configuration)
        let events = Recorder<WebSocketServer.Event>()
        self.events = events
        server = try WebSocketServer(configuration: configuration) {
            events.record($0)
            hear($0)
        }
        url = WebSocketURL(isSecure: configuration.certificate != nil, host: "127.0.0.1", port: server.port)
    }

    func opened() throws -> ConnectionID {
        try openedPeer().0
    }

    func openedPeer() throws -> (ConnectionID, Peer) {
        try events.wait {
            if case .opened(let connection, let peer) = $0 { (connection, peer) } else { nil }
        }
    }

    func received(on connection: ConnectionID) throws -> [UInt8] {
        try events.wait {
            if case .received(connection, let message) = $0 { message } else { nil }
        }
    }

    func oversized(on connection: ConnectionID) throws -> OversizedMessage {
        try events.wait {
            if case .oversized(connection, let message) = $0 { message } else { nil }
        }
    }

    func closed(_ connection: ConnectionID) throws -> UInt16 {
        try events.wait {
            if case .closed(connection, let code) = $0 { code } else { nil }
        }
    }

    /// The topic and revision of the next `behind` of a connection.
    func behind(_ connection: ConnectionID) throws -> (TopicID, UInt64) {
        try events.wait {
            if case .behind(connection, let topic, let revision) = $0 { (topic, revision) } else { nil }
        }
    }

    func request() throws -> (RequestID, HTTPRequest) {
        try events.wait {
            if case .request(let id, let request) = $0 { (id, request) } else { nil }
        }
    }
}

extension WebSocketServer.Event {
    /// The line of a log; `nil` for another event.
    var log: String? {
        if case .log(let line) = self { line } else { nil }
    }
}

/// A client with everything it says recorded.
final class TestClient: Sendable {
    let client: WebSocketClient
    let events: Recorder<WebSocketClient.Event>

    init(_ configuration: WebSocketClient.Configuration = .init()) throws {
        let events = Recorder<WebSocketClient.Event>()
        self.events = events
        client = try WebSocketClient(configuration: configuration) { events.record($0) }
    }

    /// Connects, and returns both ends' names.
    func open(_ server: TestServer) throws -> (here: ConnectionID, there: ConnectionID) {
        let here = client.connect(to: server.url)
        try events.wait { if case .opened(here) = $0 { true } else { nil } }
        return (here, try server.opened())
    }

    func received(on connection: ConnectionID) throws -> [UInt8] {
        try events.wait {
            if case .received(connection, let message) = $0 { message } else { nil }
        }
    }

    func closed(_ connection: ConnectionID) throws -> (code: UInt16, reason: String) {
        try events.wait {
            if case .closed(connection, let code, let reason) = $0 { (code, reason) } else { nil }
        }
    }

    func failed(_ connection: ConnectionID) throws -> String {
        try events.wait {
            if case .failed(connection, let why) = $0 { why } else { nil }
        }
    }
}

extension Frame {
    convenience init(_ text: String) {
        self.init(text: Array(text.utf8))
    }
}

extension TestServer {
    /// A raw peer with an open WebSocket, and the server's name for it.
    func rawPeer(path: String = "/ws", receiveBuffer: Int32? = nil) throws -> (RawPeer, ConnectionID) {
        (try peer(at: path, receiveBuffer: receiveBuffer), try opened())
    }

    /// A peer on the path for echoes. The server reports no connection for it.
    func echo() throws -> RawPeer { try peer(at: "/echo") }

    private func peer(at path: String, receiveBuffer: Int32? = nil) throws -> RawPeer {
        let peer = try RawPeer(port: server.port, receiveBuffer: receiveBuffer)
        if url.isSecure { try peer.startTLS() }
        let answer = try peer.open(path)
        guard answer.hasPrefix("HTTP/1.1 101 ") else { throw RawPeer.Failure(description: "refused: \(answer)") }
        return peer
    }

    /// Returns when no connection is left.
    func isEmpty() {
        while server.statistics.openNow > 0 { sched_yield() }
    }

    /// The server is alive: a new peer can open a WebSocket and is heard.
    func answers() throws -> Bool {
        let (peer, connection) = try rawPeer()
        peer.send("still there?")
        return try received(on: connection) == Array("still there?".utf8)
    }
}
