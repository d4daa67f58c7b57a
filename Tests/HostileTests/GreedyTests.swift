import Foundation
import TestSupport
import Testing

/// Clients that ask for much, on many connections, and read nothing of it.
@Suite(.serialized, .timeLimit(.minutes(Deadline.minutes)))
struct GreedyTests {
    private static let budget = 48 << 20
    private static let rows = 250

    /// A server whose lobby is 250 rows of 8 kB, so that a subscribe costs 2 MB.
    private func server() async throws -> HostileServer {
        let server = try await HostileServer(
            .plain, flags: ["--memory-budget", "48M", "--send-rate", "0", "--command-rate", "0", "--max-per-user", "0"])
        let writer = try server.member()
        let text = String(repeating: "x", count: 8_000)
        for _ in 0..<Self.rows {
            writer.send(#"{"type":"send","ref":2,"room":"lobby","id":"\#(UUID())","text":"\#(text)"}"#)
            guard try writer.next()?.text.contains("\"ok\"") == true else { throw Unanswered() }
        }
        return server
    }

    private struct Unanswered: Error {}

    /// A client that reads sends a message and gets an answer.
    private func say(_ peer: RawPeer) throws {
        peer.send(#"{"type":"send","ref":3,"room":"quiet","id":"\#(UUID())","text":"hello"}"#)
        guard try peer.next()?.text.contains("\"ok\"") == true else { throw Unanswered() }
    }

    @Test
    func aThousandOfThemTakeNoMoreThanTheBudget() async throws {
        let server = try await server()
        let ann = try server.member("ann")
        var most = 0

        var greedy: [RawPeer] = []
        for number in 0..<1_000 {
            let peer = try server.member("greedy", receiveBuffer: 4_096)
            for ref in 2...4 {
                peer.send(#"{"type":"subscribe","ref":\#(ref),"list":"room/lobby/messages","limit":250}"#)
            }
            if number % 50 == 0 {
                peer.send(#"{"type":"page","ref":5,"list":"room/lobby/messages","before":9999,"limit":250}"#)
            }
            greedy.append(peer)
            if number % 5 == 0 { try say(ann) }
            most = max(most, server.growth)
        }
        for _ in 0..<100 { try say(ann) }
        most = max(most, server.growth)

        let shed = try HTTPAnswer(getting: "/metrics", from: server.port).body
            .split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .first { $0.contains("{limit=\"memory_budget\"}") }
        #expect(most < 2 * Self.budget, "\(most >> 20) MB more than at first")
        #expect(shed?.hasSuffix("} 0") == false, "it was never used up: \(shed ?? "")")
        withExtendedLifetime(greedy) {}
    }
}
