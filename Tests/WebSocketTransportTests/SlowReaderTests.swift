import TestSupport
import Testing
import WebSocketTransport

/// What is appended must never depend on whether anybody reads it.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct SlowReaderTests {
    private let topic = TopicID(1)

    /// A frame of `count` bytes of text that begins with its number.
    private func frame(_ number: UInt64, _ count: Int = 10_000) -> Frame {
        let text = "\(number) "
        return Frame(text + String(repeating: "x", count: count - text.utf8.count))
    }

    private func number(_ message: RawPeer.Message?) -> UInt64? {
        message.flatMap { UInt64($0.text.prefix { $0 != " " }) }
    }

    /// Appends frames from `first` until the server says that the reader is behind.
    private func fill(_ server: TestServer, from first: UInt64) -> UInt64 {
        var number = first
        let before = server.server.statistics.behind
        while server.server.statistics.behind == before {
            server.server.append(frame(number), to: topic, revision: number, onLoop: 0)
            number += 1
        }
        return number - 1
    }

    @Test
    func aReaderThatFallsOffIsToldOnceWithWhatItHoldsAndCatchesUp() throws {
        let server = try TestServer { $0.logBytesPerTopic = 100_000 }
        let (slow, connection) = try server.rawPeer(receiveBuffer: 4096)
        server.server.attach(connection, to: topic, at: 0, sending: nil)

        let last = fill(server, from: 1)
        #expect(server.server.statistics.behindNow == 1)
        for number in (last + 1)...(last + 100) {
            server.server.append(frame(number), to: topic, revision: number, onLoop: 0)
        }
        // It wakes up: everything it was given arrives whole and in order, then it is asked for.
        var held: UInt64 = 0
        let behind = try readUntilBehind(server, slow, connection, &held)
        server.server.attach(connection, to: topic, at: 9999, sending: Frame("9999 catch-up"))
        server.server.append(Frame("10000 news"), to: topic, revision: 10_000, onLoop: 0)

        #expect(behind == held)
        #expect(number(try slow.next()) == 9999)
        #expect(number(try slow.next()) == 10_000)
        #expect(!server.events.remaining.contains { if case .behind = $0 { true } else { false } })
        #expect(server.server.statistics.behind == 1 && server.server.statistics.behindNow == 0)
    }

    /// Whoever could take it has everything from before; whoever could not is behind from where it is.
    @Test
    func whoReadsALogThatIsCutIsBehindFromWhereItGot() throws {
        let server = try TestServer { $0.logBytesPerTopic = 64 << 20 }
        let (slow, slowly) = try server.rawPeer(receiveBuffer: 4096)
        let (quick, quickly) = try server.rawPeer()
        for connection in [slowly, quickly] { server.server.attach(connection, to: topic, at: 0, sending: nil) }
        for number: UInt64 in 1...1_000 {
            server.server.append(frame(number), to: topic, revision: number, onLoop: 0)
            #expect(self.number(try quick.next()) == number)
        }

        server.server.cut(topic, onLoop: 0)
        server.server.append(Frame("1100 news"), to: topic, revision: 1_100, onLoop: 0)
        var held: UInt64 = 0
        let slowStands = try readUntilBehind(server, slow, slowly, &held)

        #expect(try server.behind(quickly).1 == 1_000)
        #expect(slowStands == held && held < 1_000)
        for (connection, peer) in [(quickly, quick), (slowly, slow)] {
            server.server.attach(connection, to: topic, at: 1_100, sending: Frame("1100 catch-up"))
            #expect(number(try peer.next()) == 1_100)
        }
        server.server.append(Frame("1101 news"), to: topic, revision: 1_101, onLoop: 0)
        #expect(number(try quick.next()) == 1_101)
        #expect(number(try slow.next()) == 1_101)
    }

    /// Reads frames, which must come one after the other, until the server has nothing more to give.
    private func readUntilBehind(
        _ server: TestServer, _ peer: RawPeer, _ connection: ConnectionID, _ held: inout UInt64
    ) throws -> UInt64 {
        while true {
            if let (topic, revision) = try? server.events.wait(seconds: 0, for: behindOf(connection)) {
                #expect(topic == self.topic)
                while held < revision { try expectNext(peer, &held) }
                return revision
            }
            if peer.hasMore(within: 10) { try expectNext(peer, &held) }
        }
    }

    private func behindOf(
        _ connection: ConnectionID
    ) -> (WebSocketServer.Event) -> (TopicID, UInt64)? {
        { if case .behind(connection, let topic, let revision) = $0 { (topic, revision) } else { nil } }
    }

    private func expectNext(_ peer: RawPeer, _ held: inout UInt64) throws {
        let next = try #require(number(try peer.next()))
        #expect(next == held + 1)
        held = next
    }

    @Test
    func aStalledReaderHoldsNeitherMemoryNorTheOthers() throws {
        let server = try TestServer { $0.logBytesPerTopic = 100_000 }
        let (stalled, one) = try server.rawPeer(receiveBuffer: 4096)
        let (lively, two) = try server.rawPeer()
        for connection in [one, two] { server.server.attach(connection, to: topic, at: 0, sending: nil) }

        for number in 1...2000 as ClosedRange<UInt64> {
            server.server.append(frame(number), to: topic, revision: number, onLoop: 0)
            #expect(self.number(try lively.next()) == number)
        }
        let statistics = server.server.statistics

        #expect(statistics.logBytesNow <= 100_000)
        #expect(statistics.privateBytesNow == 0)
        #expect(statistics.openNow == 2)
        #expect(statistics.behind == 1)
        _ = stalled
    }

    @Test
    func theLogIsEmptyWhenEverybodyHasEverything() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()
        server.server.attach(connection, to: topic, at: 0, sending: nil)

        for number in 1...100 as ClosedRange<UInt64> {
            server.server.append(frame(number), to: topic, revision: number, onLoop: 0)
        }
        for _ in 1...100 { _ = try peer.next() }

        while server.server.statistics.logBytesNow > 0 {}
        #expect(server.server.statistics.topicsNow == 1)
        #expect(server.server.statistics.deliveries == 100)
    }

    @Test
    func aTopicIsFreedWithItsLastReader() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()
        let (other, second) = try server.rawPeer()
        for id in 1...50 as ClosedRange<UInt64> {
            server.server.attach(connection, to: TopicID(id), at: 0, sending: nil)
            server.server.attach(second, to: TopicID(id), at: 0, sending: nil)
        }
        server.server.detach(connection, from: TopicID(50))
        server.server.detach(second, from: TopicID(50))
        server.server.send(Frame("done"), to: connection)
        #expect(try peer.next() == .text("done"))
        #expect(server.server.statistics.topicsNow == 49)

        server.server.close(connection, code: 1000, reason: "")
        server.server.close(second, code: 1000, reason: "")
        #expect(try peer.closeCode() == 1000)
        #expect(try other.closeCode() == 1000)
        #expect(try server.closed(connection) == 1000)
        #expect(server.server.statistics.topicsNow == 0)
    }

    @Test
    func tooManyPrivateBytesUnsentCloseTheConnection() throws {
        let server = try TestServer {
            $0.maxPrivateBytes = 200_000
            $0.closeSeconds = 30
        }
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)

        for _ in 0..<2000 { server.server.send(frame(1), to: connection) }

        #expect(try peer.closeFrame() == .close(4002, "too slow"))
        #expect(try server.closed(connection) == 4002)
    }

    @Test
    func oneLargeFrameIsAlwaysTaken() throws {
        let server = try TestServer { $0.maxPrivateBytes = 1000 }
        let (peer, connection) = try server.rawPeer()

        server.server.send(frame(7, 9_000_000), to: connection)

        #expect(try peer.next()?.payload.count == 9_000_000)
    }

    @Test
    func aReaderThatMakesNoProgressIsClosed() throws {
        let server = try TestServer {
            $0.stallSeconds = 0.3
            $0.closeSeconds = 0.1
            $0.logBytesPerTopic = 100_000
        }
        let (stalled, connection) = try server.rawPeer(receiveBuffer: 4096)
        server.server.attach(connection, to: topic, at: 0, sending: nil)

        _ = fill(server, from: 1)

        #expect(try server.closed(connection) == 4002)
        #expect(server.server.statistics.closed[.slow] == 1)
        #expect(server.server.statistics.stalledNow == 0)
        _ = stalled
    }

    @Test
    func aReaderThatIsMerelySlowIsNotClosed() throws {
        let server = try TestServer { $0.stallSeconds = 0.3 }
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)
        let size = 6_000_000

        server.server.send(frame(1, size), to: connection)
        let message = try peer.next(pacing: { _ = try? server.events.wait(seconds: 0.001) { _ in Optional<Int>.none } })

        #expect(message?.payload.count == size)
        #expect(server.server.statistics.closed[.slow] == 0)
    }

    @Test
    func privateFramesNeverFallBehindLaterNews() throws {
        let server = try TestServer { $0.logBytesPerTopic = 4 << 20 }
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)
        server.server.attach(connection, to: topic, at: 0, sending: nil)

        for number in 1...300 as ClosedRange<UInt64> {
            server.server.send(Frame("private \(number)"), to: connection)
            server.server.append(frame(number, 5000), to: topic, revision: number, onLoop: 0)
        }

        var (privates, news): (UInt64, UInt64) = (0, 0)
        while news < 300 {
            let message = try #require(try peer.next())
            if message.text.hasPrefix("private ") {
                privates += 1
                #expect(message.text == "private \(privates)")
            } else {
                news += 1
                #expect(number(message) == news)
                #expect(privates >= news)
            }
        }
    }

    @Test
    func pongsFallBetweenFramesNeverIntoThem() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)
        let topics = (1...3).map { TopicID($0) }
        for topic in topics { server.server.attach(connection, to: topic, at: 0, sending: nil) }

        for number in 1...200 as ClosedRange<UInt64> {
            for topic in topics { server.server.append(frame(number, 3000), to: topic, revision: number, onLoop: 0) }
            if number % 10 == 0 { peer.send(0x89, Array("p\(number)".utf8)) }
        }

        var news = 0
        while news < 600 {
            let message = try #require(try peer.next())
            #expect([0x81, 0x8A].contains(message.first))
            if message.first == 0x81 {
                news += 1
                #expect(message.payload.count == 3000)
            }
        }
    }

    @Test
    func attachingAgainStartsOver() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        server.server.attach(connection, to: topic, at: 1, sending: Frame("first"))
        server.server.append(Frame("a"), to: topic, revision: 2, onLoop: connection.loop)
        server.server.attach(connection, to: topic, at: 2, sending: Frame("second"))
        server.server.append(Frame("b"), to: topic, revision: 3, onLoop: connection.loop)
        server.server.detach(connection, from: topic)
        server.server.append(Frame("c"), to: topic, revision: 4, onLoop: connection.loop)
        server.server.send(Frame("end"), to: connection)

        // Starting over drops what was not on its way yet: the frame of the second attach covers it.
        let texts = try [peer.next(), peer.next()].map { $0?.text }
        #expect(texts == ["first", "second"] || texts == ["first", "a"])
        while let message = try peer.next(), message.text != "end" { #expect(message.text != "c") }
    }
}
