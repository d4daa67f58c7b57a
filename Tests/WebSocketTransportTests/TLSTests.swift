import COpenSSL
import Foundation
import Glibc
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct TLSTests {
    /// One for all: making keys takes time.
    private static let shared = Result {
        let authority = try TestAuthority()
        return (authority, try authority.certificate("first"))
    }

    private let authority: TestAuthority
    private let server: TestServer

    init() throws {
        let (authority, certificate) = try Self.shared.get()
        self.authority = authority
        server = try TestServer {
            $0.certificate = certificate
            $0.headerSeconds = 1
        }
    }

    private func peer(receiveBuffer: Int32? = nil) throws -> RawPeer {
        let peer = try RawPeer(port: server.server.port, receiveBuffer: receiveBuffer)
        try peer.startTLS()
        return peer
    }

    // MARK: - Clients

    @Test
    func messagesOfEverySizeGoBothWays() throws {
        let client = try TestClient(configuration { $0.authorities = authority.file })
        let (here, there) = try client.open(server)

        for size in [0, 1, 125, 126, 16_383, 16_384, 65_535, 65_536] {
            let message = [UInt8](repeating: 0x61, count: size)
            client.client.send(message, on: here)
            #expect(try server.received(on: there) == message)
            server.server.send(Frame(text: message), to: there)
            #expect(try client.received(on: here) == message)
        }
    }

    @Test
    func aClientSaysPlainlyThatOnlyOneSideSpeaksTLS() throws {
        let client = try TestClient()
        let plain = try TestServer()

        let secure = WebSocketURL(isSecure: true, host: "127.0.0.1", port: plain.server.port)
        let insecure = WebSocketURL(isSecure: false, host: "127.0.0.1", port: server.server.port)

        #expect(
            try client.failed(client.client.connect(to: secure))
                == "TLS failed: a server without it has an address with ws://")
        #expect(
            try client.failed(client.client.connect(to: insecure))
                == "the server refused the handshake: one with TLS has an address with wss://, "
                + "and one of another version wants another client (HTTP status 400)")
    }

    @Test
    func aClientSaysPlainlyWhatIsWrongWithACertificate() throws {
        let stranger = try TestClient()
        let friend = try TestClient(configuration { $0.authorities = authority.file })
        let certificate = try authority.certificate("elsewhere", for: "DNS:elsewhere.example")
        let elsewhere = try TestServer { $0.certificate = certificate }

        let unknown = try stranger.failed(stranger.client.connect(to: server.url))
        let other = try friend.failed(friend.client.connect(to: elsewhere.url))

        #expect(unknown.hasPrefix("this machine does not trust the issuer of the server's certificate"), "\(unknown)")
        #expect(other == "the server's certificate is not for 127.0.0.1")
    }

    @Test
    func aClientNeedsAFileOfAuthorities() throws {
        let settings = configuration { $0.authorities = authority.path("first.key") }

        #expect(throws: TransportError.badAuthorities(authority.path("first.key"))) { _ = try TestClient(settings) }
    }

    private func configuration(
        _ change: (inout WebSocketClient.Configuration) -> Void
    ) -> WebSocketClient.Configuration {
        var configuration = WebSocketClient.Configuration()
        change(&configuration)
        return configuration
    }

    // MARK: - Certificates

    @Test
    func aNewCertificateIsForThoseWhoConnectFromThenOn() throws {
        let authority = try TestAuthority()
        defer { withExtendedLifetime(authority) {} }  // its files go with it
        let certificate = try authority.certificate("first")
        let server = try TestServer { $0.certificate = certificate }
        let (before, connection) = try server.rawPeer()
        _ = try authority.certificate("second")
        for end in ["pem", "key"] { rename(authority.path("second.\(end)"), authority.path("first.\(end)")) }

        try server.server.reloadCertificate()
        let (after, _) = try server.rawPeer()
        before.send("still here")

        #expect(before.certificateName == "first")
        #expect(after.certificateName == "second")
        #expect(try server.received(on: connection) == Array("still here".utf8))
    }

    @Test
    func aCertificateThatDoesNotFitItsKeyChangesNothing() throws {
        let authority = try TestAuthority()
        defer { withExtendedLifetime(authority) {} }  // its files go with it
        let certificate = try authority.certificate("first")
        let server = try TestServer { $0.certificate = certificate }
        let other = try authority.certificate("second")
        rename(other.key, certificate.key)

        #expect(throws: TransportError.badCertificate("\(certificate.key): key values mismatch")) {
            try server.server.reloadCertificate()
        }
        #expect(try server.rawPeer().0.certificateName == "first")
    }

    @Test
    func aServerDoesNotStartWithoutItsFiles() throws {
        let missing = Certificate(chain: authority.path("none.pem"), key: authority.path("first.key"))

        #expect(throws: TransportError.badCertificate("\(missing.chain): No such file or directory")) {
            _ = try TestServer { $0.certificate = missing }
        }
    }

    // MARK: - Handshakes

    @Test(arguments: [([], ""), (["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1")])
    func onlyHTTP11IsAgreedUpon(offered: [String], agreed: String) throws {
        let peer = try RawPeer(port: server.server.port)

        try peer.startTLS(protocols: offered)

        #expect(peer.applicationProtocol == agreed)
        #expect(try peer.open().hasPrefix("HTTP/1.1 101 "))
    }

    @Test
    func whoSpeaksOnlyHTTP2IsRefused() throws {
        let peer = try RawPeer(port: server.server.port)

        #expect(throws: RawPeer.Failure.self) { try peer.startTLS(protocols: ["h2"]) }
        #expect(server.server.statistics.refused[.tls] == 1)
        #expect(try server.answers())
    }

    @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func theVersionsAre12And13(version: Int32, name: String) throws {
        let (old, peer) = (try RawPeer(port: server.server.port), try RawPeer(port: server.server.port))

        try peer.startTLS(versions: version...version)

        #expect(peer.tlsVersion == name)
        #expect(throws: RawPeer.Failure.self) { try old.startTLS(versions: TLS1_VERSION...TLS1_1_VERSION) }
    }

    @Test
    func plainHTTPIsToldToSpeakTLS() throws {
        let peer = try RawPeer(port: server.server.port)

        peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

        #expect(try peer.readAll().hasSuffix("This port speaks TLS: use https:// or wss://.\n"))
        #expect(server.server.statistics.refused[.tls] == 1)
    }

    @Test(arguments: ["", "\u{16}\u{3}\u{1}\u{2}", "\u{16}\u{3}\u{1}\u{1}\u{0}"])
    func halfAHandshakeIsCutOff(bytes: String) throws {
        let peer = try RawPeer(port: server.server.port)

        peer.write(Array(bytes.unicodeScalars.map { UInt8($0.value) }))

        #expect(try peer.readAll() == "")
        server.isEmpty()
    }

    @Test
    func whoShakesHandsAndSaysNothingIsCutOff() throws {
        let peer = try peer()

        #expect(try peer.readAll() == "")
        server.isEmpty()
    }

    @Test
    func aHeaderThatTricklesIsCutOff() throws {
        let peer = try peer()

        while peer.write("a") { usleep(20_000) }  // paces the peer: nothing waits for it

        server.isEmpty()
    }

    @Test
    func garbageAfterTheHandshakeEndsTheConnection() throws {
        let (peer, connection) = try server.rawPeer()

        peer.writePlain([UInt8](repeating: 0x17, count: 64))

        #expect(try server.closed(connection) == 1006)
        #expect(try server.answers())
    }

    @Test
    func nobodyRenegotiates() throws {
        let peer = try RawPeer(port: server.server.port)
        try peer.startTLS(versions: TLS1_2_VERSION...TLS1_2_VERSION)
        try peer.open()
        _ = try server.opened()

        #expect(!peer.renegotiate())
        #expect(try server.answers())
    }

    @Test(arguments: RawPeer.KeyUpdate.allCases)
    func newKeysNowAndThenAreFine(which: RawPeer.KeyUpdate) throws {
        let (peer, connection) = try server.rawPeer()

        for number in 0..<50 {
            #expect(peer.updateKeys(which))
            peer.send("\(number)")
            #expect(try server.received(on: connection) == Array("\(number)".utf8))
        }
    }

    @Test(arguments: RawPeer.KeyUpdate.allCases)
    func newKeysWithoutEndEndTheConnectionAndHoldUpNobody(which: RawPeer.KeyUpdate) throws {
        let (other, _) = try server.rawPeer()
        let port = server.server.port
        Thread.detachNewThread {
            guard let peer = try? RawPeer(port: port), (try? peer.startTLS()) != nil, (try? peer.open()) != nil else {
                return
            }
            while peer.updateKeys(which) {}
        }
        let connection = try server.opened()

        for _ in 0..<50 {
            other.send(0x89, Array("how long".utf8))
            #expect(try other.next()?.payload == Array("how long".utf8))
        }
        #expect(try server.closed(connection) == 1006)
    }

    private func forging() throws -> (RawPeer, ConnectionID, RecordForge) {
        let peer = try RawPeer(port: server.server.port)
        try peer.startTLS(versions: TLS1_3_VERSION...TLS1_3_VERSION)
        try peer.open()
        return (peer, try server.opened(), try #require(peer.forge(after: 1)))
    }

    /// So few between those that hold something that OpenSSL itself bears them.
    @Test(arguments: [(RecordForge.Content.data, [UInt8]()), (.alert, [1, 90])])
    func recordsOfNothingEndTheConnection(content: RecordForge.Content, payload: [UInt8]) throws {
        let (peer, connection, start) = try forging()
        var forge = start

        for _ in 0..<100_000 {
            let nothing = (0..<4).flatMap { _ in forge.record(content, payload) }
            guard peer.writePlain(nothing + forge.record(.data, RawPeer.frame(0x81, []))) else { break }
        }

        #expect(try server.closed(connection) == 1006)
        #expect(try server.answers())
    }

    @Test
    func aRecordOfNothingNowAndThenIsFine() throws {
        let (peer, connection, start) = try forging()
        var forge = start

        for number in 0..<50 {
            peer.writePlain(forge.record(.data))
            peer.writePlain(forge.record(.data, RawPeer.frame(0x81, Array("\(number)".utf8))))
            #expect(try server.received(on: connection) == Array("\(number)".utf8))
        }
    }

    @Test
    func newKeysWithoutEndBeforeARequestAreCutOffToo() throws {
        let peer = try peer()

        while peer.updateKeys(.own) {}

        server.isEmpty()
        #expect(try server.answers())
    }

    // MARK: - HTTP

    @Test(arguments: [
        ("GET / HTTP/9.9\r\nHost: a\r\n\r\n", "400"), ("PATCH / HTTP/1.1\r\nHost: a\r\n\r\n", "405"),
        ("GET / HTTP/1.1\r\nHost: a\r\nCookie: " + String(repeating: "c", count: 20_000), "431"),
        ("GET /elsewhere HTTP/1.1\r\n" + RawPeer.upgrade.joined(separator: "\r\n") + "\r\n\r\n", "404"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", "413"),
    ])
    func aBadRequestIsAnsweredAsWithoutTLS(request: String, status: String) throws {
        let peer = try peer()

        peer.write(request)
        let answer = try peer.readAll()

        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.contains("strict-transport-security: max-age=31536000\r\n"))
        server.isEmpty()
    }

    @Test
    func aBodyThatTricklesAndALargeAnswerArriveWhole() throws {
        let peer = try peer(receiveBuffer: 4_096)
        let body = [UInt8](repeating: 0x62, count: 8 << 20)
        peer.write("POST /say HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
        for byte in "abc" { peer.write(String(byte)) }

        let (id, request) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 200, body: body))
        let answer = try peer.readAll()

        #expect(request.body == Array("abc".utf8))
        #expect(answer.utf8.count > body.count && answer.utf8.suffix(body.count).elementsEqual(body))
        server.isEmpty()
    }

    // MARK: - WebSockets

    @Test
    func aFrameMayComeInOnePieceWithTheHandshake() throws {
        let peer = try peer()
        let request = (["GET /ws HTTP/1.1"] + RawPeer.upgrade + ["", ""]).joined(separator: "\r\n")

        peer.write(Array(request.utf8) + RawPeer.frame(0x81, Array("early".utf8)))

        #expect(try server.received(on: server.opened()) == Array("early".utf8))
    }

    @Test
    func aSlowReaderGetsWholeFramesAndThenFallsBehind() throws {
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4_096)
        server.server.attach(connection, to: TopicID(1), at: 0, sending: nil)
        let frame = Frame(text: [UInt8](repeating: 0x61, count: 100_000))
        for revision in 1...200 as ClosedRange<UInt64> {
            server.server.append(frame, to: TopicID(1), revision: revision, onLoop: 0)
        }

        #expect(try peer.next()?.payload.count == 100_000)
        while server.server.statistics.behind == 0 { sched_yield() }
        server.server.send(Frame("afterwards"), to: connection)
        var rest: [RawPeer.Message] = []
        while let message = try peer.next(), message.text != "afterwards" { rest.append(message) }

        #expect(try server.behind(connection).1 == UInt64(rest.count) + 1)
        #expect(rest.allSatisfy { $0.payload.count == 100_000 })
    }

    @Test
    func pongsStandBetweenWholeFrames() throws {
        let (peer, connection) = try server.rawPeer()
        server.server.attach(connection, to: TopicID(1), at: 0, sending: nil)
        for revision in 1...2_000 as ClosedRange<UInt64> {
            peer.send(0x89, [UInt8](repeating: 0x70, count: 125))
            server.server.append(Frame("\(revision)"), to: TopicID(1), revision: revision, onLoop: 0)
        }
        peer.send("done")

        var next = 1
        while next <= 2_000, let message = try peer.next() {
            if message.opcode == 0xA {
                #expect(message.payload.count == 125)
            } else {
                #expect(message == .text("\(next)"))
                next += 1
            }
        }

        #expect(next == 2_001)
        #expect(try server.received(on: connection) == Array("done".utf8))
    }

    @Test
    func aServerThatStopsSaysSo() throws {
        let (peer, _) = try server.rawPeer()

        server.server.stop(grace: 5)

        #expect(try peer.next() == .close(1001, "going away"))
        #expect(try peer.next() == nil)
    }

    @Test
    func aPeerThatBreaksOffInsideAMessageLeavesNothing() throws {
        let (peer, connection) = try server.rawPeer()

        peer.write(RawPeer.frame(0x81, [0x61], announced: 1_000))
        peer.reset()

        #expect(try server.closed(connection) == 1006)
        server.isEmpty()
        #expect(server.server.statistics.partialBytesNow == 0)
    }
}
