import ChatWire
import TestSupport
import Testing
import WebSocketTransport

@testable import ChatServer

/// Which connections go to another server, as a proxy decides.
struct RebalanceTests {
    /// Runs it to its end before a proxy that has some rooms elsewhere.
    ///
    /// - Parameter comes: whether a room's client comes back at all.
    /// - Returns: the connections that were closed, by their rooms, and the time that it took.
    private func run(
        _ sizes: [Int], over time: Duration, isAway: (Int) -> Bool, comes: (Int) -> Bool = { _ in true }
    ) -> (closed: [Int: Int], end: Rebalance, took: Duration) {
        let start = ContinuousClock.now
        var now = start
        var connections: [(connection: ConnectionID, room: String)] = []
        for (room, size) in sizes.enumerated() {
            for _ in 0..<size { connections.append((ConnectionID(UInt64(connections.count + 1)), "\(room)")) }
        }
        let rooms = Dictionary(uniqueKeysWithValues: connections.map { ($0.connection, Int($0.room) ?? 0) })
        var (rebalance, closed) = (Rebalance(connections, over: time, from: start), [Int: Int]())
        while let next = rebalance.next {
            #expect(next >= now || next <= now + .seconds(1))
            now = max(now, next)
            for connection in rebalance.step(at: now) {
                guard let room = rooms[connection] else { continue }
                closed[room, default: 0] += 1
                if comes(room), !isAway(room) { rebalance.arrived("\(room)") }
            }
        }
        return (closed, rebalance, now - start)
    }

    @Test(arguments: 0..<20) func allOfARoomThatIsAtHomeElsewhereGoAndOneOfEachOther(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let sizes = (0..<Int.random(in: 0...30, using: &random)).map { _ in Int.random(in: 1...40, using: &random) }
        let away = Set(sizes.indices.filter { _ in Bool.random(using: &random) })
        let time = Duration.seconds(Int64.random(in: 0...100, using: &random))

        let (closed, end, took) = run(sizes, over: time, isAway: away.contains)

        for (room, size) in sizes.enumerated() { #expect(closed[room] == (away.contains(room) ? size : 1), "\(room)") }
        #expect(end.closed + end.stayed == sizes.reduce(0, +) && end.left == 0)
        #expect(took <= time + Rebalance.patience)
    }

    /// Nothing is lost but a reconnect.
    @Test func aRoomWhoseFirstClientDoesNotComeBackGoes() {
        #expect(run([3], over: .seconds(1), isAway: { _ in false }, comes: { _ in false }).closed == [0: 3])
    }

    @Test func theyAreSpreadOverTheTime() {
        let start = ContinuousClock.now
        let connections = (0..<1_000).map { (connection: ConnectionID(UInt64($0 + 1)), room: "lobby") }
        var rebalance = Rebalance(connections, over: .seconds(100), from: start)

        for second in 0...105 {
            let most = second == 0 ? 1 : 21
            #expect(rebalance.step(at: start + .seconds(second)).count <= most, "\(second)")
        }
        #expect(rebalance.left == 0)
    }
}
