import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct HTTPTests {
    private let server: TestServer

    init() throws {
        server = try TestServer {
            $0.requestSeconds = 0.4
            $0.maxBodyBytes = 1000
        }
    }

    /// The headers of every answer unless the application sets others.
    private let precautions = [
        "x-content-type-options: nosniff", "referrer-policy: no-referrer",
        "content-security-policy: default-src 'none'; frame-ancestors 'none'",
        "cross-origin-resource-policy: same-origin", "",
    ].joined(separator: "\r\n")

    private func peer(_ lines: String...) throws -> RawPeer {
        let peer = try RawPeer(port: server.server.port)
        peer.write(lines.joined(separator: "\r\n"))
        return peer
    }

    @Test
    func aGETIsAnEventAndItsAnswerEndsAConnectionThatIsToEnd() throws {
        let peer = try peer(
            "GET /api/rum?a=1&b=%26%2B+x HTTP/1.1", "Host: a", "If-None-Match: \"7\"", "Connection: close", "", "")

        let (id, request) = try server.request()
        server.server.respond(
            to: id, HTTPResponse(status: 200, headers: [("content-type", "text/plain")], body: Array("yes".utf8)))

        #expect(request.method == .get)
        #expect(request.path == "/api/rum")
        #expect(request.query == "a=1&b=%26%2B%20x")
        #expect(request.headers == ["if-none-match": "\"7\""])
        #expect(request.address == "127.0.0.1")
        #expect(
            try peer.readAll()
                == "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\(precautions)content-length: 3\r\nconnection: close\r\n\r\nyes"
        )
    }

    /// It only asks for a favour, so a client that lists a hundred codings gets its answer plain.
    @Test(arguments: [("gzip, br", "gzip, br"), (String(repeating: "a", count: 300), nil)])
    func veryManyAcceptedCodingsAreLeftOut(_ sent: String, _ expected: String?) throws {
        _ = try peer("GET / HTTP/1.1", "Host: a", "Accept-Encoding: \(sent)", "", "")

        let (_, request) = try server.request()

        #expect(request.headers["accept-encoding"] == expected)
    }

    @Test
    func aHEADIsAnsweredWithoutABody() throws {
        let peer = try peer("HEAD / HTTP/1.1", "Host: a", "Connection: close", "", "")

        let (id, request) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 200, body: Array("yes".utf8)))

        #expect(request.method == .head)
        #expect(try peer.readAll() == "HTTP/1.1 200 OK\r\n\(precautions)content-length: 3\r\nconnection: close\r\n\r\n")
    }

    @Test(arguments: [
        "PUT / HTTP/1.1\r\nHost: a\r\n\r\n", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
        "NONSENSE / HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a: b\r\n", count: 99) + "\r\n",
    ])
    func aRefusalSaysItToo(request: String) throws {
        let peer = try peer(request)

        #expect(try peer.readAll().contains(precautions))
    }

    @Test(arguments: ["PATCH", "TRACE", "CONNECT", "get", "NONSENSE"])
    func aMethodThatIsNoneHereIsToldWhichThereAre(method: String) throws {
        let peer = try peer("\(method) / HTTP/1.1", "Host: a", "", "")

        let answer = try peer.readAll()

        #expect(answer.hasPrefix("HTTP/1.1 405 "), "\(answer)")
        #expect(answer.contains("allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n"))
    }

    @Test(arguments: [
        "//metrics", "/%6detrics", "/x/../metrics", "/./metrics", "/metrics/.", "/..", "/metrics//", "/x//../metrics",
        "/api/rooms/lobby%2fmessages", "/\u{E9}", "/%",
    ])
    func aPathHasOneSpelling(path: String) throws {
        let peer = try peer("GET \(path) HTTP/1.1", "Host: a", "", "")

        #expect(try peer.readAll().hasPrefix("HTTP/1.1 404 "))
        #expect(server.server.statistics.requests == 0)
    }

    @Test(arguments: ["/", "/a", "/a/", "/.a", "/a.", "/...", "/a..b/c"])
    func aPathComesAsItWasSent(path: String) throws {
        let peer = try peer("GET \(path)?to=/../%2e HTTP/1.1", "Host: a", "Connection: close", "", "")

        let (id, request) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 204))

        #expect(request.path == path)
        #expect(try peer.readAll().hasPrefix("HTTP/1.1 204 "))
    }

    @Test(arguments: ["GET", "HEAD", "POST", "DELETE", "OPTIONS"])
    func onlyPagesOfListedOriginsMayAsk(method: String) throws {
        let server = try TestServer { $0.allowedOrigins = ["https://chat.example"] }
        let body = "Connection: close\r\n" + (method == "POST" ? "Content-Length: 2\r\n\r\n{}" : "\r\n")
        let foreign = try RawPeer(port: server.server.port)
        let listed = try RawPeer(port: server.server.port)

        foreign.write("\(method) / HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\n\(body)")
        let refusal = try foreign.readAll()
        listed.write("\(method) / HTTP/1.1\r\nHost: a\r\nOrigin: https://chat.example\r\n\(body)")
        server.server.respond(to: try server.request().0, HTTPResponse(status: 204))

        #expect(refusal.hasPrefix("HTTP/1.1 403 "))
        #expect(refusal.contains(precautions))
        #expect(try listed.readAll().hasPrefix("HTTP/1.1 204 "))
        #expect(server.server.statistics.refused[.origin] == 1)
    }

    @Test
    func whatTheApplicationSaysOfThemHolds() throws {
        let peer = try peer("GET / HTTP/1.1", "Host: a", "Connection: close", "", "")

        let (id, _) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 200, headers: [("Referrer-Policy", "origin")]))
        let answer = try peer.readAll().lowercased()

        #expect(answer.contains("referrer-policy: origin\r\n"))
        #expect(!answer.contains("no-referrer"))
    }

    @Test
    func aPOSTComesWithItsBodyHoweverItTrickles() throws {
        let peer = try peer(
            "POST /say HTTP/1.1", "Host: a", "Content-Type: application/json", "Idempotency-Key: k1",
            "Authorization: Bearer x", "Content-Length: 10", "Connection: close", "", "01")
        for byte in "23456789" {
            peer.write(String(byte))
        }

        let (id, request) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 204))

        #expect(request.method == .post)
        #expect(request.body == Array("0123456789".utf8))
        #expect(
            request.headers == [
                "content-type": "application/json", "idempotency-key": "k1", "authorization": "Bearer x",
            ])
        #expect(try peer.readAll() == "HTTP/1.1 204 No Content\r\n\(precautions)connection: close\r\n\r\n")
    }

    @Test(arguments: ["Content-Length: 0", "Accept: text/plain"])
    func aPOSTWithoutABodyIsARequestLikeAnyOther(header: String) throws {
        let peer = try peer("POST /begin HTTP/1.1", "Host: a", header, "Connection: close", "", "")

        let (id, request) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 204))

        #expect(request.method == .post && request.body.isEmpty)
        #expect(try peer.readAll() == "HTTP/1.1 204 No Content\r\n\(precautions)connection: close\r\n\r\n")
    }

    @Test
    func theRestOfABodyMayComeWithTheNextRequest() throws {
        // Two packets that make libwebsockets loop for ever on a connection that is kept.
        let peer = try peer("POST / HTTP/1.1", "Host: a", "Content-Length: 10", "", "12")
        peer.write("34567890POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n")

        let (id, request) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 200))
        let answer = try peer.readHeader()

        #expect(request.body == Array("1234567890".utf8))
        #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 408 "))
        #expect(server.server.statistics.requests == 1)
        #expect(try server.answers())
    }

    @Test(arguments: ["foo", "h2c", "websocket2", "TLS/1.0", "h2c, websocket"])
    func anUnknownUpgradeIsLeftAloneAlsoOnAKeptConnection(upgrade: String) throws {
        let peer = try peer("GET / HTTP/1.1", "Host: a", "upgrade:\(upgrade) ", "Connection: Upgrade", "", "")
        server.server.respond(to: try server.request().0, HTTPResponse(status: 200))
        let first = try peer.readHeader()
        peer.write("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: \(upgrade)\r\nConnection: Upgrade, close\r\n\r\n")
        server.server.respond(to: try server.request().0, HTTPResponse(status: 204))

        #expect(first.hasPrefix("HTTP/1.1 200 "))
        #expect(try peer.readAll().hasPrefix("HTTP/1.1 204 "))
        #expect(server.server.statistics.refused[.handshake] == 0)
        #expect(try server.answers())
    }

    @Test
    func whatComesAfterARequestCostsNothingOfItsAnswer() throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port, receiveBuffer: 4096)
        peer.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let (id, _) = try server.request()
        peer.write("GET / HTTP/1.1\r\nHost: b\r\n\r\n")

        server.server.respond(to: id, HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 100_000)))
        _ = try peer.readHeader()

        #expect(try peer.readAll().utf8.count == 100_000)
        #expect(server.server.statistics.requests == 1)
    }

    @Test
    func http2IsNotSpoken() throws {
        let peer = try RawPeer(port: server.server.port)
        peer.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        peer.write([0, 0, 0, 4, 0, 0, 0, 0, 0])

        #expect(!(try peer.readAll()).contains("200"))
        #expect(try server.answers())
    }

    @Test(arguments: [
        Array("GET /%ff HTTP/1.1\r\n\r\n".utf8),
        Array("GET / HTTP/1.1\r\nIf-None-Match: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8),
        Array("GET / HTTP/1.1\r\nIf-None-Match: a".utf8) + [0] + Array("b\r\n\r\n".utf8),
        Array("GET / HTTP/1.1\r\nIdempotency-Key: a".utf8) + [0] + Array("b\r\n\r\n".utf8),
    ])
    func textThatIsNoUTF8OrHoldsANULIsRefused(request: [UInt8]) throws {
        let peer = try RawPeer(port: server.server.port)

        peer.write(request)

        #expect(try peer.readAll().hasPrefix("HTTP/1.1 400 "))
    }

    @Test(arguments: [
        ("a=%ff", "a=%FF"), ("a=1&a=2,3", "a=1&a=2,3"), ("a=b=c&d", "a=b%3Dc&d"), ("%26=%3D", "%26=%3D"),
        ("%61=%2d", "a=-"), ("a;b=1", "a%3Bb=1"), ("&a=1&&", "&a=1&&"),
    ])
    func aQueryKeepsItsParts(sent: String, heard: String) throws {
        let peer = try peer("GET /?\(sent) HTTP/1.1", "Host: a", "", "")

        #expect(try server.request().1.query == heard)
        _ = peer
    }

    @Test(arguments: [
        "before=\(String(repeating: "1", count: 1_100))",
        "limit=1&before=\(String(repeating: "1", count: 1_100))&limit=2",
        Array(repeating: "a=\(String(repeating: "%20", count: 300))", count: 6).joined(separator: "&"),
    ])
    func aQueryThatIsTooLongIsRefusedAndNotCut(query: String) throws {
        let peer = try peer("GET /?\(query) HTTP/1.1", "Host: a", "", "")

        #expect(try peer.readAll().hasPrefix("HTTP/1.1 414 "))
        #expect(try server.answers())
    }

    @Test(arguments: ["%", "a=%2", "a=%zz", "a=%-1"])
    func aQueryWithHalfAnEscapeIsRefused(query: String) throws {
        let peer = try peer("GET /?\(query) HTTP/1.1", "Host: a", "", "")

        #expect(try peer.readAll().hasPrefix("HTTP/1.1 400 "))
    }

    @Test
    func otherMethodsAreNotAllowed() throws {
        for method in ["PUTS", "DELETED", "PATCH"] {
            let answer = try peer("\(method) / HTTP/1.1", "Host: a", "", "").readAll()
            #expect(answer.hasPrefix("HTTP/1.1 405 "), "\(method): \(answer)")
        }
    }

    @Test
    func bodiesThatAreTooLargeOrOddAreRefused() throws {
        let cases = [
            ("Content-Length: 1001", "413"), ("Content-Length: 99999999999999999", "413"),
            ("Content-Length: -5", "400"), ("Content-Length: 5x", "400"),
            ("Content-Length: 99999999999999999999999999", "400"), ("Transfer-Encoding: chunked", "411"),
        ]
        for (header, status) in cases {
            let peer = try peer("POST / HTTP/1.1", "Host: a", header, "", "some of the body")
            let answer = try peer.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(header): \(answer)")
        }
        #expect(try server.answers())
    }

    @Test
    func aRequestThatNobodyAnswersGetsA503() throws {
        let answer = try peer("GET / HTTP/1.1", "Host: a", "", "").readAll()

        #expect(answer.hasPrefix("HTTP/1.1 503 "))
    }

    @Test
    func manyUnansweredRequestsHoldUpNobody() throws {
        let server = try TestServer()
        var waiting: [RawPeer] = []
        for _ in 0..<50 {
            let peer = try RawPeer(port: server.server.port)
            peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            waiting.append(peer)
        }
        for _ in waiting { _ = try server.request() }  // each holds its header until it is answered

        #expect(try server.answers())
    }

    @Test
    func aBodyThatNeverComesGetsA408() throws {
        let answer = try peer("POST / HTTP/1.1", "Host: a", "Content-Length: 10", "", "1").readAll()

        #expect(answer.hasPrefix("HTTP/1.1 408 "))
    }

    @Test
    func aLargeAnswerArrivesWholeAtASlowReader() throws {
        let body = [UInt8](repeating: 0x61, count: 5_999_999) + [0x62]
        let peer = try RawPeer(port: server.server.port, receiveBuffer: 4096)
        peer.write("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        let (id, _) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 200, body: body))
        let header = try peer.readHeader()

        #expect(header.contains("content-length: 6000000\r\n"))
        #expect(try peer.readAll() == String(decoding: body, as: UTF8.self))
    }

    @Test
    func aHeaderCannotStartAnother() throws {
        let peer = try peer("GET / HTTP/1.1", "Host: a", "Connection: close", "", "")

        let (id, _) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 302, headers: [("location", "/x\r\nset-cookie: a=b")]))

        #expect(!(try peer.readAll()).contains("cookie"))
    }
}
