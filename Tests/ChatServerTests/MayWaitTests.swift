import Dispatch
import Glibc
import TestSupport
import Testing
import WebSocketTransport

@testable import ChatServer

/// Code that waits where it must not traps in a debug build, so that no test passes with it.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct MayWaitTests {
    @Test
    func whoWaitsOnAQueueOfRoomsEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let queue = DispatchQueue(label: "rooms")
            queue.setSpecific(key: mayNotWait, value: true)
            queue.sync { assertMayWait() }
        }
    }

    @Test
    func whoWaitsOnAnEventLoopEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let server = try WebSocketServer(configuration: WebSocketServerConfiguration()) { _ in assertMayWait() }
            let peer = try RawPeer(port: server.port)
            _ = try peer.open()
            while true { pause() }
        }
    }

    @Test
    func whoWaitsElsewhereDoesNot() async {
        await #expect(processExitsWith: .success) {
            DispatchQueue(label: "anything else").sync { assertMayWait() }
        }
    }
}
