import Foundation
import TestSupport
import Testing
import WebSocketTransport

/// A process that is stopped for a while, or a loop that is held up, hears nobody: that is no silence of its peers.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct PauseTests {
    /// What stands still on a loop's thread, as SIGSTOP would have the whole process do.
    private struct Pause {
        private let begun = DispatchSemaphore(value: 0)
        private let over = DispatchSemaphore(value: 0)

        func stand() {
            begun.signal()
            over.wait()
        }

        /// Lasts longer than the silence that is borne. `meanwhile` is what peers do at its beginning.
        func last(meanwhile: () -> Void) throws {
            defer { over.signal() }
            try #require(
                begun.wait(timeout: .now() + .seconds(Deadline.eventSeconds)) == .success, "the loop never stood still")
            meanwhile()
            Thread.sleep(forTimeInterval: 1.5 * PauseTests.silence)
        }
    }

    /// Heartbeat and grace, in seconds. On a busy machine twenty peers take a while to connect, and none must seem silent
    /// meanwhile.
    private static let silence = 4.0

    @Test(arguments: [false, true])
    func aServerThatStoodStillReadsBeforeItCallsAnybodySilent(isSecure: Bool) throws {
        let authority = try TestAuthority()
        defer { withExtendedLifetime(authority) {} }  // its files go with it
        var configuration = WebSocketServerConfiguration()
        configuration.certificate = isSecure ? try authority.certificate("server") : nil
        configuration.heartbeatSeconds = Self.silence / 2
        configuration.heartbeatGraceSeconds = Self.silence / 2
        let (pause, events) = (Pause(), Recorder<WebSocketServer.Event>())
        let server = try WebSocketServer(configuration: configuration) { event in
            events.record(event)
            if case .received(_, let message) = event, message == Array("stand still".utf8) { pause.stand() }
        }
        let peers = try (0..<20).map { _ in
            let peer = try RawPeer(port: server.port)
            if isSecure { try peer.startTLS() }
            try peer.open()
            return peer
        }

        peers[0].send("stand still")
        try pause.last { for peer in peers { peer.send("alive") } }

        for _ in peers {
            try events.wait { if case .received(_, Array("alive".utf8)) = $0 { true } else { nil } }
        }
        #expect(server.statistics.closed[.silent] == 0)
    }

    @Test
    func aClientThatStoodStillReadsBeforeItCallsTheServerSilent() throws {
        let server = try TestServer()
        var configuration = WebSocketClient.Configuration()
        configuration.heartbeatSeconds = Self.silence / 2
        configuration.heartbeatGraceSeconds = Self.silence / 2
        let (pause, events) = (Pause(), Recorder<WebSocketClient.Event>())
        let client = try WebSocketClient(configuration: configuration) { event in
            events.record(event)
            if case .received(_, let message) = event, message == Array("stand still".utf8) { pause.stand() }
        }
        _ = client.connect(to: server.url)
        let connection = try server.opened()

        server.server.send(Frame("stand still"), to: connection)
        try pause.last { server.server.send(Frame("alive"), to: connection) }

        try events.wait { event in
            switch event {
            case .received(_, Array("alive".utf8)): true
            case .closed(_, _, let reason): fatalError(reason)
            default: nil
            }
        }
    }
}
