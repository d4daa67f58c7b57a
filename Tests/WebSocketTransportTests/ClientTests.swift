import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ClientTests {
    private func url(_ port: UInt16, _ path: String = "/ws") -> WebSocketURL {
        WebSocketURL(host: "127.0.0.1", port: port, path: path)
    }

    @Test
    func aRefusedConnectionSaysSo() throws {
        let client = try TestClient()
        let server = try TestServer()
        let port = server.server.port
        server.server.stop(grace: 1)

        let connection = client.client.connect(to: url(port))

        #expect(try client.failed(connection) == "Connection refused")
    }

    @Test(arguments: [
        ("200 OK", "is the address right?"), ("400 Bad Request", "wss://"), ("401 Unauthorized", "a password"),
        ("403 Forbidden", "localhost"), ("404 Not Found", "/ws"), ("426 Upgrade Required", "another client"),
        ("429 Too Many Requests", "too many connections"), ("431 Request Header Fields Too Large", "too long"),
        ("500 Internal Server Error", "failed"), ("502 Bad Gateway", "is that running?"),
        ("503 Service Unavailable", "full, or about to end"), ("418 I'm a teapot", "is the address right?"),
    ])
    func anHTTPAnswerIsAFailureWithItsStatusAndMeaning(line: String, meaning: String) throws {
        let (client, server) = (try TestClient(), try MuteServer())

        let connection = client.client.connect(to: url(server.port))
        server.answer("HTTP/1.1 \(line)", "content-length: 0")

        let why = try client.failed(connection)
        #expect(why.contains(meaning) && why.hasSuffix("(HTTP status \(line.prefix(3)))"), "\(why)")
    }

    @Test
    func aServerThatHasEnoughOfThisMachineSaysSo() throws {
        let server = try TestServer { ($0.limitsLoopback, $0.maxConnectionsPerAddress) = (true, 1) }
        let client = try TestClient()
        _ = try client.open(server)

        let why = try client.failed(client.client.connect(to: server.url))

        #expect(why.contains("too many connections") && why.contains("429"), "\(why)")
    }

    @Test
    func aServerThatSaysNothingIsGivenUp() throws {
        var configuration = WebSocketClient.Configuration()
        configuration.connectSeconds = 0.2
        let (client, server) = (try TestClient(configuration), try MuteServer())

        let connection = client.client.connect(to: url(server.port))

        #expect(try client.failed(connection) == "what listens there does not answer: is it a chat server?")
    }

    @Test
    func aServerThatSpeaksAnotherProtocolIsGivenUp() throws {
        var configuration = WebSocketClient.Configuration()
        configuration.connectSeconds = 1
        let (client, server) = (try TestClient(configuration), try MuteServer())

        let connection = client.client.connect(to: url(server.port))
        server.greet("SSH-2.0-OpenSSH_9.2p1\r\n")

        #expect(try client.failed(connection).contains("is it a chat server?"))
    }

    @Test
    func aServerThatHangsUpInsteadOfAnsweringSaysSo() throws {
        let (client, server) = (try TestClient(), try MuteServer())

        let connection = client.client.connect(to: url(server.port))
        server.hangUp()

        #expect(try client.failed(connection).hasPrefix("the server ends the connection without an answer"))
    }

    @Test
    func aNameThatDoesNotResolveIsAFailure() throws {
        let client = try TestClient()

        let connection = client.client.connect(to: WebSocketURL(host: "nowhere.invalid", port: 1))

        #expect(try client.failed(connection) == "there is no such address: is its name right?")
    }

    @Test
    func theSubprotocolIsAskedFor() throws {
        let (client, server) = (try TestClient(), try TestServer())

        _ = client.client.connect(to: server.url)

        #expect(try server.openedPeer().1.subprotocol == "diffroom.v1.json")
    }

    @Test
    func aSourceAddressIsUsed() throws {
        let (client, server) = (try TestClient(), try TestServer())

        _ = client.client.connect(to: server.url, from: "127.0.0.77")

        #expect(try server.openedPeer().1.address == "127.0.0.77")
    }

    @Test
    func aPausedConnectionTakesNothingUntilItIsResumed() throws {
        let server = try TestServer { $0.logBytesPerTopic = 100_000 }
        let client = try TestClient()
        let (here, there) = try client.open(server)
        server.server.attach(there, to: TopicID(1), at: 0, sending: nil)
        client.client.pauseReading(here)

        var number: UInt64 = 0
        while server.server.statistics.behind == 0 {
            number += 1
            let text = "\(number) " + String(repeating: "x", count: 20_000)
            server.server.append(Frame(text), to: TopicID(1), revision: number, onLoop: 0)
        }
        client.client.resumeReading(here)
        let (topic, held) = try server.behind(there)

        #expect(topic == TopicID(1))
        for expected in 1...held {
            let message = String(decoding: try client.received(on: here).prefix { $0 != 0x20 }, as: UTF8.self)
            #expect(message == "\(expected)")
        }
    }

    @Test
    func tooMuchUnsentClosesTheConnection() throws {
        var configuration = WebSocketClient.Configuration()
        configuration.maxQueuedBytes = 50_000
        configuration.closeSeconds = 0.1
        let (client, mute, real) = (try TestClient(configuration), try MuteServer(), try TestServer())
        let connection = client.client.connect(to: url(mute.port))
        try mute.relayHandshake(to: real.server.port)
        try client.events.wait { if case .opened(connection) = $0 { true } else { nil } }

        for _ in 0..<2000 { client.client.send([UInt8](repeating: 0x61, count: 10_000), on: connection) }

        #expect(try client.closed(connection).code == 4002)
    }

    @Test
    func aMessageOverTheLimitClosesTheConnection() throws {
        var configuration = WebSocketClient.Configuration()
        configuration.maxMessageBytes = 5000
        let (client, server) = (try TestClient(configuration), try TestServer())
        let (here, there) = try client.open(server)

        server.server.send(Frame(String(repeating: "x", count: 5000)), to: there)
        #expect(try client.received(on: here).count == 5000)
        server.server.send(Frame(String(repeating: "x", count: 5001)), to: there)

        #expect(try client.closed(here).code == 1009)
        #expect(try server.closed(there) == 1009)
    }

    @Test
    func stoppingEndsEveryConnectionAndReleasesTheHandler() throws {
        final class Canary: Sendable {
            let events: Recorder<String>
            init(_ events: Recorder<String>) { self.events = events }
            deinit { events.record("released") }
        }
        let (server, events) = (try TestServer(), Recorder<String>())
        var canary: Canary? = Canary(events)
        let client = try WebSocketClient { [canary] event in
            switch event {
            case .opened: canary?.events.record("opened")
            case .closed(_, let code, _): canary?.events.record("closed \(code)")
            case .received, .failed: break
            }
        }
        canary = nil
        _ = client.connect(to: server.url)
        let there = try server.opened()
        try events.wait { $0 == "opened" ? true : nil }

        client.stop()

        #expect(events.remaining == ["closed 1006", "released"])
        #expect(try server.closed(there) == 1006)
        client.send([0x61], on: client.connect(to: server.url))  // does nothing, harmlessly
    }

    @Test
    func aServersCloseCodesArrive() throws {
        let (client, server) = (try TestClient(), try TestServer())
        for code: UInt16 in [1000, 1001, 1008, 1011, 4000, 4499, 4999] {
            let (here, there) = try client.open(server)
            server.server.close(there, code: code, reason: "why")
            #expect(try client.closed(here) == (code, "why"))
        }
    }
}
