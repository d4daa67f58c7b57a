import Glibc
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct LivenessTests {
    /// - Parameter grace: for a peer that is to stay it is long enough for a busy machine.
    private func server(grace: Double = 0.15) throws -> TestServer {
        try TestServer {
            $0.heartbeatSeconds = 0.15
            $0.heartbeatGraceSeconds = grace
            $0.closeSeconds = 0.1
        }
    }

    @Test
    func aSilentPeerIsPingedThenClosed() throws {
        let server = try server()
        let (peer, connection) = try server.rawPeer()

        #expect(try peer.next()?.first == 0x89)
        #expect(try peer.closeFrame() == .close(4000, "heartbeat"))
        #expect(try server.closed(connection) == 4000)
        #expect(server.server.statistics.closed[.silent] == 1)
    }

    @Test
    func aPeerThatAnswersPingsStays() throws {
        let server = try server(grace: 15)
        let (peer, connection) = try server.rawPeer()

        for _ in 0..<5 {
            let ping = try #require(try peer.next())
            #expect(ping.first == 0x89)
            peer.send(0x8A, ping.payload)
        }
        peer.send("alive")

        #expect(try server.received(on: connection) == Array("alive".utf8))
    }

    @Test
    func aPeerThatTalksButNeverPongsStays() throws {
        let server = try server(grace: 15)
        let (peer, connection) = try server.rawPeer()

        for number in 0..<5 {
            #expect(try peer.next()?.first == 0x89)  // each after a silence
            peer.send("\(number)")
            #expect(try server.received(on: connection) == Array("\(number)".utf8))
        }
    }

    @Test
    func aClientOfOursStaysConnected() throws {
        let server = try server()
        let client = try TestClient()
        let (here, there) = try client.open(server)
        let (mute, other) = try server.rawPeer()

        #expect(try server.closed(other) == 4000)  // long enough for the client to have been pinged, too
        client.client.send([0x61], on: here)

        #expect(try server.received(on: there) == [0x61])
        #expect(try mute.closeCode() == 4000)
    }

    @Test
    func aClientGivesUpOnASilentServer() throws {
        var configuration = WebSocketClient.Configuration()
        configuration.heartbeatSeconds = 0.1
        configuration.heartbeatGraceSeconds = 0.1
        let client = try TestClient(configuration)
        let (mute, real) = (try MuteServer(), try TestServer())
        let connection = client.client.connect(to: WebSocketURL(host: "127.0.0.1", port: mute.port))
        try mute.relayHandshake(to: real.server.port)
        try client.events.wait { if case .opened(connection) = $0 { true } else { nil } }

        let (code, reason) = try client.closed(connection)

        #expect(code == 1006)
        #expect(reason == "the server is silent")
    }

    @Test(arguments: ["", "GET /ws HTTP/1.1\r\nHost: a\r\n"])
    func aHeaderThatDoesNotArriveInTimeEndsTheConnectionThoughItDrips(start: String) throws {
        let server = try TestServer { $0.headerSeconds = 0.3 }
        let peer = try RawPeer(port: server.server.port)
        peer.write(start)

        while peer.write("X") { sched_yield() }

        #expect(try server.answers())
    }
}
