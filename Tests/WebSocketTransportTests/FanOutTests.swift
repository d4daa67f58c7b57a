import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(1)))
struct FanOutTests {
    @Test
    func everyReaderOfATopicGetsEveryFrameInOrderOnEveryLoop() throws {
        let server = try TestServer { $0.loops = 2 }
        let client = try TestClient()
        let readers = try (0..<10).map { _ in try client.open(server) }
        for reader in readers {
            server.server.attach(reader.there, to: TopicID(7), at: 0, sending: Frame("snapshot"))
        }

        for number in 1...100 as ClosedRange<UInt64> {
            for loop in 0..<server.server.loopCount {
                server.server.append(Frame("diff \(number)"), to: TopicID(7), revision: number, onLoop: loop)
            }
        }

        #expect(Set(readers.map(\.there.loop)) == [0, 1])
        for reader in readers {
            #expect(try client.received(on: reader.here) == Array("snapshot".utf8))
            for number in 1...100 {
                #expect(try client.received(on: reader.here) == Array("diff \(number)".utf8))
            }
        }
    }
}
