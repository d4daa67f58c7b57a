import ChatServer
import ChatWire
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
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
}
