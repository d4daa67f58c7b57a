import ChatRoom
import ChatWire
import Dispatch
import Foundation
import Locking
import PostgresStore
import RoomStore
import TestSupport
import Testing

/// The number of a server's connections, on which `max_connections` is based.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ConnectionCountTests {
    /// All at once: commits that wait for a lost standby and are given up, more readers than the limit, and everything
    /// with a connection of its own.
    @Test func thereAreNeverMoreThanIsDocumented() throws {
        let database = try ThrowawayPostgres()
        let store = try PostgresStore(PostgresAddress(database.address))
        store.others?.listen { _ in }
        let rooms = (0..<16).compactMap { RoomName("r\($0)") }
        for room in rooms { _ = try store.commit([.send(1, to: room)]) }
        let telling = try store.deliveries(part: 0)
        try database.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try database.query("SELECT pg_reload_conf()")
        let isOver = Flag()
        let group = DispatchGroup()
        for room in rooms {
            Self.repeating(until: isOver, in: group) { _ = try? store.commit([.send(2, to: room)]) }
            Self.repeating(until: isOver, in: group) { _ = try? store.read(room, tail: 50, since: nil, atMost: 0) }
        }
        Self.repeating(until: isOver, in: group) {
            _ = try? store.trim(Retention(.init(messages: 9)), part: 0, after: nil, at: 1)
        }

        var (most, given) = (0, 0)
        let sql = "SELECT count(*), count(*) FILTER (WHERE wait_event = 'SyncRep') FROM pg_stat_activity"
        // Wait until each lane and the pulse have given one up, and opened another.
        while given < 5 || most < 10 + 8 {
            let counts = try database.query(sql + " WHERE application_name = 'diffroomd'")
                .split { $0 == "|" || $0 == "\n" }.compactMap { Int($0) }
            (most, given) = (max(most, counts[0]), max(given, counts[1]))
        }
        isOver.raise()
        try database.query("ALTER SYSTEM RESET synchronous_standby_names")
        try database.query("SELECT pg_reload_conf()")
        group.wait()

        #expect(most <= PostgresStore.mostConnections)
        withExtendedLifetime(telling) {}
    }

    private final class Flag: Sendable {
        private let state = Guarded(false)

        var isRaised: Bool { state.withLock { $0 } }

        func raise() {
            state.withLock { $0 = true }
        }
    }

    private static func repeating(
        until isOver: Flag, in group: DispatchGroup, _ work: @escaping @Sendable () -> Void
    ) {
        group.enter()
        Thread.detachNewThread {
            while !isOver.isRaised { work() }
            group.leave()
        }
    }

    @Test func theDocumentedNumberIsTheProgramsOwn() throws {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/scaling.md")
        let text = try String(contentsOf: docs, encoding: .utf8)

        #expect(text.contains("A server has at most \(PostgresStore.mostConnections):"))
    }
}
