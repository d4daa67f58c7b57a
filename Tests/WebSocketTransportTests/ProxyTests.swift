import Glibc
import TestSupport
import Testing
import WebSocketTransport

/// Whom a proxy speaks for, and who may say so.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ProxyTests {
    private func address(_ server: TestServer, before: [UInt8] = [], _ headers: String...) throws -> String {
        let peer = try RawPeer(port: server.server.port)
        peer.write(before)
        try peer.open(headers: RawPeer.upgrade + headers)
        return try server.openedPeer().1.address
    }

    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7"), ("198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("203.0.113.7, 10.1.2.3", "203.0.113.7"), ("203.0.113.7, 10.1.2.3, 10.9.9.9", "203.0.113.7"),
        ("10.1.2.3", "10.1.2.3"), ("203.0.113.7:4711", "203.0.113.7"), ("[2001:db8::1]:4711", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"), ("unknown, 203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
    ])
    func theLastAddressThatATrustedProxyAddedCounts(said: String, address expected: String) throws {
        let server = try TestServer { $0.trustedProxies = ["127.0.0.1", "10.0.0.0/8"] }

        #expect(try address(server, "X-Forwarded-For: \(said)") == expected)
    }

    /// Else it would be taken for the proxy, for which there are no limits.
    @Test(arguments: [
        Array("203.0.113.7, unknown".utf8), Array("unknown, 10.1.2.3".utf8), Array(",,,".utf8),
        Array("203.0.113.7, ".utf8), [], Array("  \t ".utf8), Array(",".utf8), Array(" , ".utf8),
        Array("\r\nX-Forwarded-For:".utf8), Array("203.0.113.7\r\nX-Forwarded-For:".utf8),
        [0xFF], Array("203.0.113.7".utf8) + [0xFF], [0],
        Array(String(repeating: "203.0.113.7, ", count: 400).utf8) + Array("203.0.113.8".utf8),
    ])
    func whoCannotBeToldIsRefused(said: [UInt8]) throws {
        let server = try TestServer { $0.trustedProxies = ["127.0.0.1", "10.0.0.0/8"] }
        let header = Array("\r\nX-Forwarded-For: ".utf8) + said + Array("\r\n\r\n".utf8)
        let starts = [["GET /ws HTTP/1.1"] + RawPeer.upgrade, ["GET / HTTP/1.1", "Host: a"]]

        for start in starts {
            let peer = try RawPeer(port: server.server.port)
            peer.write(Array(start.joined(separator: "\r\n").utf8) + header)
            #expect(try peer.readHeader().hasPrefix("HTTP/1.1 400 "))
        }
        #expect(server.events.remaining.isEmpty)
    }

    @Test
    func nobodyElseIsBelieved() throws {
        let server = try TestServer { $0.trustedProxies = ["127.0.0.2", "::1"] }

        #expect(try address(server, "X-Forwarded-For: 203.0.113.7") == "127.0.0.1")
    }

    @Test
    func aRequestHasTheAddressToo() throws {
        let server = try TestServer { $0.trustedProxies = ["127.0.0.0/8"] }
        let peer = try RawPeer(port: server.server.port)

        peer.write("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n")

        #expect(try server.request().1.address == "203.0.113.7")
    }

    @Test
    func limitsHoldForWhomTheProxySpeaksFor() throws {
        let server = try TestServer {
            $0.trustedProxies = ["127.0.0.1"]
            $0.maxConnectionsPerAddress = 1
        }
        let (first, second, third) = (
            try RawPeer(port: server.server.port), try RawPeer(port: server.server.port),
            try RawPeer(port: server.server.port)
        )

        #expect(try first.open(headers: RawPeer.upgrade + ["X-Forwarded-For: 203.0.113.7"]).contains(" 101 "))
        #expect(try second.open(headers: RawPeer.upgrade + ["X-Forwarded-For: 203.0.113.7"]).contains(" 429 "))
        #expect(try third.open(headers: RawPeer.upgrade + ["X-Forwarded-For: 203.0.113.8"]).contains(" 101 "))
        #expect(server.server.statistics.refused[.address] == 1)
        first.reset()
        while server.server.statistics.openNow > 1 { sched_yield() }
        let fourth = try RawPeer(port: server.server.port)
        #expect(try fourth.open(headers: RawPeer.upgrade + ["X-Forwarded-For: 203.0.113.7"]).contains(" 101 "))
        _ = third
    }

    // MARK: - PROXY protocol

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
    private static let v2 = signature + [0x21, 0x11, 0, 12, 203, 0, 113, 7, 127, 0, 0, 1, 0x12, 0x67, 0, 80]
    private static let local = signature + [0x20, 0, 0, 0]
    private static let sixth =
        signature + [0x21, 0x21, 0, 39] + [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        + [UInt8](repeating: 0, count: 20) + [4, 0, 0]  // an extra field of no length at the end

    static let prefaces: [(String, [UInt8], String)] = [
        ("TCP4", Array("PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n".utf8), "203.0.113.7"),
        ("TCP6", Array("PROXY TCP6 2001:db8::1 ::1 4711 80\r\n".utf8), "2001:db8::1"),
        ("version 2", v2, "203.0.113.7"),
        ("version 2 with IPv6 and more", sixth, "2001:db8::1"),
    ]

    @Test(arguments: prefaces)
    func theHeaderOfATrustedProxySaysWhoItIs(name: String, preface: [UInt8], expected: String) throws {
        let server = try TestServer {
            $0.trustedProxies = ["127.0.0.1"]
            $0.speaksProxyProtocol = true
        }

        #expect(try address(server, before: preface) == expected)
    }

    /// Else a client that the proxy does not name would be taken for the proxy, for which there are no limits.
    @Test(arguments: [Array("PROXY UNKNOWN\r\n".utf8), Array("PROXY UNKNOWN ffff:: ::1 1 2\r\n".utf8), local])
    func aProxyThatNamesNobodyMayAskForHealthOnly(preface: [UInt8]) throws {
        let server = try TestServer {
            $0.trustedProxies = ["127.0.0.1"]
            $0.speaksProxyProtocol = true
            $0.vitalPaths = ["/healthz"]
        }
        func answer(to lines: [String]) throws -> String {
            let peer = try RawPeer(port: server.server.port)
            peer.write(preface + Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
            return try peer.readHeader()
        }

        #expect(try answer(to: ["GET /ws HTTP/1.1"] + RawPeer.upgrade).hasPrefix("HTTP/1.1 400 "))
        #expect(try answer(to: ["GET / HTTP/1.1", "Host: a"]).hasPrefix("HTTP/1.1 400 "))
        #expect(server.server.statistics.refused[.proxy] == 2)
        let peer = try RawPeer(port: server.server.port)
        peer.write(preface + Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(try server.request().1.address == "127.0.0.1")
    }

    @Test
    func aHeaderMayNameWhomTheProxyDoesNot() throws {
        let server = try TestServer {
            $0.trustedProxies = ["127.0.0.1"]
            $0.speaksProxyProtocol = true
        }

        #expect(try address(server, before: Self.local, "X-Forwarded-For: 203.0.113.7") == "203.0.113.7")
    }

    @Test
    func itMayComeByteByByte() throws {
        let server = try TestServer {
            $0.trustedProxies = ["127.0.0.1"]
            $0.speaksProxyProtocol = true
        }
        let peer = try RawPeer(port: server.server.port)

        for byte in Self.v2 { peer.write([byte]) }
        try peer.open()

        #expect(try server.openedPeer().1.address == "203.0.113.7")
    }

    @Test(arguments: [
        "GET /ws HTTP/1.1\r\n", "PROXY TCP4 203.0.113.7\r\n", "PROXY TCP4 203.0.113.7 127.0.0.1 70000 80\r\n",
        "PROXY TCP4 2001:db8::1 ::1 1 2\r\n", "PROXY TCP4  203.0.113.7 127.0.0.1 1 2\r\n", "PROXY TCP4 a b c d\r\n",
        "PROXY TCP5 203.0.113.7 127.0.0.1 1 2\r\n", "PROXY UNKNOWN\n", "PROXY " + String(repeating: "x", count: 200),
        "\r\n\r\n\u{0}\r\nQUIT\n\u{21}\u{0}\u{0}\u{0}", "\r\n\r\n\u{0}\r\nQUIT\n\u{21}\u{12}\u{0}\u{c}abcdefghijkl",
        "\r\n\r\n\u{0}\r\nQUIT\n\u{31}\u{11}\u{0}\u{0}", "\r\n\r\n\u{0}\r\nQUIT\n\u{21}\u{11}\u{0}\u{4}abcd",
    ])
    func aTrustedProxyThatSaysNothingOfTheKindIsRefused(preface: String) throws {
        let server = try TestServer {
            $0.trustedProxies = ["127.0.0.1"]
            $0.speaksProxyProtocol = true
        }
        let peer = try RawPeer(port: server.server.port)

        peer.write(Array(preface.utf8))
        peer.finish()

        #expect(try peer.readAll().hasPrefix("HTTP/1.1 400 "))
        #expect(server.server.statistics.refused[.proxy] == 1)
    }

    @Test
    func nobodyElseMaySayIt() throws {
        let server = try TestServer {
            $0.trustedProxies = ["127.0.0.2"]
            $0.speaksProxyProtocol = true
        }
        let peer = try RawPeer(port: server.server.port)

        peer.write(Self.v2)
        let answer = try peer.open()

        #expect(!answer.contains(" 101 "))
        #expect(try server.answers())
    }

    @Test
    func itComesBeforeTLS() throws {
        let authority = try TestAuthority()
        defer { withExtendedLifetime(authority) {} }  // its files go with it
        let certificate = try authority.certificate("server")
        let server = try TestServer {
            $0.certificate = certificate
            $0.trustedProxies = ["127.0.0.1"]
            $0.speaksProxyProtocol = true
        }
        let peer = try RawPeer(port: server.server.port)

        peer.write(Self.v2)
        try peer.startTLS()
        try peer.open()

        #expect(try server.openedPeer().1.address == "203.0.113.7")
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.0.0.0/8", true), ("::1", true), ("2001:db8::/32", true), ("10.0.0.0/33", false),
        ("10.0.0/8", false), ("proxy.example", false), ("", false), ("10.0.0.0/", false), ("10.0.0.0/8/8", false),
    ])
    func aNetworkIsAnAddressMaybeWithABitCount(text: String, isOne: Bool) {
        #expect(WebSocketServerConfiguration.isNetwork(text) == isOne)
    }
}
