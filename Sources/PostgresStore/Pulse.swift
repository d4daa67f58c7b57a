import ChatRoom
import ChatWire
import Foundation
import Locking
import RoomStore

/// A durable commit of nothing, once a second.
///
/// It shows whether the database takes writes, whether it has every acknowledged commit, and that reads come from the
/// copy where commits are durable. It also ends transactions of other servers that stand still and hold rooms.
final class Pulse: Sendable {
    private struct State: Sendable {
        /// The beginning and the reason of the time in which nothing can be written.
        var trouble: (since: ContinuousClock.Instant, why: String)?
        var isEnded = false
    }

    private let history: History
    private let place: String
    private let beating: Guarded<Beating>
    private let state = Guarded(State())

    /// The pulse's lane is the first; those of the writers and of the trimmer follow.
    static let lane = 0
    private static let rest = Duration.seconds(1)
    private static let patience = Duration.seconds(2)

    init(_ review: Review) {
        history = review.history
        place = review.address.place
        beating = Guarded(Beating(review))
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
                follower.publish(try beat(headsOf: rooms, until: .now + Self.patience))
                if trouble != nil { recovered() }
                cameBack()
            } catch {
                follower.invalidate(rooms)
                wentAway(error)
            }
            Thread.sleep(forTimeInterval: max(.zero, next - .now) / .seconds(1))
        }
    }

    private func beat(
        headsOf rooms: [RoomName], until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [(RoomName, Revision)] {
        try beating.withLock { (beating) throws(PostgresFailure) in try beating.beat(headsOf: rooms, until: end) }
    }

    /// Returns when a new connection reads only durable commits. After a crash, a primary also shows commits that no
    /// standby has yet.
    func prove(_ connection: Connection, until end: ContinuousClock.Instant) throws(PostgresFailure) {
        if let sentinel = history.sentinel {
            let name: [Parameter] = [.integer(sentinel.process), .integer(sentinel.start)]
            guard try connection.run([.run(.backend, name)], until: end)[0].rows.isEmpty else { return }
        }
        _ = try beat(headsOf: [], until: min(end, .now + Self.patience))
        guard connection.origin.timeline == history.timeline else { throw .stale("a standby was promoted meanwhile") }
    }

    // MARK: - Trouble

    private func cameBack() {
        guard
            let since = state.withLock({ state in
                defer { state.trouble = nil }
                return state.trouble?.since
            })
        else { return }
        history.tell(.writable(after: .now - since))
    }

    private func wentAway(_ failure: PostgresFailure) {
        let why = "\(RoomStoreError(failure, at: place))"
        let isNew = state.withLock { state in
            defer { state.trouble = (state.trouble?.since ?? .now, why) }
            return state.trouble == nil
        }
        if isNew { history.tell(.unwritable(why)) }
    }
}

/// The pulse's connection.
private final class Beating: @unchecked Sendable {
    // @unchecked: it is used under the pulse's lock only.
    private let lane: CommitLane
    /// The copy that was reviewed last.
    private var reviewed: Origin?

    init(_ review: Review) {
        lane = CommitLane(Pulse.lane, review, preparing: Query.beating)
    }

    func beat(
        headsOf rooms: [RoomName], until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [(RoomName, Revision)] {
        try lane.run(until: end) { (connection) throws(PostgresFailure) in
            if reviewed != connection.origin {
                try lane.review.carryOut(over: connection, until: end)
                reviewed = connection.origin
            }
            let doubts = lane.history.doubts
            let heads: [Connection.Step] = rooms.isEmpty ? [] : [.run(.heads, .texts(rooms.map(\.description)))]
            let answers = try connection.runDurably(
                [
                    .run("BEGIN"), .run(.line), .run(.witness, lane.witness),
                    .run(.silent, .text(lane.review.lease.server.description)), .run(.endStalled),
                ] + heads + [.run("COMMIT")], until: end)
            try lane.history.take(
                StoreLine(answers[1], knows: lane.review.lease.knows), from: connection.origin)
            guard let count = try answers[2].rows.first?.integer(0) else {
                throw .senseless(column: "count", room: nil)
            }
            try lane.history.check(count, of: lane.number)
            lane.history.acknowledged(count, of: lane.number)
            lane.history.prove(by: connection.origin.backend, since: doubts)
            if let silent = try answers[3].rows.first?.integer(0), silent > 0 { reviewed = nil }
            return (heads.isEmpty ? [] : answers[5].rows).compactMap { row in
                // A damaged row concerns one room.
                guard let room = try? row.room(), let revision = try? row.revision(1) else { return nil }
                return (room, revision)
            }
        }
    }
}
