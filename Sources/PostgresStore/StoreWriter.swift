import ChatRoom
import ChatWire
import RoomStore

/// Commits batches over the one connection that writes.
final class StoreWriter {
    private let connection: Connection
    private let limits: WireLimits

    init(_ address: PostgresAddress, limits: WireLimits) throws(PostgresFailure) {
        connection = try Connection(address, preparing: Query.committing)
        self.limits = limits
    }

    /// How long a commit may take: as long as a standby may, until somebody else is promoted.
    private static let patience = Duration.seconds(15)

    /// Folds the batch and makes it durable: two round trips, one transaction.
    ///
    /// The rooms are locked in the order of their names, so that two servers never wait for each other; what was done
    /// before is looked up under the lock.
    ///
    /// - Errors: after `lost`, it may have been done.
    func commit(_ batch: [RoomOperation]) throws(PostgresFailure) -> [CommitOutcome] {
        do throws(PostgresFailure) {
            let fold = try begin(batch)
            try end(fold)
            return fold.outcomes
        } catch {
            if case .refused = error { try connection.run([.run("ROLLBACK")]) }
            throw error
        }
    }

    private func begin(_ batch: [RoomOperation]) throws(PostgresFailure) -> BatchFold {
        let names = Parameter.texts(
            Set(batch.map(\.room.description)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let commands = Set(batch.map { BatchFold.Key(room: $0.room, id: $0.operation.command) })
        let messages = Set(batch.compactMap(\.target))
        let answers = try connection.run(
            [
                .run("BEGIN"), .run(.addRooms, names), .run(.lockRooms, names),
                .run(.commands, .texts(commands.map(\.room.description)), .ids(commands.map(\.id))),
                .run(.messages, .texts(messages.map(\.room.description)), .ids(messages.map(\.id))),
            ], within: Self.patience)
        var rooms: [RoomName: BatchFold.Room] = [:]
        for row in answers[2].rows {
            guard let name = RoomName(row.text(1)) else { throw row.senseless(1) }
            rooms[name] = BatchFold.Room(
                id: try row.integer(0), revision: try row.revision(2), count: Int(try row.integer(3)))
        }
        var done: [BatchFold.Key: CommittedOperation] = [:]
        for row in answers[3].rows {
            let operation = try row.committedOperation()
            done[BatchFold.Key(room: try row.room(), id: operation.operation.command)] = operation
        }
        var rows: [BatchFold.Key: BatchFold.Entry] = [:]
        for row in answers[4].rows {
            let (message, reloaded) = try row.message()
            let key = BatchFold.Key(room: try row.room(), id: message.id)
            rows[key] = BatchFold.Entry(row: message, reloaded: reloaded, isStored: true)
        }
        var fold = BatchFold(rooms: rooms, commands: done, rows: rows, limits: limits)
        fold.apply(batch)
        return fold
    }

    private func end(_ fold: BatchFold) throws(PostgresFailure) {
        guard !fold.operations.isEmpty else {
            try connection.run([.run("ROLLBACK")])
            return
        }
        try connection.run(fold.writes + [.run("COMMIT")], within: Self.patience)
        // Such as that the wait for a standby was cancelled by somebody: then it may not have it.
        if let warning = connection.warning { throw .lost("the commit came with a warning: \(warning)") }
    }
}

extension RoomOperation {
    /// The row that it is about. A send's is not looked for: its id would be a command that is known.
    fileprivate var target: BatchFold.Key? {
        if case .send = operation.action { return nil }
        return BatchFold.Key(room: room, id: operation.message)
    }
}

extension BatchFold {
    /// What makes the database hold it.
    fileprivate var writes: [Connection.Step] {
        let changed = rooms.values.filter(\.isChanged)
        let empty = rooms.values.filter { $0.revision == 0 }.map(\.id)
        let removed = tombstones.filter(\.isStored)
        var steps = [
            addOperations,
            .run(
                .setRooms, .integers(changed.map(\.id)), .revisions(changed.map(\.revision)),
                .integers(changed.map { Int64($0.count) })),
        ]
        if !entries.isEmpty { steps.append(putMessages) }
        if !removed.isEmpty {
            steps.append(.run(.removeMessages, .integers(removed.map(\.room)), .revisions(removed.map(\.row.sort))))
        }
        if !tombstones.isEmpty { steps.append(addTombstones) }
        if !empty.isEmpty { steps.append(.run(.removeRooms, .integers(empty))) }
        return steps
    }

    private var addOperations: Connection.Step {
        let values = operations.map(\.operation.operation)
        let columns = values.map(\.action.columns)
        return .run(
            .addOperations, .integers(operations.map(\.room)), .revisions(operations.map(\.operation.revision)),
            .ids(values.map(\.command)), .texts(values.map(\.author.description)), .integers(values.map(\.time)),
            .integers(columns.map(\.kind.rawValue)), .ids(columns.map(\.target)),
            .bytes(columns.map { $0.text.map { Array($0.utf8) } }), .integers(values.map { Int64($0.role.rawValue) }))
    }

    private var putMessages: Connection.Step {
        let entries = entries
        let rows = entries.map(\.entry.row)
        return .run(
            .putMessages, .integers(entries.map(\.room)), .revisions(rows.map(\.sort)), .ids(rows.map(\.id)),
            .revisions(rows.map(\.rev)), .revisions(entries.map(\.entry.reloaded)),
            .texts(rows.map(\.author.description)), .integers(rows.map(\.time)),
            .bytes(rows.map { Array($0.text.utf8) }),
            .integers(rows.map(\.edited)), .ids(rows.map(\.replyTo)),
            .bytes(rows.map { $0.reactions.isEmpty ? nil : ReactionBytes.encoding($0.reactions) }))
    }

    private var addTombstones: Connection.Step {
        .run(
            .addTombstones, .integers(tombstones.map(\.room)), .revisions(tombstones.map(\.changed)),
            .ids(tombstones.map(\.row.id)), .revisions(tombstones.map(\.row.sort)))
    }
}
