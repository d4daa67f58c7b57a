import Foundation
import TestSupport
import Testing

/// Clients that make the server produce as much as the protocol allows, in every form that it has, and read nothing.
///
/// The memory of the process is measured at its highest, so that nothing escapes between two looks.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct GreedyFormsTests {
    private static let budget = 64 << 20
    /// The memory beyond the budget: what is being made at one time, and what the allocator keeps.
    private static let constant = 64 << 20
    private static let rows = 500
    private static let users = 10

    /// A server whose lobby has 4 MB to read, and where a greedy user is mentioned in each row.
    private func server(_ speech: HostileServer.Speech = .plain) async throws -> HostileServer {
        let server = try await HostileServer(speech, flags: ["--memory-budget", "64M", "--send-rate", "0"])
        let writers = try (0..<8).map { try server.member("writer-\($0)") }
        let text = String(repeating: "x", count: 8_000)
        for number in 0..<Self.rows {
            let writer = writers[number % 8]
            writer.send(#"{"type":"send","ref":2,"room":"lobby","id":"\#(UUID())","text":"\#(text)"}"#)
            guard try writer.next()?.text.contains("\"ok\"") == true else {
                throw HostileServer.Failure(description: "a message was refused")
            }
        }
        return server
    }

    /// Opens connections of ten users, which send frames and read nothing.
    ///
    /// - Returns: the connections.
    private func attack(
        _ server: HostileServer, _ count: Int, _ frames: (_ connection: Int) -> [String]
    ) throws -> [RawPeer] {
        try (0..<count).map { number in
            let peer = try server.member("greedy-\(number % Self.users)", receiveBuffer: 4_096)
            peer.write(frames(number).flatMap { RawPeer.frame(0x81, Array($0.utf8)) })
            return peer
        }
    }

    /// Waits until the server has come to all that was asked of it before.
    private func drain(_ server: HostileServer) throws {
        for _ in 0..<20 { _ = try server.join() }
    }

    private func check(_ server: HostileServer, _ form: String) {
        let peak = server.peakGrowth
        #expect(peak <= Self.budget + Self.constant, "\(form): \(peak >> 20) MB more than at first")
    }

    @Test
    func pipelinedSubscribesOfDifferentLimitsTakeNoMoreThanTheBudget() async throws {
        let server = try await server()

        let greedy = try attack(server, 4) { _ in
            (0..<256).map { #"{"type":"subscribe","ref":\#($0),"list":"room/lobby/messages","limit":\#(500 - $0)}"# }
        }
        #expect(throws: Never.self, "nobody else is served") { try drain(server) }

        check(server, "subscribes")
        withExtendedLifetime(greedy) {}
    }
}
