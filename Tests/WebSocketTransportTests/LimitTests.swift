import Glibc
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct LimitTests {
    @Test
    func whoIsOverTheLimitIsRefusedUntilSomebodyLeaves() throws {
        let server = try TestServer { $0.maxConnections = 2 }
        let (first, connection) = try server.rawPeer()
        let (second, _) = try server.rawPeer()

        let third = try RawPeer(port: server.server.port)
        #expect(try third.readAll().hasPrefix("HTTP/1.1 503 "))
        #expect(server.server.statistics.refused[.full] == 1)
        first.send(0x88, [])
        _ = try first.readAll()
        _ = try server.closed(connection)
        while server.server.statistics.openNow > 1 { sched_yield() }

        #expect(try server.answers())
        _ = second
    }

    /// Sends an HTTP request; the application answers 200 when it receives it.
    private func ask(_ server: TestServer, _ path: String, method: String = "GET") throws -> String {
        let peer = try RawPeer(port: server.server.port)
        if server.url.isSecure { try peer.startTLS() }
        peer.write("\(method) \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        if path == "/healthz", method != "POST" {
            server.server.respond(to: try server.request().0, HTTPResponse(status: 200, body: []))
        }
        return String(try peer.readAll().dropFirst(9).prefix(3))
    }

    @Test(arguments: [false, true])
    func aFullServerStillSaysHowItIsAndNothingElse(isSecure: Bool) throws {
        let authority = try TestAuthority()
        defer { withExtendedLifetime(authority) {} }  // its files go with it
        let certificate = isSecure ? try authority.certificate("server") : nil
        let server = try TestServer {
            $0.certificate = certificate
            $0.maxConnections = 1
            $0.vitalPaths = ["/healthz"]
            $0.loops = 2
        }
        let (only, connection) = try server.rawPeer()

        #expect(try ask(server, "/healthz") == "200")
        #expect(try ask(server, "/healthz", method: "HEAD") == "200")
        #expect(try ask(server, "/") == "503")
        #expect(try ask(server, "/healthz", method: "POST") == "503")
        #expect(throws: RawPeer.Failure.self) { try server.rawPeer() }
        #expect(server.server.statistics.refused[.full] == 3)
        only.send("still here")
        #expect(try server.received(on: connection) == Array("still here".utf8))
    }

    @Test
    func nobodyTakesThePlacesForGoodFromWhichAFullServerSaysHowItIs() throws {
        let server = try TestServer {
            $0.maxConnections = 1
            $0.vitalPaths = ["/healthz"]
        }
        let (only, connection) = try server.rawPeer()
        let silent = try (0..<40).map { _ in try RawPeer(port: server.server.port) }
        let greedy = try (0..<40).map { _ in
            let peer = try RawPeer(port: server.server.port, receiveBuffer: 4_096)
            peer.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            let (id, _) = try server.request()
            server.server.respond(to: id, HTTPResponse(status: 200, body: [UInt8](repeating: 0, count: 8 << 20)))
            return peer
        }

        #expect(try ask(server, "/healthz") == "200")
        #expect(server.server.statistics.openNow <= 1 + 16)
        only.send(0x88, [])
        _ = try server.closed(connection)
        while server.server.statistics.openNow > 16 { sched_yield() }
        #expect(try server.answers(), "they take nobody else's place")
        _ = (silent, greedy)
    }

    @Test
    func anAddressMayHaveALimitOfItsOwn() throws {
        let server = try TestServer {
            $0.maxConnectionsPerAddress = 1
            $0.loops = 2
        }
        let client = try TestClient()
        let (here, _) = try client.open(server)

        let refused = client.client.connect(to: server.url)
        _ = try client.failed(refused)
        let other = client.client.connect(to: server.url, from: "127.0.0.2")
        try client.events.wait { if case .opened(other) = $0 { true } else { nil } }

        #expect(server.server.statistics.refused[.address] == 1)
        #expect(here != other)
    }

    @Test
    func anAddressMayComeOnlySoFast() throws {
        let server = try TestServer { $0.handshakesPerSecond = 1 }

        let answers = try (0..<8).map { _ in
            let peer = try RawPeer(port: server.server.port)
            return String(try peer.open().dropFirst(9).prefix(3))
        }
        let other = try RawPeer(port: server.server.port, from: "127.0.0.2")

        #expect(answers.prefix(5) == ["101", "101", "101", "101", "101"])  // five seconds' worth
        #expect(answers.last == "429" || answers.contains("429"))
        #expect(try #require(server.server.statistics.refused[.rate]) >= 1)
        #expect(try other.open().contains(" 101 "))
    }

    @Test
    func thisMachineHasNoLimitIfThatIsSaid() throws {
        let server = try TestServer {
            $0.maxConnectionsPerAddress = 1
            $0.handshakesPerSecond = 1
            $0.limitsLoopback = false
        }

        let peers = try (0..<10).map { _ in try server.rawPeer() }

        #expect(peers.count == 10)
    }

    /// The lines of a good handshake and more, for a header of `size` bytes.
    private func headers(size: Int) -> [String] {
        let given = (["GET /ws HTTP/1.1"] + RawPeer.upgrade).reduce(2) { $0 + $1.utf8.count + 2 }
        return RawPeer.upgrade + ["Cookie: " + String(repeating: "c", count: size - given - 10)]
    }

    @Test
    func aHeaderMayHave16384Bytes() throws {
        let server = try TestServer()
        let fine = try RawPeer(port: server.server.port)
        let large = try RawPeer(port: server.server.port)

        #expect(try fine.open(headers: headers(size: 16_384)).hasPrefix("HTTP/1.1 101 "))
        #expect(try large.open(headers: headers(size: 16_385)).hasPrefix("HTTP/1.1 431 "))
        #expect(server.server.statistics.refused[.handshake] == 1)
    }

    @Test(arguments: ["Cookie: a", "unknown: a"])
    func aHeaderMayHave80LinesAndArguments(line: String) throws {
        let server = try TestServer()
        let fine = try RawPeer(port: server.server.port)
        let large = try RawPeer(port: server.server.port)
        let path = "/ws?" + (0..<20).map { "k\($0)=v" }.joined(separator: "&")
        let lines = RawPeer.upgrade + [String](repeating: line, count: 80 - 19 - 2 - RawPeer.upgrade.count)

        #expect(try fine.open(path, headers: lines).hasPrefix("HTTP/1.1 101 "))
        #expect(try large.open(path, headers: lines + [line]).hasPrefix("HTTP/1.1 431 "))
        #expect(server.server.statistics.refused[.handshake] == 1)
    }

    @Test
    func manyLinesThatLibwebsocketsDoesNotKnowHaveRoom() throws {
        // It keeps eight bytes for each beyond its own length.
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)
        let lines = (0..<70).map { "unknown-\($0): " + String(repeating: "x", count: 210) }

        #expect(try peer.open(headers: RawPeer.upgrade + lines).hasPrefix("HTTP/1.1 101 "))
    }

    @Test
    func aMonstrousHeaderIsRefusedBeforeItEnds() throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port)

        peer.write("GET /ws HTTP/1.1\r\nCookie: " + String(repeating: "c", count: 40_000))
        let answer = try peer.readAll()

        #expect(answer.hasPrefix("HTTP/1.1 431 "))
        #expect(answer.hasSuffix("The header of a request may have 16 KB and 80 lines.\n"))
        #expect(try server.answers())
    }

    @Test
    func complaintsAreFewAndPrintable() throws {
        let server = try TestServer()
        for _ in 0..<100 {
            let peer = try RawPeer(port: server.server.port)
            try peer.open()
            peer.write([0x89, 0xFE, 0x1B, 0x5B, 1, 2, 3, 4])  // a control frame with an impossible length
            _ = try peer.readAll()
        }

        let lines = server.events.remaining.compactMap { if case .log(let line) = $0 { line } else { nil } }
        #expect(!lines.isEmpty)
        #expect(lines.count <= 20)
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } })
    }

    @Test
    func manyThreadsMayCallAtOnce() async throws {
        let server = try TestServer { $0.loops = 2 }
        let client = try TestClient()
        let readers = try (0..<4).map { _ in try client.open(server) }
        for reader in readers { server.server.attach(reader.there, to: TopicID(1), at: 0, sending: nil) }

        await withTaskGroup { group in
            for task in 0..<8 as Range<UInt64> {
                group.addTask {
                    for number in 0..<40 as Range<UInt64> {
                        let frame = Frame("\(task) \(number)")
                        for loop in 0..<2 {
                            server.server.append(frame, to: TopicID(1), revision: number, onLoop: loop)
                        }
                        _ = server.server.statistics
                    }
                }
            }
        }

        for reader in readers {
            var next = [Int](repeating: 0, count: 8)
            for _ in 0..<320 {
                let words = String(decoding: try client.received(on: reader.here), as: UTF8.self).split(separator: " ")
                let (task, number) = (Int(words[0])!, Int(words[1])!)
                #expect(number == next[task])  // each thread's frames keep their order
                next[task] += 1
            }
        }
    }

    @Test
    func aCallFromAnotherThreadWakesTheLoop() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        let start = ContinuousClock.now
        for number in 0..<500 {
            server.server.send(Frame("\(number)"), to: connection)
            #expect(try peer.next() == .text("\(number)"))
        }

        #expect(ContinuousClock.now - start < .seconds(10))  // by itself it looks some twenty times a second
    }

    @Test
    func thousandsOfIdleConnectionsDoNotSlowDownOne() throws {
        // With libwebsockets' own poll() loop a round trip costs a walk over all of them, with its own timers a
        // connection does.
        let server = try TestServer { $0.loops = 2 }
        let client = try TestClient()
        let count = 1500
        for _ in 0..<count { _ = client.client.connect(to: server.url) }
        for _ in 0..<count { _ = try server.opened() }
        let (peer, connection) = try server.rawPeer()

        for _ in 0..<500 {
            peer.send("ping")
            server.server.send(Frame(text: try server.received(on: connection)), to: connection)
            _ = try peer.next()
        }

        #expect(server.server.statistics.openNow == count + 1)
    }
}
