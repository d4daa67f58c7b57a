import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct StopTests {
    /// Counts itself away: a handler that captures one shows when the transport has let it go.
    private final class Canary: Sendable {
        let released: Recorder<String>
        init(_ released: Recorder<String>) { self.released = released }
        deinit { released.record("released") }
        func touch() {}
    }

    private func server(
        _ canary: Canary, _ configure: (inout WebSocketServerConfiguration) -> Void = { _ in }
    ) throws -> WebSocketServer {
        var configuration = WebSocketServerConfiguration()
        configure(&configuration)
        return try WebSocketServer(configuration: configuration) { _ in canary.touch() }
    }

    @Test
    func stoppingReleasesTheHandlerOnce() throws {
        let released = Recorder<String>()
        let server = try server(Canary(released)) { $0.loops = 2 }

        server.stop(grace: 1)
        server.stop(grace: 1)

        #expect(released.remaining == ["released"])
        server.append(Frame("x"), to: TopicID(1), revision: 1, onLoop: 0)  // does nothing, harmlessly
    }

    @Test
    func forgettingAServerStopsIt() throws {
        let released = Recorder<String>()
        var server: WebSocketServer? = try server(Canary(released))
        let port = try #require(server?.port)

        server = nil

        try released.wait { $0 == "released" ? true : nil }
        #expect(throws: RawPeer.Failure.self) { try RawPeer(port: port) }
    }

    @Test
    func failingToStartReleasesTheHandlerOnceAndSaysWhy() throws {
        let released = Recorder<String>()
        let first = try TestServer()

        #expect(throws: TransportError.portInUse(host: "127.0.0.1", port: first.server.port)) {
            try self.server(Canary(released)) { $0.port = first.server.port }
        }
        #expect(throws: TransportError.badAddress("203.0.113.1")) {
            try self.server(Canary(released)) { $0.host = "203.0.113.1" }
        }
        #expect(throws: TransportError.badAddress("no such host.invalid")) {
            try self.server(Canary(released)) { $0.host = "no such host.invalid" }
        }
        #expect(released.remaining == ["released", "released", "released"])
        #expect(try first.answers())
    }

    @Test
    func everybodyIsToldThatTheServerGoesAway() throws {
        let server = try TestServer { $0.loops = 2 }
        let peers = try (0..<6).map { _ in try server.rawPeer() }

        let stopper = Thread { server.server.stop(grace: 10) }
        stopper.start()

        for (peer, connection) in peers {
            #expect(try peer.closeFrame() == .close(1001, "going away"))
            #expect(try server.closed(connection) == 1001)
        }
    }

    @Test
    func aPeerThatDoesNotAnswerCannotHoldUpTheStop() throws {
        let server = try TestServer { $0.closeSeconds = 600 }
        let (peer, connection) = try server.rawPeer()

        let start = ContinuousClock.now
        server.server.stop(grace: 0.3)

        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(try server.closed(connection) == 1001)
        #expect(try peer.closeCode() == 1001)
    }

    @Test
    func aSlowReaderOfAnAnswerCannotHoldUpTheStop() throws {
        let server = try TestServer()
        let peer = try RawPeer(port: server.server.port, receiveBuffer: 4096)
        peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let (id, _) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 8 << 20)))
        while server.server.statistics.bytesOut == 0 { sched_yield() }

        let start = ContinuousClock.now
        server.server.stop(grace: 0.3)

        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 200 "))
    }

    @Test
    func acceptingCanStopWhileConnectionsStay() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        server.server.stopAccepting()
        while (try? RawPeer(port: server.server.port)) != nil { sched_yield() }
        peer.send("still here")

        #expect(try server.received(on: connection) == Array("still here".utf8))
    }

    @Test
    func thePortIsFreeAgainAtOnce() throws {
        let first = try TestServer()
        let (peer, _) = try first.rawPeer()
        let port = first.server.port
        first.server.stop(grace: 1)

        let second = try TestServer { $0.port = port }

        #expect(second.server.port == port)
        #expect(try peer.closeCode() == 1001)
    }

    @Test
    func signalsStayAsTheyWere() throws {
        func handlers() -> [UInt] {
            [SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGFPE].map { number in
                var action = sigaction()
                sigaction(number, nil, &action)
                return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
            }
        }
        let before = handlers()

        let server = try TestServer()
        let client = try TestClient()
        _ = try client.open(server)

        #expect(handlers() == before)
    }

    @Test
    func nobodyElseLosesADescriptor() throws {
        // libwebsockets closes one of its descriptors twice; whoever got the number in between lost a file.
        let running = Atomic(true)
        let lost = Atomic(0)
        let openers = (0..<2).map { _ in
            Thread {
                // Many, so that the next number to be given is always near.
                while running.load(ordering: .relaxed) {
                    let files = (0..<8).map { _ in open("/dev/null", O_RDONLY) }
                    sched_yield()
                    for file in files where close(file) != 0 { lost.add(1, ordering: .relaxed) }
                }
            }
        }
        for opener in openers { opener.start() }

        for _ in 0..<150 {
            try TestServer { $0.loops = 2 }.server.stop(grace: 0)
        }
        running.store(false, ordering: .relaxed)

        #expect(lost.load(ordering: .relaxed) == 0)
    }
}
