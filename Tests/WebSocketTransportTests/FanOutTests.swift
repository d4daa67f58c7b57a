import Foundation
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
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

    /// Frames that announce further ones leave with the last, in one write to the reader of many topics.
    @Test
    func whatIsSaidToBelongTogetherLeavesTogether() throws {
        let server = try TestServer { $0.loops = 1 }
        let client = try TestClient()
        let reader = try client.open(server)
        for topic in 1...8 as ClosedRange<UInt64> {
            server.server.attach(reader.there, to: TopicID(topic), at: 0, sending: nil)
        }
        server.server.append(Frame("alone"), to: TopicID(1), revision: 1, onLoop: 0)
        #expect(try client.received(on: reader.here) == Array("alone".utf8))
        // Written bytes arrive before they are counted.
        while server.server.statistics.writes == 0 { sched_yield() }
        let before = server.server.statistics.writes

        for topic in 1...8 as ClosedRange<UInt64> {
            server.server.append(
                Frame("of \(topic)"), to: TopicID(topic), revision: 2, onLoop: 0, moreFollow: true)
        }
        server.server.letGo()

        var seen: Set<[UInt8]> = []
        for _ in 1...8 { seen.insert(try client.received(on: reader.here)) }
        #expect(seen == Set((1...8).map { Array("of \($0)".utf8) }))
        // One; more only if the loop could not run within the millisecond of its wait.
        #expect(server.server.statistics.writes - before < 8)
    }

    @Test
    func howLongAFrameWasUnderWayIsCountedOnceForAllItsReaders() throws {
        let server = try TestServer { $0.loops = 1 }
        let client = try TestClient()
        let readers = try (0..<3).map { _ in try client.open(server) }
        for reader in readers { server.server.attach(reader.there, to: TopicID(1), at: 0, sending: nil) }

        server.server.append(Frame("unstamped"), to: TopicID(1), revision: 1, onLoop: 0)
        for reader in readers { #expect(try client.received(on: reader.here) == Array("unstamped".utf8)) }
        let stamped = Frame(text: Array("stamped".utf8), since: .now)
        server.server.append(stamped, to: TopicID(1), revision: 2, onLoop: 0)
        for reader in readers { #expect(try client.received(on: reader.here) == Array("stamped".utf8)) }
        // They may have it before the loop has counted it.
        while server.server.statistics.lagSum == 0 { sched_yield() }

        #expect(server.server.statistics.lag.reduce(0, +) == 1)
        #expect(server.server.statistics.lag.count == TransportStatistics.lagBounds.count + 1)
    }

    @Test
    func whatIsAskedForTogetherLeavesInOneWrite() throws {
        let server = try TestServer { $0.loops = 1 }
        let client = try TestClient()
        let reader = try client.open(server)
        for topic in 1...8 as ClosedRange<UInt64> {
            server.server.attach(reader.there, to: TopicID(topic), at: 0, sending: nil)
        }
        server.server.send(Frame("alone"), to: reader.there)
        #expect(try client.received(on: reader.here) == Array("alone".utf8))
        // Written bytes arrive before they are counted.
        while server.server.statistics.writes == 0 { sched_yield() }
        let before = server.server.statistics.writes

        let answer = LoopCommand.send(Frame("an answer"), to: reader.there)
        let diffs = (1...8 as ClosedRange<UInt64>).map { topic in
            LoopCommand.append(Frame("of \(topic)"), to: TopicID(topic), revision: 2)
        }
        server.server.submit([answer] + diffs, onLoop: 0)

        #expect(try client.received(on: reader.here) == Array("an answer".utf8))
        var seen: Set<[UInt8]> = []
        for _ in 1...8 { seen.insert(try client.received(on: reader.here)) }
        #expect(seen == Set((1...8).map { Array("of \($0)".utf8) }))
        while server.server.statistics.writes == before { sched_yield() }
        #expect(server.server.statistics.writes - before == 1)
    }

    @Test
    func whatALoopReceivesIsFollowedByItsTurn() throws {
        let server = try TestServer { $0.loops = 1 }
        let (peer, connection) = try server.rawPeer()

        peer.send("a")

        #expect(try server.received(on: connection) == [0x61])
        _ = try server.events.wait { if case .turnEnded(loop: 0) = $0 { true } else { nil } }
    }

    @Test
    func whatNothingFollowsLeavesAllTheSame() throws {
        let server = try TestServer { $0.loops = 1 }
        let client = try TestClient()
        let reader = try client.open(server)
        server.server.attach(reader.there, to: TopicID(1), at: 0, sending: nil)

        for number in 1...50 as ClosedRange<UInt64> {
            server.server.append(
                Frame("\(number)"), to: TopicID(1), revision: number, onLoop: 0, moreFollow: true)
            #expect(try client.received(on: reader.here) == Array("\(number)".utf8))
        }
    }
}
