import ChatWire
import TestSupport
import Testing
import WebSocketTransport

@testable import ChatServer

struct ExpiryQueueTests {
    @Test(arguments: UInt64(0)..<50)
    func thoseWhoseTimeHasComeAreDueInTheirOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = ExpiryQueue()
        var times: [UInt64: Milliseconds] = [:]

        for _ in 0..<200 {
            let number = UInt64.random(in: 0..<20, using: &random)
            let time = Bool.random(using: &random) ? Milliseconds.random(in: 0..<30, using: &random) : nil
            queue.move(ConnectionID(number), from: times[number], to: time)
            times[number] = time

            let now = Milliseconds.random(in: 0..<30, using: &random)
            let due = times.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            #expect(queue.due(by: now).map(\.rawValue) == due.map(\.key))
        }
    }
}
