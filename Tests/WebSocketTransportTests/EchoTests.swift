import Glibc
import TestSupport
import Testing
import WebSocketTransport

/// The cases of the Autobahn test suite for servers, chapters 1 to 7, 9 and 10, by their numbers.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct EchoTests {
    private static let plain = Result { try TestServer { $0.echoPath = "/echo" } }

    private static let secure = Result {
        let authority = try TestAuthority()
        let certificate = try authority.certificate("server")
        return try TestServer {
            $0.certificate = certificate
            $0.echoPath = "/echo"
        }
    }

    private static let cases =
        EchoCase.framing + EchoCase.pings + EchoCase.reserved + EchoCase.fragmentation + EchoCase.text
        + EchoCase.closing
        // The thread sanitizer sees the same threads with a small message as with one of 16 MB, some minutes earlier.
        + EchoCase.large.filter { !isSanitized || $0.says.joined().count <= 1 << 18 }

    @Test(arguments: cases)
    func theEchoAnswersAsAutobahnHasIt(wanted: EchoCase) throws {
        try play(wanted, at: try Self.plain.get())
    }

    @Test(arguments: cases)
    func andSoItDoesUnderTLS(wanted: EchoCase) throws {
        try play(wanted, at: try Self.secure.get())
    }

    private func play(_ wanted: EchoCase, at server: TestServer) throws {
        let peer = try RawPeer(port: server.server.port)
        if server.url.isSecure { try peer.startTLS() }
        try #require(try peer.open("/echo").hasPrefix("HTTP/1.1 101 "))

        var heard = try say(wanted, to: peer)
        while wanted.end == .lives, heard.count < wanted.hears.count, let message = try peer.next() {
            heard.append(message)
        }
        let end = try ending(of: wanted, at: peer, &heard)

        switch wanted.end {
        case .lives:
            #expect(heard == wanted.hears)
            #expect(end == 1000)
        case .fails(let codes):
            #expect(wanted.hears.isEmpty || heard == wanted.hears)
            #expect(codes.contains(end), "\(end)")
            peer.write(EchoCase.frame(0x88, [0x03, 0xE8]))
            #expect(try peer.next() == nil, "something follows the close frame")
        }
    }

    /// - Returns: the answers to pings that were waited for.
    private func say(_ wanted: EchoCase, to peer: RawPeer) throws -> [RawPeer.Message] {
        var heard: [RawPeer.Message] = []
        switch wanted.pace {
        case .atOnce: peer.write(Array(wanted.says.joined()))
        case .octets: for byte in wanted.says.joined() where !peer.write([byte]) { break }
        case .frames:
            for frame in wanted.says where peer.write(frame) {
                let isPing = frame.first == 0x89 && wanted.end == .lives
                if isPing, let pong = try peer.next() { heard.append(pong) }
            }
        }
        return heard
    }

    /// Returns the code that the server closes with, 0 for none, after reading everything before it.
    private func ending(of wanted: EchoCase, at peer: RawPeer, _ heard: inout [RawPeer.Message]) throws -> UInt16 {
        if wanted.end == .lives { peer.write(EchoCase.frame(0x88, [0x03, 0xE8])) }
        while let message = try peer.next() {
            if message.opcode == 8 { return message.closeCode ?? 0 }
            heard.append(message)
        }
        return 0
    }
}
