import Foundation
import TestSupport
import Testing
import WebSocketTransport

/// Connections that carry several requests, plain and with TLS.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct KeepAliveTests {
    private func get(_ path: String, _ more: String...) -> String {
        (["GET \(path) HTTP/1.1", "Host: a"] + more + ["", ""]).joined(separator: "\r\n")
    }

    private func answer(_ server: TestServer, _ body: String) throws -> HTTPRequest {
        let (id, request) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 200, body: Array(body.utf8)))
        return request
    }

    @Test(arguments: Wire.allCases)
    func aConnectionCarriesRequestAfterRequest(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire)
        for number in 0..<20 {
            peer.write(
                number % 3 == 0
                    ? "POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}" : get("/\(number)"))

            let request = try answer(server, "\(number)")
            let header = try peer.readHeader()

            #expect(request.path == "/\(number)" && request.body.count == (number % 3 == 0 ? 2 : 0))
            #expect(header.contains("connection: keep-alive\r\nkeep-alive: timeout="))
            #expect(try peer.read("\(number)".utf8.count) == Array("\(number)".utf8))
        }
        #expect(server.server.statistics.accepted == 1)
        #expect(server.server.statistics.requests == 20)
    }

    @Test(arguments: Wire.allCases)
    func requestsThatAreSentTogetherAreAnsweredInTheirOrder(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire)

        let post = "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody\r\n"  // and an empty line after it
        peer.write(get("/1") + post + get("/3") + get("/4", "Connection: close") + get("/5"))
        let requests = try (1...4).map { try answer(server, "\($0)") }

        #expect(requests.map(\.path) == ["/1", "/2", "/3", "/4"])
        #expect(requests[1].body == Array("body".utf8))
        let answers = try peer.readAll().components(separatedBy: "HTTP/1.1 200 OK").dropFirst().map { $0.suffix(1) }
        #expect(answers == ["1", "2", "3", "4"])
        #expect(server.server.statistics.requests == 4)
    }

    @Test(arguments: Wire.allCases)
    func aRequestMayComeByteByByteAfterAnother(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire)
        peer.write(get("/1"))
        _ = try answer(server, "")
        _ = try peer.readHeader()

        for byte in get("/2").utf8 { peer.write([byte]) }

        #expect(try answer(server, "").path == "/2")
        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: Wire.allCases)
    func aKeptConnectionMayBecomeAWebSocket(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire)
        peer.write(get("/1"))
        _ = try answer(server, "")
        _ = try peer.readHeader()

        #expect(try peer.open().hasPrefix("HTTP/1.1 101 "))
        let connection = try server.opened()
        peer.send("after a request")

        #expect(try server.received(on: connection) == Array("after a request".utf8))
    }

    @Test(arguments: Wire.allCases)
    func anAnswerThatComesTooLateReachesNoOtherRequest(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire)
        peer.write(get("/1"))
        let (first, _) = try server.request()
        server.server.respond(to: first, HTTPResponse(status: 200, body: Array("one".utf8)))
        _ = try peer.readHeader()
        _ = try peer.read(3)
        peer.write(get("/2", "Connection: close"))
        let (second, _) = try server.request()

        server.server.respond(to: first, HTTPResponse(status: 200, body: Array("of one".utf8)))
        server.server.respond(to: second, HTTPResponse(status: 200, body: Array("two".utf8)))

        #expect(first != second)
        #expect(try peer.readAll().hasSuffix("\r\n\r\ntwo"))
    }

    @Test(arguments: Wire.allCases)
    func anIdleConnectionEndsAfterTheTimeForAHeader(wire: Wire) throws {
        let server = try serve(wire) { $0.headerSeconds = 0.3 }
        let peer = try connect(server, wire)
        peer.write(get("/1"))
        _ = try answer(server, "")
        _ = try peer.readHeader()

        #expect(try peer.readAll() == "")
        server.isEmpty()
    }

    @Test(arguments: Wire.allCases)
    func aPeerThatHasEndedItsSideGetsItsAnswer(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire)
        peer.write(get("/1"))
        peer.finish()
        _ = try answer(server, "the answer")

        #expect(try peer.readAll().hasSuffix("the answer"))
    }

    @Test(arguments: Wire.allCases)
    func aLargeAnswerPrecedesTheNextOneAtASlowReader(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire, receiveBuffer: 4096)
        let body = [UInt8](repeating: 0x61, count: 3_000_000)
        peer.write(get("/1") + get("/2", "Connection: close"))

        server.server.respond(to: try server.request().0, HTTPResponse(status: 200, body: body))
        _ = try peer.readHeader()

        #expect(try peer.read(body.count) == body)
        _ = try answer(server, "next")
        #expect(try peer.readAll().hasSuffix("\r\n\r\nnext"))
    }

    @Test(arguments: Wire.allCases)
    func aBodyIsAskedForOnceItIsExpected(wire: Wire) throws {
        let server = try serve(wire) { $0.maxBodyBytes = 100 }
        let peer = try connect(server, wire)
        let header = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "

        peer.write(header + "4\r\n\r\n")
        let goOn = try peer.readHeader()
        peer.write("body")
        let request = try answer(server, "")
        _ = try peer.readHeader()
        peer.write(header + "101\r\n\r\n")

        #expect(goOn == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(request.body == Array("body".utf8))
        #expect(try peer.readAll().hasPrefix("HTTP/1.1 413 "))
    }

    /// The session ticket fills the output when the request is read.
    @Test func aBodyIsAskedForWhenTheRequestComesWithTheEndOfTheHandshake() throws {
        let server = try serve(.tls) { $0.maxBodyBytes = 100 }
        let peer = try RawPeer(port: server.server.port)
        cork(peer, 1)
        try peer.startTLS()

        peer.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        cork(peer, 0)

        #expect(try peer.readHeader() == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    /// Lets the kernel keep what it gets until the peer is uncorked: it leaves as one segment.
    private func cork(_ peer: RawPeer, _ isOn: Int32) {
        var isOn = isOn
        setsockopt(peer.socket, Int32(IPPROTO_TCP), TCP_CORK, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    @Test(arguments: [
        ("HTTP/1.0", [], false), ("HTTP/1.0", ["Connection: Keep-Alive"], true),
        ("HTTP/1.1", ["Connection: close"], false), ("HTTP/1.1", ["Connection: Upgrade, CLOSE"], false),
        ("HTTP/1.1", ["Connection: TE", "Connection: close"], false), ("HTTP/1.1", [], true),
    ])
    func theClientDecidesWhetherAConnectionStays(version: String, more: [String], stays: Bool) throws {
        let server = try serve(.plain)
        let peer = try connect(server, .plain)
        peer.write((["GET / \(version)", "Host: a"] + more + ["", ""]).joined(separator: "\r\n"))
        _ = try answer(server, "")

        #expect(try peer.readHeader().contains(stays ? "connection: keep-alive\r\n" : "connection: close\r\n"))
    }

    @Test
    func aServerWithFewPlacesLeftKeepsNoConnection() throws {
        let server = try serve(.plain) { $0.maxConnections = 4 }
        let idle = try (0..<3).map { _ in try connect(server, .plain) }
        let peer = try connect(server, .plain)
        peer.write(get("/"))
        _ = try answer(server, "")

        #expect(try peer.readAll().contains("connection: close\r\n"))
        _ = idle
    }

    @Test
    func furtherRequestsCountAgainstTheRateOfTheirAddress() throws {
        let server = try serve(.plain) {
            $0.handshakesPerSecond = 1
            $0.limitsLoopback = true
        }
        let peer = try connect(server, .plain)
        peer.write(String(repeating: get("/"), count: 50))
        let answered = try (0..<5).map { _ in try answer(server, "") }

        #expect(answered.count == 5)
        let answers = try peer.readAll().components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
        #expect(answers.dropFirst(5).contains("429"))
        #expect(answers.count < 10)
    }

    @Test
    func eachRequestOfAProxyHasItsOwnClient() throws {
        let server = try serve(.plain) { $0.trustedProxies = ["127.0.0.1"] }
        let peer = try connect(server, .plain)
        let clients = ["203.0.113.7", "203.0.113.8", nil, "203.0.113.7"]
        let addresses = try clients.map { client in
            peer.write(client.map { get("/", "X-Forwarded-For: \($0)") } ?? get("/"))
            let address = try answer(server, "").address
            _ = try peer.readHeader()
            return address
        }

        #expect(addresses == ["203.0.113.7", "203.0.113.8", "127.0.0.1", "203.0.113.7"])
    }

    @Test(arguments: [
        ("http://a/x?b=1", "a", "/x", "b=1"), ("HTTPS://A/x", "a", "/x", nil), ("http://a", "a", "/", nil),
        ("http://a?b", "a", "/", "b"), ("http://a:80/", "a:80", "/", nil),
    ])
    func anAddressIsATargetToo(target: String, host: String, path: String, query: String?) throws {
        let server = try serve(.plain)
        let peer = try connect(server, .plain)
        peer.write("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")

        let request = try answer(server, "")

        #expect(request.path == path && request.query == query)
    }

    @Test(arguments: [
        "GET http://b/ HTTP/1.1", "GET http://u@a/ HTTP/1.1", "GET http:/// HTTP/1.1", "GET ftp://a/ HTTP/1.1",
        "GET * HTTP/1.1", "OPTIONS *x HTTP/1.1", "GET a/ HTTP/1.1",
    ])
    func anAddressThatIsNoneOfThisServerIsRefused(line: String) throws {
        let server = try serve(.plain)
        let peer = try connect(server, .plain)
        peer.write("\(line)\r\nHost: a\r\n\r\n")

        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 400 "))
        #expect(try server.answers())
    }
}
