import Glibc
import TestSupport
import Testing
import WebSocketTransport

/// A peer's misbehaviour must cost the server nothing lasting, and the other peers nothing at all.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct HostilePeerTests {
    // MARK: - Other protocols

    /// Each with the answer, which comes although neither its line nor its header has ended.
    @Test(arguments: [
        ([0x16, 0x03, 0x01], "This port speaks no TLS: use http:// or ws://.\n"),
        (Array("\r\n".utf8), "This port expects no PROXY header, and no empty line first.\n"),
        (Array("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n".utf8), "This port expects no PROXY header.\n"),
        (
            Array("\r\n\r\n\0\r\nQUIT\n\u{21}".utf8),
            "This port expects no PROXY header, and no empty line first.\n"
        ),
        (Array("SSH-2.0-OpenSSH_9.6\r\n".utf8), "A request must begin with a method, a path and HTTP/1.1.\n"),
        (Array("PRI * HTTP/2.0\r\n".utf8), "A request must begin with a method, a path and HTTP/1.1.\n"),
    ])
    func whatIsNoHTTPIsAnsweredAtOnce(bytes: [UInt8], answer: String) throws {
        let server = try TestServer { $0.headerSeconds = 600 }
        let peer = try RawPeer(port: server.server.port)

        peer.write(bytes)

        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 400 "))
        #expect(try peer.readAll() == answer)
        peer.finish()
        server.isEmpty()
    }

    @Test
    func aPeerThatSpeaksTLSWhereThereIsNoneIsLogged() throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        #expect(throws: RawPeer.Failure.self) { try peer.startTLS() }

        try server.events.wait {
            $0.log == "127.0.0.1 was refused: This port speaks no TLS: use http:// or ws://." ? () : nil
        }
        #expect(server.server.statistics.refused[.tls] == 1)
    }

    // MARK: - Resets

    @Test(arguments: [
        "", "GET /ws", "GET /ws HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\n\r\n", "PUT / HTTP/1.1\r\n\r\n",
    ])
    func aResetDuringTheHandshakeLeavesNothing(request: String) throws {
        let server = try TestServer()
        for _ in 0..<20 {
            let peer = try RawPeer(port: server.server.port)
            peer.write(request)
            peer.reset()
        }

        #expect(try server.answers())
        server.isEmpty()
    }

    @Test
    func aHandshakeThatEndsHalfwayIsForgottenAtOnce() throws {
        let server = try TestServer { $0.headerSeconds = 600 }
        let peer = try RawPeer(port: server.server.port)

        peer.write("GET /ws HTTP/1.1\r\nHost: a\r\n")
        peer.finish()

        #expect(try peer.readAll() == "")
        server.isEmpty()
    }

    @Test
    func aResetAfterTheHandshakeIsABrokenConnection() throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)
        try peer.open()
        peer.reset()

        #expect(try server.closed(server.opened()) == 1006)
        server.isEmpty()
    }

    @Test
    func aResetInsideAMessageFreesWhatHadCome() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.send(0x01, [UInt8](repeating: 0x61, count: 20_000))
        while server.server.statistics.partialBytesNow < 20_000 { sched_yield() }
        peer.reset()

        #expect(try server.closed(connection) == 1006)
        #expect(server.server.statistics.partialBytesNow == 0)
        server.isEmpty()
    }

    @Test
    func aResetWhileWeWriteFreesWhatWasLeft() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)
        let large = Frame(text: [UInt8](repeating: 0x61, count: 6 << 20))

        server.server.attach(connection, to: TopicID(1), at: 0, sending: large)
        server.server.append(Frame("news"), to: TopicID(1), revision: 1, onLoop: 0)
        while server.server.statistics.stalledNow == 0 { sched_yield() }
        server.server.send(Frame("later"), to: connection)
        while server.server.statistics.privateBytesNow == 0 { sched_yield() }
        peer.reset()

        #expect(try server.closed(connection) == 1006)
        let left = server.server.statistics
        #expect([left.privateBytesNow, left.logBytesNow, left.topicsNow, left.stalledNow] == [0, 0, 0, 0])
        server.isEmpty()
    }

    // MARK: - Closing

    @Test
    func aPeerThatSaysCloseAndStaysIsCutOff() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.send(0x88, [0x03, 0xE8])

        #expect(try peer.next() == .close(1000))
        #expect(try peer.next() == nil)
        #expect(try server.closed(connection) == 1000)
        server.isEmpty()
    }

    @Test
    func aPeerThatSaysCloseAndReadsNothingIsCutOff() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)
        server.server.send(Frame(text: [UInt8](repeating: 0x61, count: 6 << 20)), to: connection)
        while server.server.statistics.stalledNow == 0 { sched_yield() }

        peer.send(0x88, [0x03, 0xE8])

        _ = try server.closed(connection)
        server.isEmpty()
        #expect(server.server.statistics.privateBytesNow == 0)
    }

    // MARK: - Floods

    @Test
    func pingsWhosePongsNobodyReadsPileUpNowhere() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)
        let pings = (0..<1000).flatMap { _ in RawPeer.frame(0x89, [UInt8](repeating: 0x70, count: 125)) }

        for _ in 0..<100 { peer.write(pings) }
        peer.send("still there")

        #expect(try server.received(on: connection) == Array("still there".utf8))
        #expect(server.server.statistics.privateBytesNow == 0)
        #expect(try server.answers())
    }

    @Test
    func emptyMessagesAreMessages() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()
        let count = 5000

        peer.write((0..<count).flatMap { _ in RawPeer.frame(0x81, []) })
        peer.send("end")

        for _ in 0..<count { #expect(try server.received(on: connection) == []) }
        #expect(try server.received(on: connection) == Array("end".utf8))
        #expect(try server.answers())
    }

    @Test
    func anUnmaskedFrameIsTakenAsItIs() throws {
        // It should be refused, but libwebsockets does not report it.
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.write([0x81, 0x03, 0x61, 0x62, 0x63])

        #expect(try server.received(on: connection) == Array("abc".utf8))
        #expect(try server.answers())
    }
}
