import ChatRoom
import ChatWire
import RoomStore

/// Commits batches over the one connection that writes.
final class StoreWriter {
    private let connection: Connection
    private let limits: WireLimits
    /// Up to which format.
    private let knows: Int

    init(_ address: PostgresAddress, limits: WireLimits, knows: Int) throws(PostgresFailure) {
        connection = try Connection(address, preparing: Query.committing)
        self.limits = limits
        self.knows = knows
    }

    /// How long a commit may take: as long as a standby may, until somebody else is promoted.
    private static let patience = Duration.seconds(15)

    /// Folds the batch and makes it durable: two round trips, one transaction.
    ///
    /// The rooms are locked in the order of their names, so that two servers never wait for each other; what was done
    /// before is looked up under the lock, and so is the format in force: an operation of a format that it does not know
    /// is never folded onto, and none is written that another server does not know.
    ///
    /// - Errors: `outgrown`; after `lost`, it may have been done.
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
        let people = Set(batch.flatMap(\.people))
        let answers = try connection.run(
            [
                .run("BEGIN"), .run(.addRooms, names), .run(.lockRooms, names), .run(.formatInForce),
                .run(.commands, .texts(commands.map(\.room.description)), .ids(commands.map(\.id))),
                .run(.messages, .texts(messages.map(\.room.description)), .ids(messages.map(\.id))),
                .run(.standings, .texts(people.map(\.room.description)), .texts(people.map(\.user.description))),
                .run(.lastSends, .texts(people.map(\.room.description)), .texts(people.map(\.user.description))),
            ], within: Self.patience)
        guard let format = try answers[3].rows.first?.integer(0) else { throw .senseless(column: "in_force") }
        guard format <= knows else { throw .outgrown(inForce: Int(format), known: knows) }
        var rooms: [RoomName: BatchFold.Room] = [:]
        for row in answers[2].rows {
            guard let name = RoomName(row.text(1)) else { throw row.senseless(1) }
            rooms[name] = BatchFold.Room(
                id: try row.integer(0), revision: try row.revision(2), count: Int(try row.integer(3)),
                rules: RoomRules(slowMode: try row.integer(4), isReadOnly: try row.integer(5) != 0))
        }
        for row in answers[6].rows {
            let (user, standing) = try row.standing()
            rooms[try row.room()]?.rules.standings[user] = standing
        }
        for row in answers[7].rows {
            rooms[try row.room()]?.rules.lastSends[try row.user(1)] = try row.integer(2)
        }
        var done: [BatchFold.Key: CommittedOperation] = [:]
        for row in answers[4].rows {
            let operation = try row.committedOperation()
            done[BatchFold.Key(room: try row.room(), id: operation.operation.command)] = operation
        }
        var rows: [BatchFold.Key: BatchFold.Entry] = [:]
        for row in answers[5].rows {
            let (message, reloaded) = try row.message()
            let key = BatchFold.Key(room: try row.room(), id: message.id)
            rows[key] = BatchFold.Entry(row: message, reloaded: reloaded, isStored: true)
        }
        var fold = BatchFold(rooms: rooms, commands: done, rows: rows, limits: limits, format: Int(format))
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
        return operation.message.map { BatchFold.Key(room: room, id: $0) }
    }

    /// Whose standings decide about it.
    fileprivate var people: [BatchFold.Person] {
        var users = [operation.author]
        if case .moderate(let moderation) = operation.action, let user = moderation.user { users.append(user) }
        return users.map { BatchFold.Person(room: room, user: $0) }
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
                .integers(changed.map { Int64($0.count) }), .integers(changed.map(\.rules.slowMode)),
                .integers(changed.map { $0.rules.isReadOnly ? 1 : 0 })),
        ]
        steps += ruleWrites
        if !entries.isEmpty { steps.append(putMessages) }
        if !removed.isEmpty {
            steps.append(.run(.removeMessages, .integers(removed.map(\.room)), .revisions(removed.map(\.row.sort))))
        }
        if !tombstones.isEmpty { steps.append(addTombstones) }
        if !empty.isEmpty { steps.append(.run(.removeRooms, .integers(empty))) }
        return steps
    }

    private var ruleWrites: [Connection.Step] {
        var steps: [Connection.Step] = []
        let standings = changedStandings.compactMap { person in
            rooms[person.room].map { ($0.id, person.user, $0.rules.standing(of: person.user)) }
        }
        if !standings.isEmpty {
            steps.append(
                .run(
                    .putStandings, .integers(standings.map(\.0)), .texts(standings.map(\.1.description)),
                    .integers(standings.map { Int64($0.2.role.rawValue) }), .integers(standings.map(\.2.mutedUntil)),
                    .integers(standings.map { $0.2.isBanned ? 1 : 0 }), .revisions(standings.map(\.2.kicked))))
        }
        let forgetful = rooms.values.filter(\.forgetsSends).map(\.id)
        if !forgetful.isEmpty { steps.append(.run(.forgetSends, .integers(forgetful))) }
        let sends = senders.compactMap { person -> (Int64, UserName, Milliseconds)? in
            guard let room = rooms[person.room], let time = room.rules.lastSends[person.user] else { return nil }
            return (room.id, person.user, time)
        }
        if !sends.isEmpty {
            steps.append(
                .run(
                    .putLastSends, .integers(sends.map(\.0)), .texts(sends.map(\.1.description)),
                    .integers(sends.map(\.2))))
        }
        return steps
    }

    private var addOperations: Connection.Step {
        let values = operations.map(\.operation.operation)
        let columns = operations.map(\.columns)
        return .run(
            .addOperations, .integers(operations.map(\.room)), .revisions(operations.map(\.operation.revision)),
            .ids(values.map(\.command)), .texts(values.map(\.author.description)), .integers(values.map(\.time)),
            .integers(columns.map(\.kind.rawValue)), .ids(columns.map(\.target)),
            .bytes(columns.map { $0.text.map { Array($0.utf8) } }), .integers(values.map { Int64($0.role.rawValue) }),
            .texts(columns.map { $0.subject?.description }), .integers(columns.map(\.value)), .integer(Int64(format)))
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
