import ChatServer
import ChatWire
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct DrainTests {
    @Test
    func everybodyIsToldToComeBackAndWhatWasTakenIsAnswered() async throws {
        let server = try ServerUnderTest()
        let peers = try await [server.follow(as: "ann"), server.follow(as: "bob"), server.join(as: "eve")]
        let ref = peers[0].send(.say("last words"))
        guard case .pong = try await peers[0].answer(to: .ping) else { throw Unexpected() }

        server.server.drain()

        var frames: [ServerFrame] = []
        while case .text(let text) = try await peers[1].next() {
            frames.append(try ServerFrame(json: Array(text.utf8)))
        }
        guard case .bye(CloseCode.restart, _, .some) = frames.last else { throw Unexpected() }
        #expect(ref == 3)
    }

    /// Load balancers are warned before connections are refused.
    @Test
    func whoeverAsksWhetherItIsReadyHearsThatItIsNotWhileItStillServes() async throws {
        let server = try ServerUnderTest { $0.drain.delay = .seconds(20) }
        let before = try HTTPAnswer(getting: "/readyz", from: server.server.port)
        Thread.detachNewThread { [server = server.server] in server.drain() }

        var after = try HTTPAnswer(getting: "/readyz", from: server.server.port)
        while after.status == 200 { after = try HTTPAnswer(getting: "/readyz", from: server.server.port) }
        let peer = try await server.join(as: "ann")

        #expect(before.status == 200)
        #expect(after.status == 503 && after.body == Array("draining\n".utf8))
        guard case .pong = try await peer.answer(to: .ping) else { throw Unexpected() }
    }

    @Test
    func nobodyIsWaitedForWhoHasNotAsked() throws {
        let server = try ServerUnderTest { $0.drain.delay = .seconds(300) }

        #expect(server.server.drain())
    }
}
