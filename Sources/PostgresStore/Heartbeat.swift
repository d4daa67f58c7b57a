import ChatRoom
import ChatWire
import Foundation
import Locking
import RoomStore

/// A durable commit of nothing, once a second.
///
/// It shows whether the database takes writes, whether it has every acknowledged commit, and that reads come from the
/// copy where commits are durable. It also ends transactions of other servers that stand still and hold rooms.
final class Heartbeat: Sendable {
    private struct State: Sendable {
        /// The beginning and the reason of the time in which nothing can be written.
        var trouble: (since: ContinuousClock.Instant, why: String)?
        var isEnded = false
    }

    private let history: History
    private let place: String
    private let connection: Guarded<HeartbeatConnection>
    private let state = Guarded(State())

    /// The heartbeat's lane is the first; those of the writers and of the trimmer follow.
    static let lane = 0
    private static let rest = Duration.seconds(1)
    private static let patience = Duration.seconds(2)

    init(_ failoverCheck: FailoverCheck) {
        history = failoverCheck.history
        place = failoverCheck.address.place
        connection = Guarded(HeartbeatConnection(failoverCheck))
    }

    /// The reason why nothing can be written; `nil` while the database takes writes.
    var trouble: String? { state.withLock { $0.trouble?.why } }

    /// Begins to beat once a second, and reads the revisions that `follower` asks for. A revision that is read from
    /// the database is published once it is durable.
    ///
    /// - Parameter recovered: called when the database takes writes again, before ``trouble`` is `nil`.
    func start(_ follower: Follower, recovered: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { self.run(follower, recovered) }
    }

    func end() {
        state.withLock { $0.isEnded = true }
    }

    private func run(_ follower: Follower, _ recovered: () -> Void) {
        while !state.withLock({ $0.isEnded }) {
            let next = ContinuousClock.now + Self.rest
            let rooms = follower.dequeueInvalidRooms()
            do throws(PostgresFailure) {
                follower.publish(try commit(headsOf: rooms, until: .now + Self.patience))
                if trouble != nil { recovered() }
                endTrouble()
            } catch {
                follower.invalidate(rooms)
                beginTrouble(error)
            }
            Thread.sleep(forTimeInterval: max(.zero, next - .now) / .seconds(1))
        }
    }

    private func commit(
        headsOf rooms: [RoomName], until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [(RoomName, Revision)] {
        try connection.withLock { (connection) throws(PostgresFailure) in
            try connection.commit(headsOf: rooms, until: end)
        }
    }

    /// Returns when a new connection reads only durable commits. After a crash, a primary also shows commits that no
    /// standby has yet.
    func prove(_ connection: Connection, until end: ContinuousClock.Instant) throws(PostgresFailure) {
        if let sentinel = history.sentinel {
            let name: [Parameter] = [.integer(sentinel.process), .integer(sentinel.start)]
            guard try connection.run([.run(.backend, name)], until: end)[0].rows.isEmpty else { return }
        }
        _ = try commit(headsOf: [], until: min(end, .now + Self.patience))
        guard connection.origin.timeline == history.timeline else { throw .stale("a standby was promoted meanwhile") }
    }

    // MARK: - Trouble

    private func endTrouble() {
        guard
            let since = state.withLock({ state in
                defer { state.trouble = nil }
                return state.trouble?.since
            })
        else { return }
        history.publish(.writable(after: .now - since))
    }

    private func beginTrouble(_ failure: PostgresFailure) {
        let why = "\(RoomStoreError(failure, at: place))"
        let isNew = state.withLock { state in
            defer { state.trouble = (state.trouble?.since ?? .now, why) }
            return state.trouble == nil
        }
        if isNew { history.publish(.unwritable(why)) }
    }
}

/// The heartbeat's connection.
private final class HeartbeatConnection: @unchecked Sendable {
    // @unchecked: it is used under the heartbeat's lock only.
    private let lane: CommitLane
    /// The copy that was checked last.
    private var checked: Origin?

    init(_ failoverCheck: FailoverCheck) {
        lane = CommitLane(Heartbeat.lane, failoverCheck, preparing: Query.heartbeat)
    }

    func commit(
        headsOf rooms: [RoomName], until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [(RoomName, Revision)] {
        try lane.run(until: end) { (connection) throws(PostgresFailure) in
            if checked != connection.origin {
                try lane.failoverCheck.run(over: connection, until: end)
                checked = connection.origin
            }
            let unconfirmed = lane.history.unconfirmedCommits
            let heads: [Connection.Step] = rooms.isEmpty ? [] : [.run(.heads, .texts(rooms.map(\.description)))]
            let answers = try connection.runDurably(
                [
                    .run("BEGIN"), .run(.line), .run(.witness, lane.witness),
                    .run(.silent, .text(lane.failoverCheck.lease.server.description)), .run(.endStalled),
                ] + heads + [.run("COMMIT")], until: end)
            try lane.history.apply(
                StoreLine(answers[1], knows: lane.failoverCheck.lease.knows), from: connection.origin)
            guard let count = try answers[2].rows.first?.integer(0) else {
                throw .senseless(column: "count", room: nil)
            }
            try lane.history.check(count, of: lane.number)
            lane.history.acknowledged(count, of: lane.number)
            lane.history.prove(by: connection.origin.backend, since: unconfirmed)
            if let silent = try answers[3].rows.first?.integer(0), silent > 0 { checked = nil }
            return (heads.isEmpty ? [] : answers[5].rows).compactMap { row in
                // A damaged row concerns one room.
                guard let room = try? row.room(), let revision = try? row.revision(1) else { return nil }
                return (room, revision)
            }
        }
    }
}
