import Dispatch
import Glibc
import TestSupport
import Testing
import WebSocketTransport

/// The unsent bytes of all peers together are bounded, and the peer with the most of them is closed first.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct BudgetTests {
    private func frame(_ count: Int) -> Frame {
        Frame(String(repeating: "x", count: count))
    }

    private static let budget = 4 << 20

    private func server() throws -> TestServer {
        try TestServer {
            $0.memoryBudget = Self.budget
            $0.logBytesPerTopic = 64 << 20
            $0.loops = 2
        }
    }

    private func held(_ server: TestServer) -> Int {
        let now = server.server.statistics
        return now.privateBytesNow + now.cutBytesNow + now.logBytesNow + now.heldNow
    }

    /// Sends until a number of bytes waits, beyond the sockets' buffers, or a peer was closed for it.
    private func fill(_ server: TestServer, _ connection: ConnectionID, upTo bytes: Int) {
        while held(server) < bytes, server.server.statistics.shed == 0 {
            server.server.send(frame(100_000), to: connection)
            while server.server.statistics.queuedNow > 0 { sched_yield() }
        }
    }

    /// Peers get a little each, on both loops, and one of them exceeds the budget.
    @Test
    func whoOwesMostIsClosedAndNotWhoTipsItOver() throws {
        let server = try server()
        let (silent, greedy) = try server.rawPeer(receiveBuffer: 4096)
        fill(server, greedy, upTo: Self.budget / 2)
        let others = try (0..<20).map { _ in try server.rawPeer(receiveBuffer: 4096) }

        for (number, other) in others.enumerated() {
            fill(server, other.1, upTo: Self.budget / 2 + 200_000 * (number + 1))
        }

        #expect(try server.closed(greedy) == 4007)
        #expect(server.server.statistics.shed == 1 && held(server) <= Self.budget)
        #expect(server.server.statistics.openNow >= others.count)
        withExtendedLifetime(silent) {}
    }

    /// The law for any bytes to any peers, alone or shared, in logs or not, and whoever reads some of them.
    @Test(arguments: UInt64(0)..<4)
    func whateverWaitsForWhomItIsNoMoreThanTheBudget(seed: UInt64) throws {
        let server = try server()
        var random = SplitMix64(seed: seed)
        let peers = try (0..<12).map { _ in try server.rawPeer(receiveBuffer: 4096) }
        let topic = TopicID(1)
        for (_, connection) in peers.prefix(4) { server.server.attach(connection, to: topic, at: 0, sending: nil) }
        let whole = frame(200_000)
        let most = Self.budget + 400_000  // each loop looks when it has taken that it has not peeked at yet
        var sent = 0

        for revision in 1...200 as ClosedRange<UInt64> {
            let size = Int.random(in: 1...200_000, using: &random)
            let (_, connection) = peers[Int.random(in: 0..<peers.count, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0: server.server.send(Frame(whole, upTo: size, then: [0x21]), to: connection)
            case 1:
                for loop in 0..<2 { server.server.append(frame(size), to: topic, revision: revision, onLoop: loop) }
            default: server.server.send(frame(size), to: connection)
            }
            sent += size
            let end = ContinuousClock.now + Deadline.event
            while server.server.statistics.queuedNow > 0 || held(server) > most, .now < end { sched_yield() }
            #expect(held(server) <= most)
        }

        #expect(sent > 3 * Self.budget)
        #expect(server.server.statistics.shed > 0 || server.server.statistics.behind > 0)
        withExtendedLifetime(peers) {}
    }

    /// A peer that has little more than its socket's buffer unread is told why.
    @Test
    func whoStillReadsIsToldWhy() throws {
        let server = try server()
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)

        for _ in 0..<1_000 { server.server.send(frame(10_000), to: connection) }

        while server.server.statistics.shed == 0 { sched_yield() }
        #expect(try peer.closeCode() == 4007)
        #expect(try server.closed(connection) == 4007)
    }

    /// One loop is kept from its commands, so that another's connection is closed for what waits for it.
    @Test
    func whatWaitsForABusyLoopCounts() throws {
        let isFree = DispatchSemaphore(value: 0)
        let server = try TestServer {
            $0.memoryBudget = Self.budget
            $0.loops = 2
        } hearing: { event in
            if case .received = event { isFree.wait() }
        }
        let (silent, greedy) = try server.rawPeer(receiveBuffer: 4096)
        fill(server, greedy, upTo: Self.budget / 2)
        let (caller, busy) = try server.rawPeer()
        #expect(busy.loop != greedy.loop)
        caller.send("wait")
        _ = try server.received(on: busy)

        for _ in 0..<30 { server.server.send(frame(100_000), to: busy) }

        #expect(server.server.statistics.queuedBytesNow >= 3_000_000)
        #expect(try server.closed(greedy) == 4007)
        isFree.signal()
        for _ in 0..<30 { #expect(try caller.next()?.payload.count == 100_000) }
        #expect(server.server.statistics.queuedBytesNow == 0)
        withExtendedLifetime(silent) {}
    }

    @Test
    func logsGoBeforeAnybodyDoes() throws {
        let server = try server()
        let (slow, connection) = try server.rawPeer(receiveBuffer: 4096)
        let topics = (1...8).map { TopicID($0) }
        for topic in topics { server.server.attach(connection, to: topic, at: 0, sending: nil) }

        var revision: UInt64 = 0
        while server.server.statistics.behind == 0 {
            revision += 1
            for topic in topics {
                for loop in 0..<2 { server.server.append(frame(10_000), to: topic, revision: revision, onLoop: loop) }
            }
        }

        while held(server) > Self.budget { sched_yield() }
        #expect(server.server.statistics.shed == 0)
        #expect(try slow.next()?.payload.count == 10_000, "its connection is as it was")
    }

    @Test
    func whatTheApplicationKeepsIsAskedForFirst() throws {
        let server = try server()
        let (silent, connection) = try server.rawPeer(receiveBuffer: 4096)
        server.server.hold(3 << 20)

        fill(server, connection, upTo: Self.budget + 1)

        try server.events.wait { if case .pressed = $0 { () } else { nil } }
        server.server.hold(-(3 << 20))
        #expect(held(server) <= Self.budget && server.server.statistics.shed == 0)
        withExtendedLifetime(silent) {}
    }

    /// Nobody takes any more, so that nothing but time tells.
    @Test
    func whatTheApplicationKeepsAgainAndAgainSparesNobody() throws {
        let server = try server()
        let (silent, connection) = try server.rawPeer(receiveBuffer: 4096)
        fill(server, connection, upTo: Self.budget / 2)
        server.server.hold(3 << 20)

        for _ in 0..<3 {
            try server.events.wait { if case .pressed = $0 { () } else { nil } }
            server.server.hold(-(3 << 20))
            server.server.hold(3 << 20)
        }

        #expect(try server.closed(connection) == 4007)
        withExtendedLifetime(silent) {}
    }

    @Test
    func withoutABudgetNobodyIsClosedForIt() throws {
        let server = try TestServer { $0.memoryBudget = 0 }
        let (peer, connection) = try server.rawPeer(receiveBuffer: 4096)

        for _ in 0..<100 { server.server.send(frame(100_000), to: connection) }

        for _ in 0..<100 { #expect(try peer.next()?.payload.count == 100_000) }
        #expect(server.server.statistics.shed == 0)
    }
}
