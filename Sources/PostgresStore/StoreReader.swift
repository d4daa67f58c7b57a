import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// Reads rooms over a connection of its own, each time as of one moment and in one round trip.
final class StoreReader: @unchecked Sendable {
    // @unchecked: it is either in the pool, where no thread uses it, or with the one caller that took it out.

    private let connection: Connection
    private let history: History
    /// The number of unconfirmed commits before the proof that all that is read is durable.
    private let unconfirmedCommits: Int
    /// The latest format that this server knows.
    private let knows: Int
    let reader: MessageReader
    /// The time by which the next answer must arrive.
    var end: ContinuousClock.Instant { didSet { reader.end = end } }

    /// - Parameter heartbeat: the proof that nothing is read that could still be lost.
    init(
        _ address: PostgresAddress, _ history: History, provenBy heartbeat: Heartbeat, knows: Int,
        until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        connection = try Connection.open(address, seeing: history, preparing: Query.reading, until: end)
        reader = MessageReader(connection, until: end)
        (self.history, self.knows, self.end, unconfirmedCommits) = (history, knows, end, history.unconfirmedCommits)
        try heartbeat.prove(connection, until: end)
    }

    /// False when the servers went on with another copy of the database, and when others may see what is not durable.
    var isCurrent: Bool {
        connection.origin.timeline == history.timeline && unconfirmedCommits == history.unconfirmedCommits
    }

    func read(
        _ name: RoomName, tail: Int, since: Revision?, atMost: Int, standings scope: StandingScope
    ) throws(PostgresFailure) -> RoomReading {
        let room = Parameter.text(name.description)
        let standings = scope.steps(in: name.ruling)
        let parent: [Connection.Step] = name.parent.map { [.run(.room, .text($0.description))] } ?? []
        let rows: [Connection.Step] =
            tail == 0 ? [] : [.run(.messagesBefore, room, .integer(.max), .integer(Int64(tail)))]
        let changed = since.map { since in
            let rest: [Parameter] = [room, .revision(since), .integer(Int64(atMost) + 1)]
            return [Query.insertedSince, .touchedSince, .deletedSince].map {
                Connection.Step(text: .prepared($0), parameters: rest)
            }
        }
        let answers = try atOneMoment([.run(.room, room)] + parent + standings + rows + (changed ?? []))
        let head = try head(answers[0])
        let ruling = answers[parent.count]
        let rules = try rules(of: name.kind, ruling, answers[(1 + parent.count)...].prefix(standings.count), scope)
        let rest = answers.dropFirst(1 + parent.count + standings.count)
        return RoomReading(
            revision: head.revision, count: head.count,
            tail: tail == 0 ? [] : try messages(rest.first, in: name, head.revision),
            changes: try changes(rest.dropFirst(rows.count), since: since, of: head, in: name, atMost: atMost),
            rules: name.isThread ? rules.inThreads : rules, ruled: try self.head(ruling).revision, start: head.start)
    }

    func standing(of user: UserName, in name: RoomName) throws(PostgresFailure) -> Standing {
        let answers = try atOneMoment([
            .run(.standings, .texts([name.ruling.description]), .texts([user.description]))
        ])
        return try answers[0].rows.first?.standing().1 ?? Standing()
    }

    func neighbours(
        of sort: UInt64, in name: RoomName, before: Int, after: Int
    ) throws(PostgresFailure) -> Neighbours {
        let room = Parameter.text(name.description)
        let answers = try atOneMoment([
            .run(.room, room), .run(.messagesBefore, room, .revision(sort), .integer(Int64(before))),
            .run(.messagesFrom, room, .revision(sort), .integer(Int64(after))),
        ])
        let revision = try head(answers[0]).revision
        return Neighbours(
            revision: revision, before: try messages(answers[1], in: name, revision),
            after: try messages(answers[2], in: name, revision).reversed())
    }

    func sort(of anchor: PagePlace.Anchor, in name: RoomName) throws(PostgresFailure) -> UInt64? {
        let room = Parameter.text(name.description)
        let step: Connection.Step
        switch anchor {
        case .id(let id): step = .run(.sortOfID, room, .id(id))
        case .revision(let revision): return revision
        case .time(let time): step = .run(.sortOfTime, room, .integer(time))
        }
        return try connection.run([step], until: end)[0].rows.first.map { (row) throws(PostgresFailure) in
            try row.revision(0)
        }
    }

    func operations(
        _ name: RoomName, since: Revision, limit: Int
    ) throws(PostgresFailure) -> [CommittedOperation] {
        let answers = try connection.run(
            [
                .run(.operations, .text(name.description), .revision(since), .integer(Int64(limit)))
            ], until: end)
        return try answers[0].rows.map { (row) throws(PostgresFailure) in
            try requireKnown(row)
            return try row.committedOperation(in: name)
        }
    }

    func rooms(after name: RoomName?, limit: Int) throws(PostgresFailure) -> [RoomSummary] {
        try Answer.sound(after: name, limit: limit) { (name, limit) throws(PostgresFailure) in
            try connection.run([.run(.roomsAfter, name, limit)], until: end)[0]
        } read: { (row) throws(PostgresFailure) in
            RoomSummary(name: try row.room(), revision: try row.revision(1), count: Int(clamping: try row.integer(2)))
        }
    }

    func audit(_ name: RoomName, before: Revision, limit: Int) throws(PostgresFailure) -> AuditPage {
        let answers = try connection.run(
            [
                .run(.audited, .text(name.description), .revision(before), .integer(Int64(limit) + 1))
            ], until: end)
        let entries = try answers[0].rows.map { (row) throws(PostgresFailure) in
            try requireKnown(row)
            return try row.auditEntry(in: name)
        }
        return AuditPage(entries: entries.prefix(limit).reversed(), more: entries.count > limit)
    }

    func held(_ query: HeldQuery, in name: RoomName) throws(PostgresFailure) -> HeldReading {
        let room = Parameter.text(name.description)
        let begin = Connection.Step.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let answers = try connection.run([begin, .run(.line), .run(.room, room)], until: end)
        try history.apply(StoreLine(answers[1], knows: knows), from: connection.origin)
        let head = try head(answers[2])
        let ranges = StoredRanges(
            connection: connection, reader: reader, name: name, room: room, revision: head.revision, floor: head.floor,
            end: end)
        let reading = try ranges.held(query)
        try connection.run([.run("COMMIT")], until: end)
        return reading
    }

    private func rules(
        of kind: RoomName.Kind, _ room: Answer, _ standings: ArraySlice<Answer>, _ scope: StandingScope
    ) throws(PostgresFailure) -> RoomRules {
        guard let line = room.rows.first else { return RoomRules(of: kind) }
        let configuration = RoomConfiguration(
            of: kind, slowMode: try line.integer(2), isReadOnly: try line.integer(3) != 0, title: try line.title(6),
            topic: try line.topic(7), picture: try line.picture(8), pins: try line.pins(9, since: try line.revision(4)))
        var users: Set<UserName>?
        if case .upTo(let few, or: let some) = scope, standings.first?.rows.count ?? 0 > few { users = some }
        var found: [UserName: Standing] = [:]
        for row in (users == nil ? standings.first : standings.last)?.rows ?? [] {
            let (user, standing) = try row.standing()
            if standing != Standing() { found[user] = standing }
        }
        return RoomRules(configuration, standings: found, of: users)
    }

    /// Compares this server's fingerprint at a revision with that of the first server that gave one, and returns
    /// whether they are equal. The store keeps a few fingerprints of each room.
    func agree(on fingerprint: UInt64, at revision: Revision, of name: RoomName) throws(PostgresFailure) -> Bool {
        let room = Parameter.text(name.description)
        let answers = try connection.run(
            [
                .run("BEGIN"), .run("SET LOCAL synchronous_commit = off"),
                .run(.addFingerprint, room, .revision(revision), .revision(fingerprint)),
                .run(.removeFingerprints, room, .revision(revision)),
                .run(.fingerprint, room, .revision(revision)), .run("COMMIT"),
            ], until: end)
        guard let row = answers[4].rows.first else { return true }
        return try row.integer(0) == Int64(clamping: fingerprint)
    }

    /// Reads as of one moment. Rows are read only if their operations are in a format that this server knows.
    func atOneMoment(_ steps: [Connection.Step]) throws(PostgresFailure) -> [Answer] {
        let begin = Connection.Step.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let answers = try connection.run([begin, .run(.line)] + steps + [.run("COMMIT")], until: end)
        try history.apply(StoreLine(answers[1], knows: knows), from: connection.origin)
        return Array(answers.dropFirst(2).dropLast())
    }

    /// Throws if the row needs a later format. The caller then finds out whether the others have gone over to it.
    private func requireKnown(_ row: Row) throws(PostgresFailure) {
        guard try row.integer(13) <= knows else { throw row.senseless(13) }
    }

    /// Returns the head of a room. A room without operations has no row.
    private func head(_ answer: Answer) throws(PostgresFailure) -> Head {
        guard let row = answer.rows.first else { return Head() }
        return Head(
            revision: try row.revision(0), count: Int(clamping: try row.integer(1)), start: try row.revision(4),
            floor: try row.revision(5))
    }

    private struct Head {
        var revision: Revision = 0
        var count = 0
        var start: UInt64 = 0
        var floor: Revision = 0
    }

    /// Returns the messages, ascending by sort key.
    private func messages(
        _ answer: Answer?, in name: RoomName, _ revision: Revision
    ) throws(PostgresFailure) -> [Message] {
        try (answer?.rows ?? []).reversed().map { (row) throws(PostgresFailure) in
            try reader.message(row, in: name, at: revision).0
        }
    }

    private func changes(
        _ answers: ArraySlice<Answer>, since: Revision?, of head: Head, in name: RoomName, atMost: Int
    ) throws(PostgresFailure) -> RoomReading.Changes {
        guard let since else { return .none }
        guard since <= head.revision else { return .future }
        guard since >= head.floor else { return .gone }
        var changes: [RoomChange] = []
        for answer in answers.dropLast() {
            changes += try answer.rows.map { (row) throws(PostgresFailure) in
                try reader.change(row, in: name, at: head.revision)
            }.filter { $0.rev > since }
        }
        changes +=
            try answers.last.map(\.rows).map { (rows) throws(PostgresFailure) in
                try rows.map { (row) throws(PostgresFailure) in
                    .tombstone(try row.id(0), sort: try row.revision(1), rev: try row.revision(2))
                }
            } ?? []
        return changes.count > atMost ? .tooMany : .all(changes.sorted { $0.rev < $1.rev })
    }
}

extension StandingScope {
    /// The statements that read it: the first standings, and those of the users.
    fileprivate func steps(in room: RoomName) -> [Connection.Step] {
        let name = Parameter.text(room.description)
        switch self {
        case .all: return [.run(.allStandings, name, .null)]
        case .upTo(let few, or: let users):
            let rooms = Parameter.texts(users.map { _ in room.description })
            return [
                .run(.allStandings, name, .integer(Int64(few) + 1)),
                .run(.standings, rooms, .texts(users.map(\.description))),
            ]
        }
    }
}
