import ChatServer
import ChatWire
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(2)))
struct SlowReaderTests {
    /// What it lacks is many times the log and what sockets hold, so that it must fall off.
    @Test
    func aReaderThatStallsGetsOneNetAnswerAndIsNotCutOff() async throws {
        let server = try ServerUnderTest { $0.transport.logBytesPerTopic = 64 << 10 }
        let slow = try await server.follow(as: "slow")
        let ann = try await server.follow(as: "ann")
        let text = String(repeating: "x", count: 8_000)
        slow.pauseReading()
        let count = 2_000
        for _ in 0..<(count / 50) {
            for _ in 1..<50 { ann.send(.say(text)) }
            _ = try await ann.answer(to: .say(text))
        }
        slow.resumeReading()

        var revision: Revision = 0
        var snapshots = 0
        while revision < count {
            switch try await slow.frame() {
            case .diff(nil, _, _, let diff):
                #expect(diff.from == revision)
                revision = diff.to
            case .snapshot(nil, _, let snapshot):
                snapshots += 1
                revision = snapshot.snapshot.revision
                #expect(snapshot.why == .smaller && snapshot.snapshot.rows.count == 50)
            case let other:
                Issue.record("\(other)")
            }
        }
        #expect(snapshots >= 1)
        _ = try await ann.answer(to: .say("live again"))
        #expect(try await slow.diff().insertions.map(\.text) == ["live again"])
    }
}
