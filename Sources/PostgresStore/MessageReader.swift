import ChatRoom
import ChatWire
import RoomStore

/// Reads messages over a reader's connection, also those whose rows are damaged: such a row is served as damaged, with the
/// author and the time of the operation that sent it.
final class MessageReader {
    private let connection: Connection
    /// The time by which the next answer must arrive.
    var end: ContinuousClock.Instant
    /// The sort keys of the damaged rows that were read since the last ``removeDamaged()``.
    private var damaged: [RoomName: Set<UInt64>] = [:]

    init(_ connection: Connection, until end: ContinuousClock.Instant) {
        (self.connection, self.end) = (connection, end)
    }

    /// Returns the damaged rows that were read since the last call.
    func removeDamaged() -> [RoomName: Set<UInt64>] {
        defer { damaged = [:] }
        return damaged
    }

    /// Returns the message, and the revision that last replaced its content.
    ///
    /// - Parameter revision: the room's.
    /// - Errors: `senseless` if not even the row's place can be read.
    /// - Complexity: one round trip for each damaged row.
    func message(
        _ row: Row, in name: RoomName, at revision: Revision
    ) throws(PostgresFailure) -> (Message, reloaded: Revision) {
        do throws(PostgresFailure) {
            let found = try row.message()
            if found.0.contradiction(at: revision) == nil { return found }
        } catch {
            guard case .senseless = error else { throw error }
        }
        let sort = try row.revision(1)
        damaged[name, default: []].insert(sort)
        let sent = try send(at: sort, in: name)
        return try row.damaged(at: sort, of: revision, sent: sent.map { ($0.author, $0.time) })
    }

    func change(_ row: Row, in name: RoomName, at revision: Revision) throws(PostgresFailure) -> RoomChange {
        let (message, reloaded) = try message(row, in: name, at: revision)
        // A sound message may have been replaced at no possible revision. To replace it once more is right.
        return .row(message, reloaded: (message.sort...message.rev).contains(reloaded) ? reloaded : message.rev)
    }

    /// Returns the operation that sent a message; `nil` if it is damaged itself.
    private func send(at sort: UInt64, in name: RoomName) throws(PostgresFailure) -> Operation? {
        guard sort > 0 else { return nil }
        let step = Connection.Step.run(
            .operations, .text(name.description), .revision(sort - 1), .integer(1))
        guard let row = try connection.run([step], until: end)[0].rows.first else { return nil }
        do throws(PostgresFailure) {
            let found = try row.committedOperation(in: name)
            guard found.revision == sort, case .send = found.operation.action else { return nil }
            return found.operation
        } catch {
            guard case .senseless = error else { throw error }
            return nil
        }
    }
}

extension Row {
    /// Returns the message of a row that is damaged, and the revision at which it counts as replaced.
    func damaged(
        at sort: UInt64, of room: Revision, sent: (by: UserName, at: Milliseconds)?
    ) throws(PostgresFailure) -> (Message, reloaded: Revision) {
        let changed = isNull(3) ? 0 : UInt64(clamping: try integer(3))
        let rev = (sort...max(sort, room)).contains(changed) ? changed : sort
        return (Message(damaged: try id(2), section: .history, sort: sort, rev: rev, sent: sent), rev)
    }
}

extension Row {
    /// Returns a message of ``Query/messages``, which may be damaged.
    func messageToChange() throws(PostgresFailure) -> (Message, reloaded: Revision) {
        do throws(PostgresFailure) {
            return try message()
        } catch {
            guard case .senseless = error else { throw error }
        }
        let sort = try revision(1)
        let author = UserName(known: text(12))
        return try damaged(
            at: sort, of: sort, sent: author.map { (author) throws(PostgresFailure) in (author, try time(13)) })
    }
}

/// The damaged messages that were read, each counted once.
struct DamagedMessages: Sendable {
    private(set) var count = 0
    private var known: [RoomName: Set<UInt64>] = [:]

    /// The most rooms that are remembered, and the most messages of each.
    private static let most = 1_000

    mutating func note(_ found: [RoomName: Set<UInt64>]) {
        if known.count >= Self.most { known = [:] }
        for (room, sorts) in found {
            let before = known[room] ?? []
            count += sorts.subtracting(before).count
            known[room] = before.count < Self.most ? before.union(sorts) : sorts
        }
    }
}
