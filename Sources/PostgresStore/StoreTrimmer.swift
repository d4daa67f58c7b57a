import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// Trims rooms over a connection of its own, while this server has the lease for that.
///
/// So one server at a time makes a pass over all rooms. A server that is frozen in the middle loses the lease after ten
/// seconds. Two servers at a time would do no harm, because each room is trimmed under its lock.
final class StoreTrimmer {
    private let connection: Connection
    private let history: History
    private let announcer: Announcer
    /// The latest format that this server knows.
    private let knows: Int
    /// The parameters that name the lease and its holder.
    private let lease: [Parameter]
    /// The parameters of ``Query/witness``.
    private let witness: [Parameter]

    /// The first format in which a list has a beginning. Nothing is trimmed beside servers that know only earlier ones.
    private static let format = 5

    init(_ failoverCheck: FailoverCheck, _ announcer: Announcer, knows: Int) throws(PostgresFailure) {
        (self.announcer, self.knows) = (announcer, knows)
        history = failoverCheck.history
        witness = [.text(failoverCheck.lease.server.description), .integer(Int64(PostgresStore.trimmerNumber))]
        lease = [.text(failoverCheck.lease.server.description), .text("retention")]
        connection = try Connection.open(failoverCheck.address, seeing: history, preparing: Query.trimming)
    }

    deinit {
        // The next server then need not wait. If this fails, the lease ends by itself.
        _ = try? connection.run([.run(.endLease, lease)], until: .now + .seconds(1))
    }

    /// See ``RoomStore/trim(_:part:after:at:)``. Each room has a transaction of its own, which holds the room's lock.
    func step(
        _ retention: Retention, after name: RoomName?, at now: StoreMoment
    ) throws(PostgresFailure) -> Trimming {
        var step = Trimming(after: name)
        let isAlone = try acquireLease()
        let rooms = isAlone ? try self.rooms(after: name, retention, at: now) : []
        for (name, isDue) in rooms where isDue && !step.isEnough {
            step.add(try trim(name, retention, at: now), of: name)
        }
        step.finish(visited: rooms.last?.name, of: rooms.count)
        return step
    }

    /// Acquires or renews the lease. A lost lease does no harm, so nothing waits for a disk.
    private func acquireLease() throws(PostgresFailure) -> Bool {
        try !connection.run([
            .run("BEGIN"), .run("SET LOCAL synchronous_commit = off"), .run(.acquireLease, lease), .run("COMMIT"),
        ])[2].rows.isEmpty
    }

    private func rooms(
        after name: RoomName?, _ retention: Retention, at now: StoreMoment
    ) throws(PostgresFailure) -> [(name: RoomName, isDue: Bool)] {
        guard try format(connection.run([.run(.line)])[0]) >= Self.format else { return [] }
        return try Answer.sound(after: name, limit: Trimming.rooms) { (name, limit) throws(PostgresFailure) in
            try connection.run([.run(.roomsToTrim, name, limit)])[0]
        } read: { (row) throws(PostgresFailure) in
            let name = try row.room()
            let isDue = retention.isDue(
                name, count: Int(try row.natural(1)), oldest: row.isNull(2) ? nil : try row.instant(2, 3, at: now),
                done: row.isNull(4) ? nil : try row.instant(4, 5, at: now), at: now.instant)
            return (name, isDue)
        }
    }

    /// Returns the format in force, which this server must know.
    private func format(_ answer: Answer) throws(PostgresFailure) -> Int {
        let line = try StoreLine(answer, knows: knows)
        try history.apply(line, from: connection.origin)
        return line.format
    }

    private func trim(
        _ name: RoomName, _ retention: Retention, at now: StoreMoment
    ) throws(PostgresFailure) -> Trimming.Trimmed {
        do throws(PostgresFailure) {
            let room = Parameter.text(name.description)
            let entries = Parameter.integer(Int64(Trimming.entries))
            let answers = try connection.run([
                .run("BEGIN"), .run(.lockRoom, room), .run(.firstMessages, room, entries),
                .run(.firstOperations, room, entries), .run(.line),
            ])
            _ = try format(answers[4])
            guard let line = answers[1].rows.first else { throw .senseless(column: "name", room: name) }
            let plan = try TrimPlan(
                line, answers[2].rows, answers[3].rows, retention.rule(for: name),
                before: now.instant - retention.resumeTime, at: now)
            guard let revision = plan.trimmed.revision else {
                try connection.runDurably(plan.writes + [.run("COMMIT")], until: .now + Connection.patience)
                return plan.trimmed
            }
            let steps = [.run(.witness, witness)] + plan.writes + [.run("COMMIT")]
            let count = try connection.runDurably(steps, until: .now + Connection.patience)[0].rows.first?.integer(0)
            let commit = count.map { LaneCount(lane: PostgresStore.trimmerNumber, count: $0) }
            announcer.announce([name: revision], membershipsOf: [], of: commit)
            return plan.trimmed
        } catch {
            throw error.of(name)
        }
    }
}

/// The rows and operations of one room that are to be removed.
private struct TrimPlan {
    let trimmed: Trimming.Trimmed
    private(set) var writes: [Connection.Step] = []

    /// - Parameters:
    ///   - line: the room's locked row in the table of rooms.
    ///   - messages: the first messages of its list.
    ///   - operations: the first operations that are not forgotten yet.
    ///   - time: the instant before which operations are forgotten.
    init(
        _ line: Row, _ messages: [Row], _ operations: [Row], _ rule: Retention.Rule, before time: Milliseconds,
        at now: StoreMoment
    ) throws(PostgresFailure) {
        let id = Parameter.integer(try line.integer(0))
        let floor = try line.revision(3)
        let times = try messages.map { (row) throws(PostgresFailure) in try row.instant(1, 2, at: now) }
        let excess = rule.excess(count: Int(try line.natural(2)), times: times, at: now.instant)
        let sorts = try messages.prefix(excess).map { (row) throws(PostgresFailure) in try row.revision(0) }
        let start = (sorts.last ?? 0) + 1
        var forgotten = sorts.filter { $0 <= floor }

        var old: [Row] = []
        for row in operations {
            guard try row.instant(1, 4, at: now) < time else { break }
            old.append(row)
        }
        for row in old where try row.integer(2) <= OperationKind.lastUnaudited.rawValue {
            let revision = try row.revision(0)
            if row.isNull(3) || excess > 0 && revision < start { forgotten.append(revision) }
        }
        if excess > 0 {
            writes.append(.run(.removeFirstMessages, id, .revision(start)))
            writes.append(.run(.removeFirstMentions, id, .revision(start)))
            writes.append(.run(.removeDeleted, id, .revision(start), .integer(Int64(Trimming.entries))))
            writes.append(.run(.shorten, id, .integer(Int64(excess)), .revision(start)))
        }
        if !forgotten.isEmpty { writes.append(.run(.removeOperations, id, .revisions(forgotten))) }
        if let last = try old.last?.revision(0) {
            for query in [Query.removeSendsOfTombstones, .keepDeleted, .removeTombstones, .setFloor] {
                writes.append(.run(query, id, .revision(last)))
            }
        }
        trimmed = Trimming.Trimmed(
            revision: excess > 0 ? try line.natural(1) + 1 : nil, rows: excess, operations: old.count)
    }
}

extension Row {
    /// Returns the instant by which something has its age, of the columns with its time and its drift.
    fileprivate func instant(
        _ time: Int32, _ drift: Int32, at now: StoreMoment
    ) throws(PostgresFailure) -> Milliseconds {
        now.instant(of: try integer(time), drift: isNull(drift) ? 0 : try integer(drift))
    }
}
