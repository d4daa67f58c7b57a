import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ClosingTests {
    @Test
    func aCloseComesWithItsCodeAndReason() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        server.server.close(connection, code: 4499, reason: "banned")

        #expect(try peer.closeFrame() == .close(4499, "banned"))
        #expect(try server.closed(connection) == 4499)
        #expect(try peer.next() == nil)
    }

    @Test
    func aCloseComesAfterFourMegabytesThatWereQueuedBefore() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)
        let large = [UInt8](repeating: 0x61, count: 4 << 20)

        server.server.send(Frame(text: large), to: connection)
        server.server.close(connection, code: 1012, reason: "restart")
        server.server.send(Frame("too late"), to: connection)

        #expect(try peer.next()?.payload == large)
        #expect(try peer.closeFrame() == .close(1012, "restart"))
    }

    @Test
    func aCloseComesWhileThePeerGoesOnTalking() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        for _ in 0..<50 { peer.send("a") }
        server.server.close(connection, code: 1013, reason: "busy")
        for _ in 0..<2000 { peer.send("more") }

        #expect(try peer.closeFrame() == .close(1013, "busy"))
        #expect(try server.closed(connection) == 1013)
    }

    @Test
    func nothingIsHeardOfAConnectionAfterItIsToldToClose() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        server.server.close(connection, code: 4001, reason: "")
        let frame = try peer.next()
        peer.send("heard?")
        peer.send(0x88, [])
        let code = try server.closed(connection)

        #expect(frame == .close(4001))
        #expect(code == 4001)
        #expect(server.events.remaining.allSatisfy { if case .turnEnded = $0 { true } else { false } })
    }

    @Test(arguments: [
        (String(repeating: "x", count: 200), String(repeating: "x", count: 123)),
        (String(repeating: "ü", count: 100), String(repeating: "ü", count: 61)),
        (String(repeating: "x", count: 121) + "€", String(repeating: "x", count: 121)), ("", ""),
    ])
    func aReasonIsCutBetweenCharacters(reason: String, cut: String) throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        server.server.close(connection, code: 4001, reason: reason)

        #expect(try peer.closeFrame() == .close(4001, cut))
    }

    @Test(
        arguments: [
            ([0x03, 0xE8], 1000, 1000), ([0x03, 0xE9] + Array("bye".utf8), 1001, 1001), ([0x0F, 0xA0], 4000, 4000),
            ([], nil, 1005), ([0x03], 1002, 1005), ([0x13, 0x88], 1002, 5000), ([0x03, 0xE7], 1002, nil),
            ([0x00, 0x00], 1002, nil), ([0x03, 0xEC], 1002, nil), ([0x03, 0xED], 1002, nil), ([0x03, 0xEE], 1002, nil),
            ([0x03, 0xF7], 1002, nil), ([0x0B, 0xB7], 1002, nil), ([0xFF, 0xFF], 1002, nil),
            ([0x13, 0x87], 4999, 4999),
            ([0x03, 0xE8, 0xC3, 0x28], 1007, nil), ([0x03, 0xE8, 0xE2, 0x82], 1007, nil),
        ] as [([UInt8], UInt16?, UInt16?)])
    func aPeersCloseIsAnsweredAsItDeserves(payload: [UInt8], answer: UInt16?, told: UInt16?) throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.send(0x88, payload)
        let frame = try peer.next()
        let code = try server.closed(connection)

        #expect(frame?.opcode == 8)
        #expect(frame?.closeCode == answer)
        if let told { #expect(code == told) }
    }

    @Test
    func aPeerThatDoesNotAnswerACloseIsCutOff() throws {
        let server = try TestServer { $0.closeSeconds = 0.1 }
        let (peer, connection) = try server.rawPeer()

        server.server.close(connection, code: 4001, reason: "now")

        #expect(try server.closed(connection) == 4001)
        #expect(try peer.next() == .close(4001, "now"))
        #expect(try peer.next() == nil)
    }

    @Test
    func aConnectionThatBreaksIsClosedWith1006() throws {
        let server = try TestServer()
        var peer: RawPeer? = try RawPeer(port: server.server.port)
        try peer?.open()
        let connection = try server.opened()

        peer = nil

        #expect(try server.closed(connection) == 1006)
        #expect(server.server.statistics.closed[.broken] == 1)
    }

    @Test
    func aConnectionThatNeverOpenedIsNeverClosed() throws {
        let server = try TestServer()
        for text in ["", "GET", "GET /ws HTTP/1.1\r\nHost: a\r\n", "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"] {
            let peer = try RawPeer(port: server.server.port)
            peer.write(text)
            peer.finish()
            _ = try peer.readAll()
        }

        let (peer, connection) = try server.rawPeer()
        peer.send("a")

        #expect(try server.received(on: connection) == [0x61])
        #expect(server.events.remaining.allSatisfy { if case .turnEnded = $0 { true } else { false } })
    }

    @Test
    func whatIsSentToUnknownConnectionsIsIgnored() throws {
        let server = try TestServer { $0.loops = 2 }
        let (peer, connection) = try server.rawPeer()
        let strangers = [0, 1, connection.rawValue + 1, connection.rawValue ^ (1 << 30), 200 << 56, .max]

        for stranger in strangers.map(ConnectionID.init) {
            server.server.send(Frame("lost"), to: stranger)
            server.server.attach(stranger, to: TopicID(1), at: 0, sending: Frame("lost"))
            server.server.detach(stranger, from: TopicID(1))
            server.server.close(stranger, code: 1000, reason: "")
            server.server.respond(to: RequestID(stranger.rawValue), HTTPResponse(status: 200))
        }
        server.server.append(Frame("lost"), to: TopicID(1), revision: 1, onLoop: 99)
        server.server.send(Frame("found"), to: connection)

        #expect(try peer.next() == .text("found"))
    }
}
