import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct HandshakeTests {
    /// The headers of a good request with one of them replaced, left out or added.
    private static func headers(_ name: String, _ value: String?...) -> [String] {
        RawPeer.upgrade.filter { !$0.lowercased().hasPrefix(name.lowercased() + ":") }
            + value.compactMap { $0.map { "\(name): \($0)" } }
    }

    static let refused: [(String, [String], String)] = [
        ("version missing", headers("Sec-WebSocket-Version", nil), "426"),
        ("version 8", headers("Sec-WebSocket-Version", "8"), "426"),
        ("key missing", headers("Sec-WebSocket-Key", nil), "400"),
        ("key too short", headers("Sec-WebSocket-Key", "YWJj"), "400"),
        ("key is no base64", headers("Sec-WebSocket-Key", "!!!!!!!!!!!!!!!!!!!!!!=="), "400"),
        ("two keys", headers("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="), "400"),
        ("no host", headers("Host", nil), "400"),
        ("two hosts", headers("Host", "a", "b"), "400"),
        ("connection keep-alive", headers("Connection", "keep-alive"), "400"),
        ("connection up", headers("Connection", "up"), "400"),
        ("connection missing", headers("Connection", nil), "400"),
        ("connection over 127 bytes", headers("Connection", String(repeating: "a,", count: 80) + "Upgrade"), "400"),
        ("unknown subprotocol", RawPeer.upgrade + ["Sec-WebSocket-Protocol: mqtt"], "400"),
        (
            "subprotocols over 127 bytes",
            RawPeer.upgrade + ["Sec-WebSocket-Protocol: " + String(repeating: "x", count: 140)], "400"
        ),
    ]

    @Test(arguments: refused)
    func aBadHandshakeIsRefusedWithAStatus(what: String, headers: [String], status: String) throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        let answer = try peer.open(headers: headers)

        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(what): \(answer)")
        #expect(answer.contains("connection: close"))
        #expect(try server.answers())
        #expect(server.server.statistics.refused[.handshake] == 1)
    }

    @Test(arguments: ["\r\n", "\n"])
    func aHandshakeMayComeByteByByte(lineEnd: String) throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        for byte in (["GET /ws HTTP/1.1"] + RawPeer.upgrade + ["", ""]).joined(separator: lineEnd).utf8 {
            peer.write([byte])
        }

        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 101 "))
    }

    @Test
    func aFrameMayComeInOnePieceWithTheHandshake() throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        let request = (["GET /ws HTTP/1.1"] + RawPeer.upgrade + ["", ""]).joined(separator: "\r\n")
        peer.write(Array(request.utf8) + RawPeer.frame(0x81, Array("early".utf8)))

        #expect(try server.received(on: server.opened()) == Array("early".utf8))
    }

    @Test
    func aRefusedVersionIsToldTheRightOne() throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        let answer = try peer.open(headers: Self.headers("Sec-WebSocket-Version", "8"))

        #expect(answer.contains("sec-websocket-version: 13"))
    }

    @Test(arguments: [
        ("GET /ws HTTP/1.0", "HTTP/1.1 400 "), ("POST /ws HTTP/1.1", "HTTP/1.1 405 "),
        ("GET /elsewhere HTTP/1.1", "HTTP/1.1 404 "), ("GET /w%73 HTTP/1.1", "HTTP/1.1 404 "),
        ("GET / HTTP/1.1", "HTTP/1.1 101 "), ("GET /ws?a=b HTTP/1.1", "HTTP/1.1 101 "),
        ("GET /%ff HTTP/1.1", "HTTP/1.1 404 "),
    ])
    func theRequestLineDecides(line: String, status: String) throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        let answer = try peer.open(line: line)

        #expect(answer.hasPrefix(status), "\(answer)")
    }

    @Test(arguments: [
        (["Sec-WebSocket-Protocol: diffroom.v1.json"], "diffroom.v1.json"),
        (["Sec-WebSocket-Protocol: mqtt, diffroom.v1.json"], "diffroom.v1.json"), ([], nil),
    ])
    func theSubprotocolIsAgreedOrLeftOut(extra: [String], agreed: String?) throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        let answer = try peer.open(headers: RawPeer.upgrade + extra)

        #expect(answer.lowercased().contains("sec-websocket-protocol: diffroom.v1.json") == (agreed != nil))
        #expect(try server.openedPeer().1.subprotocol == agreed)
    }

    @Test(arguments: [
        (["Origin: https://chat.example"], "101"), (["Origin: https://evil.example"], "403"), ([], "101"),
        (["Origin: https://chat.example, https://evil.example"], "403"), (["Origin: null"], "403"),
        (["Origin: https://localhost:3001"], "403"), (["Origin: https://localhost"], "101"),
    ])
    func onlyPagesOfListedOriginsMayConnect(extra: [String], status: String) throws {
        let server = try TestServer { $0.allowedOrigins = ["https://chat.example", "http://localhost:3000"] }
        let peer = try RawPeer(port: server.server.port)

        let answer = try peer.open(headers: RawPeer.upgrade + extra)

        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(server.server.statistics.refused[.origin] == (status == "403" ? 1 : 0))
    }

    @Test(arguments: [
        (["Origin: https://localhost"], "101"), (["Origin: http://LocalHost"], "101"), ([], "101"),
        (["Origin: https://b"], "403"),
        (["Origin: https://localhost:8080"], "403"), (["Origin: https://localhost.example"], "403"),
        (["Origin: null"], "403"),
        (["Origin: a"], "403"), (["Origin: https://localhost, https://localhost"], "403"), (["Origin: \u{FF}"], "403"),
    ])
    func withoutAListOnlyThisServersPagesMayConnect(extra: [String], status: String) throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        let answer = try peer.open(headers: RawPeer.upgrade + extra)

        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(server.server.statistics.refused[.origin] == (status == "403" ? 1 : 0))
    }

    @Test
    func pagesOfAnyOriginMayConnectIfThatIsAskedFor() throws {
        let server = try TestServer { $0.allowedOrigins = ["*"] }
        let peer = try RawPeer(port: server.server.port)

        #expect(try peer.open(headers: RawPeer.upgrade + ["Origin: https://b"]).hasPrefix("HTTP/1.1 101 "))
    }

    /// Without keys a client may claim any name, and so may a foreign page whose name was made to point here.
    @Test(arguments: [
        ("127.0.0.1:8080", "101"), ("127.8.0.1", "101"), ("localhost:8080", "101"), ("LocalHost", "101"),
        ("[::1]:8080", "101"), ("chat.example", "101"), ("evil.example", "403"), ("evil.example:8080", "403"),
        ("127.0.0.1.evil.example", "403"), ("localhost.evil.example", "403"), ("10.0.0.1", "403"),
        ("[::2]:8080", "403"), ("[evil.example]", "403"), ("chat.example:8080", "403"),
    ])
    func whereNobodyProvesWhoTheyAreOnlyNamesOfThisMachineAreAskedFor(host: String, status: String) throws {
        let server = try TestServer {
            $0.allowsOnlyLoopbackHosts = true
            $0.allowedOrigins = ["https://chat.example"]
        }
        let socket = try RawPeer(port: server.server.port)
        let plain = try RawPeer(port: server.server.port)
        plain.write("GET /api HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        if status == "101" { server.server.respond(to: try server.request().0, HTTPResponse(status: 200)) }

        let opened = try socket.open(headers: Self.headers("Host", host))
        let answer = try plain.readAll()

        #expect(opened.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.hasPrefix("HTTP/1.1 \(status == "101" ? "200" : "403") "))
        #expect(server.server.statistics.refused[.origin] == (status == "403" ? 2 : 0))
    }

    @Test
    func whatThePeerSaidOfItselfIsPassedOn() throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)
        let said = ["Origin: https://localhost", "Authorization: Bearer t0ken", "X-Forwarded-For: 10.0.0.1"]

        try peer.open(headers: RawPeer.upgrade + said + ["X-Forwarded-For: 10.0.0.2"])
        let heard = try server.openedPeer().1

        #expect(heard.address == "127.0.0.1")
        #expect(heard.path == "/ws")
        #expect(heard.origin == "https://localhost")
        #expect(heard.authorization == "Bearer t0ken")
        #expect(heard.forwardedFor == "10.0.0.1,  10.0.0.2")
    }

    @Test
    func anIPv4PeerOfAnIPv6SocketHasItsIPv4Address() throws {
        let server = try TestServer { $0.host = "::" }
        let peer = try RawPeer(port: server.server.port)

        try peer.open()

        #expect(try server.openedPeer().1.address == "127.0.0.1")
    }

    @Test
    func compressionIsNeverAgreedTo() throws {
        let server = try TestServer { $0.echoPath = "/echo" }
        let peer = try RawPeer(port: server.server.port)

        let answer = try peer.open(
            "/echo", headers: RawPeer.upgrade + ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"]
        )
        peer.send(0xC1, [0x4A, 0x04, 0x00])  // RSV1: "compressed"

        #expect(answer.hasPrefix("HTTP/1.1 101 "))
        #expect(!answer.lowercased().contains("extensions"))
        #expect(try peer.closeCode() == 1002)
    }
}
