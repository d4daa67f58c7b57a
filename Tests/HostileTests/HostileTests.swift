import TestSupport
import Testing

/// Attacks on `diffroomd`: each gets its expected result, the next client is served as usual, and no resources are
/// lost.
@Suite(.serialized, .timeLimit(.minutes(Deadline.minutes)))
struct HostileTests {
    /// One server for each transport, so that one case's remains cannot affect another transport.
    private static let servers = Task {
        [HostileServer.Speech.plain: try await HostileServer(.plain), .tls: try await HostileServer(.tls)]
    }

    private static let forBoth =
        HostileCase.requests + HostileCase.handshakes + HostileCase.frames + HostileCase.floods
        + HostileCase.commands

    @Test(arguments: forBoth)
    func onPlainSockets(hostile: HostileCase) async throws {
        try await play(hostile, .plain)
    }

    @Test(arguments: forBoth + HostileCase.tls)
    func underTLS(hostile: HostileCase) async throws {
        try await play(hostile, .tls)
    }

    @Test(arguments: HostileServer.Speech.allCases)
    func aFullServerStillSaysHowItIs(speech: HostileServer.Speech) async throws {
        let server = try await HostileServer(speech, flags: ["--max-connections", "8"])
        let members = try (0..<8).map { _ in try server.open() }

        for path in ["/healthz", "/readyz", "/metrics"] {
            let peer = try server.peer()
            peer.write("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try peer.status() == "200", "\(path)")
        }
        let peer = try server.peer()
        peer.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try peer.status() == "503")
        #expect(throws: HostileServer.Failure.self) { try server.open() }
        _ = members
    }

    private func play(_ hostile: HostileCase, _ speech: HostileServer.Speech) async throws {
        let server = try #require(try await Self.servers.value[speech])

        let outcome = try hostile.play(server)

        #expect(outcome == hostile.outcome)
        #expect(try server.join() < .seconds(10))
        #expect(server.isRid(within: Double(Deadline.eventSeconds)), "descriptors stay open")
        #expect(server.growth < 256 << 20, "memory stays taken")
    }
}
