import Foundation
import TestSupport
import Testing

@testable import ChatWire

/// Clients that make the server produce as much as the protocol allows, in every form that it has, and read nothing.
///
/// The memory of the process is measured at its highest, so that nothing escapes between two looks.
@Suite(.serialized, .timeLimit(.minutes(Deadline.minutes)))
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
        let mentions = (0..<Self.users).map { "greedy-\($0)" }
        for number in 0..<Self.rows {
            let writer = writers[number % 8]
            writer.send(
                #"{"type":"send","ref":2,"room":"lobby","id":"\#(UUID())","text":"\#(text)","mentions":\#(mentions)}"#)
            guard try writer.next()?.text.contains("\"ok\"") == true else {
                throw HostileServer.Failure(description: "a message was refused")
            }
        }
        return server
    }

    /// Opens connections of ten users, which send frames and read nothing.
    private func attack(_ server: HostileServer, _ form: GreedyForm, count: Int, in epoch: Epoch) throws -> [RawPeer] {
        try (0..<count).map { number in
            let peer = try server.member("greedy-\(number % Self.users)", receiveBuffer: 4_096)
            peer.write(form.frames(of: number, in: epoch).flatMap { RawPeer.frame(0x81, $0.json) })
            return peer
        }
    }

    private func epoch(_ server: HostileServer) throws -> Epoch {
        let peer = try server.member()
        peer.send(#"{"type":"subscribe","ref":2,"list":"room/lobby/messages","limit":32}"#)
        guard let frame = try peer.next(),
            case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = try ServerFrame(json: frame.payload)
        else {
            throw HostileServer.Failure(description: "no snapshot")
        }
        return snapshot.epoch
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
    func everyFormSendsEachKindOfRequest() {
        let epoch = Epoch("epoch")!

        let frames = GreedyForm.allCases.flatMap { $0.frames(of: 1, in: epoch) }.map {
            String(decoding: $0.json.prefix(40), as: UTF8.self)
        }

        for kind in ClientFrame.Request.Kind.allCases {
            #expect(frames.contains { $0.contains(#""type":"\#(kind)""#) }, "no form sends \(kind)")
        }
    }

    @Test(arguments: HostileServer.Speech.allCases)
    func nobodyTakesMoreThanTheBudgetInAnyForm(_ speech: HostileServer.Speech) async throws {
        let server = try await server(speech)
        let epoch = try epoch(server)

        for form in GreedyForm.allCases {
            let greedy = try attack(server, form, count: 20, in: epoch)
            #expect(throws: Never.self, "\(form): nobody else is served") { try drain(server) }
            check(server, "\(form)")
            withExtendedLifetime(greedy) {}
        }
    }
}
