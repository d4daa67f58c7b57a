import Glibc
import TestSupport
import Testing
import WebSocketTransport

/// Large frames through small buffers: whoever reads gets all of it, however slowly it goes out.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct VolumeTests {
    struct Way: CustomTestStringConvertible, Sendable {
        let isSecure: Bool
        let receiveBuffer: Int32?

        static let all = [false, true].flatMap { isSecure in
            [nil, 4_096].map { Way(isSecure: isSecure, receiveBuffer: $0) }
        }

        var testDescription: String {
            (isSecure ? "TLS" : "plain") + (receiveBuffer.map { ", a buffer of \($0)" } ?? "")
        }
    }

    private static let authority = Result {
        let authority = try TestAuthority()
        return (authority, try authority.certificate("server"))
    }

    private static let sizes = [0, 125, 126, 16_384, 65_535, 65_536, 1 << 20, 4 << 20]

    private func server(_ way: Way) throws -> TestServer {
        let certificate = way.isSecure ? try Self.authority.get().1 : nil
        return try TestServer {
            $0.certificate = certificate
            $0.logBytesPerTopic = 16 << 20
            $0.maxPrivateBytes = 64 << 20
        }
    }

    private func text(_ size: Int) -> [UInt8] {
        [UInt8](repeating: 0x61, count: size)
    }

    @Test(arguments: Way.all, sizes + [16 << 20])
    func aFrameOfItsOwnArrivesWholeAndWhatFollowsBehindIt(way: Way, size: Int) throws {
        let server = try server(way)
        let (peer, connection) = try server.rawPeer(receiveBuffer: way.receiveBuffer)

        server.server.send(Frame(text: text(size)), to: connection)
        peer.send(0x89, [0x70])
        server.server.send(Frame("after"), to: connection)

        var messages: [RawPeer.Message] = []
        while messages.count < 3, let message = try peer.next() { messages.append(message) }
        #expect(messages.contains(RawPeer.Message(first: 0x8A, payload: [0x70])))
        #expect(messages.filter { $0.opcode == 1 }.map(\.payload.count) == [size, 5])
        peer.send("and back")
        #expect(try server.received(on: connection) == Array("and back".utf8))
    }

    @Test(arguments: Way.all, sizes)
    func aFrameOfATopicArrivesWholeAndWhatFollowsBehindIt(way: Way, size: Int) throws {
        let server = try server(way)
        let (peer, connection) = try server.rawPeer(receiveBuffer: way.receiveBuffer)
        server.server.attach(connection, to: TopicID(1), at: 0, sending: nil)

        for revision in 1...3 as ClosedRange<UInt64> {
            server.server.append(Frame(text: text(size)), to: TopicID(1), revision: revision, onLoop: 0)
        }

        for _ in 0..<3 { #expect(try peer.next()?.payload.count == size) }
        #expect(server.server.statistics.behind == 0)
    }

    /// The first is on the wire in part when the next comes, and each ends in its own way.
    @Test(arguments: Way.all, sizes.dropFirst().dropLast())
    func framesThatShareTheirBytesArriveEachWithItsEnd(way: Way, size: Int) throws {
        let server = try server(way)
        let (peer, connection) = try server.rawPeer(receiveBuffer: way.receiveBuffer)
        var random = SplitMix64(seed: UInt64(size))
        let text = (0..<size).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
        let ends = (0..<(size > 100_000 ? 2 : 9)).map {
            Array(repeating: UInt8(ascii: "0") + UInt8($0), count: $0 * 11 + 1)
        }

        do {
            let whole = Frame(text: text)
            server.server.send(whole, to: connection)
            for end in ends { server.server.send(Frame(whole, upTo: size - 1, then: end), to: connection) }
        }

        let isWhole = try peer.next()?.payload == text
        #expect(isWhole)
        for end in ends {
            let isRight = try peer.next()?.payload == text.dropLast() + end
            #expect(isRight, "the one with \(end.count) bytes of its own")
        }
        while server.server.statistics.privateBytesNow != 0 { sched_yield() }
    }

    /// However large it is and to how many it goes: of a frame that a socket does not take, a piece is copied.
    @Test(arguments: [false, true])
    func whatASocketDoesNotTakeIsKeptOnceForAll(isSecure: Bool) throws {
        let server = try server(Way(isSecure: isSecure, receiveBuffer: nil))
        let frame = Frame(text: text(8 << 20))
        let peers = try (0..<4).map { _ in try server.rawPeer(receiveBuffer: 4_096) }

        for (_, connection) in peers { server.server.send(frame, to: connection) }

        while server.server.statistics.stalledNow < peers.count { sched_yield() }
        #expect(server.server.statistics.cutBytesNow <= peers.count * 65_536)
        #expect(server.server.statistics.privateBytesNow > 8 << 20, "it is all on its way: too small for this test")
        for (peer, _) in peers { #expect(try peer.next()?.payload.count == 8 << 20) }
    }

    /// Megabytes that the kernel took for each peer would be copied while others wait.
    @Test(arguments: [false, true])
    func theKernelTakesLittleOfWhatAPeerDoesNotRead(isSecure: Bool) throws {
        let server = try server(Way(isSecure: isSecure, receiveBuffer: 4_096))
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4_096)

        server.server.send(Frame(text: text(16 << 20)), to: connection)

        while server.server.statistics.stalledNow == 0 { sched_yield() }
        #expect(server.server.statistics.bytesOut < 512 << 10)
        withExtendedLifetime(peer) {}
    }

    @Test(arguments: [false, true])
    func aPingIsAnsweredInTheMiddleOfALargeFrame(isSecure: Bool) throws {
        let server = try server(Way(isSecure: isSecure, receiveBuffer: 4_096))
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4_096)

        server.server.send(Frame(text: text(16 << 20)), to: connection)
        while server.server.statistics.stalledNow == 0 { sched_yield() }
        peer.send(0x89, [0x70])

        #expect(try peer.next() == RawPeer.Message(first: 0x8A, payload: [0x70]))
        #expect(try peer.next()?.payload.count == 16 << 20)
    }

    @Test(arguments: Way.all)
    func whoIsClosedInTheMiddleOfALargeFrameGetsAllOfItAndTheReason(way: Way) throws {
        let server = try server(way)
        let (peer, connection) = try server.rawPeer(receiveBuffer: way.receiveBuffer)

        server.server.send(Frame(text: text(4 << 20)), to: connection)
        server.server.close(connection, code: 4_005, reason: "enough")

        #expect(try peer.next()?.payload.count == 4 << 20)
        #expect(try peer.closeFrame() == .close(4_005, "enough"))
    }
}
