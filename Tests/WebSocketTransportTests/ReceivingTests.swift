import Glibc
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ReceivingTests {
    @Test(arguments: [1 << 30, UInt64.max >> 1, 1_048_592] as [UInt64])
    func anAnnouncedMonsterIsRefusedAtItsFirstBytes(length: UInt64) throws {
        let server = try TestServer {
            $0.maxFrameBytes = 65_536
            $0.closeSeconds = 0.1  // the peer's answer is lost in what it announced
        }
        let (peer, connection) = try server.rawPeer()

        peer.write(RawPeer.frame(0x81, [UInt8](repeating: 0x61, count: 1100), announced: length))

        #expect(try peer.closeCode() == 1009)
        #expect(try server.closed(connection) == 1009)
    }

    @Test(arguments: [1, 3, 700])
    func aMessageThatIsTooLongIsPassedOverAndItsEdgesAreTold(fragments: Int) throws {
        let server = try TestServer { $0.maxFrameBytes = 1000 }
        let (peer, connection) = try server.rawPeer()
        let message = (0..<15_000).map { UInt8(0x20 + $0 % 95) }

        peer.send(fragments: fragments, of: message)
        peer.send(0x81, [0x62])

        let found = try server.oversized(on: connection)
        #expect(found.start == Array(message.prefix(256)) && found.end == Array(message.suffix(256)))
        #expect(found.size == message.count)
        #expect(try server.received(on: connection) == [0x62])
        #expect(server.server.statistics.partialBytesNow == 0)
    }

    @Test(arguments: [101, 300, 511, 512, 513])
    func theEdgesOfAShortMessageDoNotOverlap(count: Int) throws {
        let server = try TestServer { $0.maxFrameBytes = 100 }
        let (peer, connection) = try server.rawPeer()
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }

        peer.send(0x81, message)

        let found = try server.oversized(on: connection)
        #expect(found.start == Array(message.prefix(256)))
        #expect(found.end == Array(message.dropFirst(256).suffix(256)))
    }

    @Test
    func aMessageThatGrowsFarOverTheLimitEndsTheConnection() throws {
        let server = try TestServer { $0.maxFrameBytes = 1000 }
        let (peer, _) = try server.rawPeer()

        peer.send(0x01, [UInt8](repeating: 0x61, count: 10_000))
        peer.send(0x80, [UInt8](repeating: 0x61, count: 6_016))

        #expect(try peer.closeCode() == 1009)
    }

    @Test
    func theEchoTakesNoMore() throws {
        let server = try TestServer {
            $0.maxEchoBytes = 1000
            $0.echoPath = "/echo"
        }
        let peer = try server.echo()

        peer.send(0x81, [UInt8](repeating: 0x61, count: 1001))

        #expect(try peer.closeCode() == 1009)
    }

    @Test
    func fragmentsCountTogether() throws {
        let server = try TestServer { $0.maxFrameBytes = 1000 }
        let (good, connection) = try server.rawPeer()
        let (bad, other) = try server.rawPeer()
        let half = [UInt8](repeating: 0x61, count: 500)

        good.send(0x01, half)
        good.send(0x80, half)
        bad.send(0x01, half)
        bad.send(0x80, half + [0x61])

        #expect(try server.received(on: connection) == half + half)
        #expect(try server.oversized(on: other).size == 1001)
    }

    @Test
    func emptyFragmentsCountToo() throws {
        let server = try TestServer { $0.maxFragments = 10 }
        let (peer, connection) = try server.rawPeer()

        peer.send(0x01, [0x61])
        for _ in 0..<8 { peer.send(0x00, []) }
        peer.send(0x80, [])
        #expect(try server.received(on: connection) == [0x61])

        peer.send(0x01, [])
        for _ in 0..<20 { peer.send(0x00, []) }
        #expect(try peer.closeCode() == 1009)
    }

    @Test
    func unfinishedMessagesAreBoundedForTheWholeProcess() throws {
        let server = try TestServer {
            $0.maxPartialBytes = 40_000
            $0.maxFrameBytes = 30_000
        }
        let (first, connection) = try server.rawPeer()
        let (second, _) = try server.rawPeer()

        first.send(0x01, [UInt8](repeating: 0x61, count: 20_000))
        while server.server.statistics.partialBytesNow < 20_000 { sched_yield() }
        second.send(0x01, [UInt8](repeating: 0x61, count: 20_000))

        #expect(try second.closeCode() == 1013)
        first.send(0x80, [0x62])
        #expect(try server.received(on: connection).count == 20_001)
        while server.server.statistics.partialBytesNow > 0 { sched_yield() }
    }

    @Test(arguments: [
        ("reserved opcode 3", [0x83, 0x80, 1, 2, 3, 4] as [UInt8]), ("reserved opcode 11", [0x8B, 0x80, 1, 2, 3, 4]),
        ("reserved bit 1", [0xC1, 0x80, 1, 2, 3, 4]), ("reserved bit 2", [0xA1, 0x80, 1, 2, 3, 4]),
        ("reserved bit 3", [0x91, 0x80, 1, 2, 3, 4]), ("orphan continuation", [0x80, 0x80, 1, 2, 3, 4]),
        ("fragmented ping", [0x09, 0x80, 1, 2, 3, 4]), ("fragmented pong", [0x0A, 0x80, 1, 2, 3, 4]),
        ("fragmented close", [0x08, 0x80, 1, 2, 3, 4]),
        ("text inside a message", [0x01, 0x80, 1, 2, 3, 4, 0x81, 0x80, 1, 2, 3, 4]),
    ])
    func aBrokenFrameIsAProtocolError(what: String, bytes: [UInt8]) throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.write(bytes)

        #expect(try peer.closeCode() == 1002, "\(what)")
        #expect(try server.closed(connection) == 1002)
        #expect(try server.answers())
    }

    @Test(arguments: [
        [0x89, 0xFE, 0, 126, 1, 2, 3, 4] as [UInt8], [0x8A, 0xFE, 0, 126, 1, 2, 3, 4],
        [0x88, 0xFE, 0, 126, 1, 2, 3, 4], [0x89, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4],
        [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4],
    ])
    func anImpossibleLengthEndsTheConnection(bytes: [UInt8]) throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.write(bytes)

        #expect(try peer.closeCode() == nil)
        _ = try server.closed(connection)
        #expect(try server.answers())
    }

    @Test
    func binaryMessagesAreNotForUs() throws {
        let server = try TestServer()
        let (peer, _) = try server.rawPeer()

        peer.send(0x82, [1, 2, 3])

        #expect(try peer.closeCode() == 1003)
    }

    @Test
    func pingsAreAnsweredEvenBetweenFragments() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.send(0x01, Array("a".utf8))
        peer.send(0x89, Array("are you there".utf8))
        #expect(try peer.next() == RawPeer.Message(first: 0x8A, payload: Array("are you there".utf8)))
        peer.send(0x80, Array("b".utf8))

        #expect(try server.received(on: connection) == Array("ab".utf8))
    }

    @Test(arguments: [0, 1, 125, 126, 1024, 5000, 65_535, 65_536])
    func theEchoSendsTextAndBinaryBack(size: Int) throws {
        let server = try TestServer { $0.echoPath = "/echo" }
        let peer = try server.echo()
        let payload = [UInt8](repeating: 0x61, count: size)

        peer.send(0x81, payload)
        #expect(try peer.next() == RawPeer.Message(first: 0x81, payload: payload))
        peer.send(0x02, payload)
        peer.send(0x80, [])
        #expect(try peer.next() == RawPeer.Message(first: 0x82, payload: payload))
    }

    @Test
    func bytesOneByOneAreAMessageAsWell() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        for byte in RawPeer.frame(0x81, Array("drip".utf8)) {
            peer.write([byte])
        }

        #expect(try server.received(on: connection) == Array("drip".utf8))
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func noiseCannotBringTheServerDown(seed: UInt64) throws {
        let server = try TestServer { $0.closeSeconds = 0.05 }
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let peer = try RawPeer(port: server.server.port)
            if Bool.random(using: &random) { try peer.open() }
            let count = Int.random(in: 1...3000, using: &random)
            peer.write((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            if Bool.random(using: &random) { peer.finish() }
        }

        let fresh = try RawPeer(port: server.server.port)
        #expect(try fresh.open().hasPrefix("HTTP/1.1 101 "))
    }
}

extension RawPeer {
    /// Sends one text message in so many frames.
    fileprivate func send(fragments: Int, of message: [UInt8]) {
        for index in 0..<fragments {
            let part = message[message.count * index / fragments..<message.count * (index + 1) / fragments]
            send((index == 0 ? 0x01 : 0x00) | (index == fragments - 1 ? 0x80 : 0x00), Array(part))
        }
    }
}
